//! The whole zone as a stream of blocks: signed in parallel, written in order.

use std::io::{self, Write};

use rayon::prelude::*;
use sha2::{Digest, Sha384, digest::Output};

use super::block::{Encoded, Entry, Scratch};
use super::{Counts, Form, SignError, Signer};
use crate::denial::nsec3;
use crate::format::raw;
use crate::zone::Owner;

/// Owner names per block: enough for the many-at-once functions, few enough that slow algorithms spread evenly.
const BLOCK: usize = 16;
/// Blocks per thread that are in memory at once.
const BLOCKS_PER_THREAD: usize = 8;

/// Every name of the signed zone in canonical order.
pub(super) struct Entries<'s, 'a> {
    signer: &'s Signer<'a>,
    owner: usize,
    chain: usize,
    /// Order key of the NSEC3 owner at `chain`.
    key: Vec<u8>,
    wire: Vec<u8>,
}

impl<'s, 'a> Entries<'s, 'a> {
    pub(super) fn new(signer: &'s Signer<'a>) -> Self {
        let mut entries =
            Entries { signer, owner: signer.own.start, chain: 0, key: Vec::new(), wire: Vec::new() };
        entries.find_key();
        entries
    }

    /// The next names; empty at the end.
    pub(super) fn block(&mut self) -> Vec<Entry> {
        let mut block = Vec::with_capacity(BLOCK);
        while block.len() < BLOCK {
            match self.next_entry() {
                Some(entry) => block.push(entry),
                None => break,
            }
        }
        block
    }

    fn next_entry(&mut self) -> Option<Entry> {
        let signer = self.signer;
        let owner: Option<Owner<'a>> = loop {
            if self.owner == signer.own.end {
                break None;
            }
            let owner = signer.view.zone.owners_in(self.owner..self.owner + 1).next()?;
            if signer.view.has_data(owner) {
                break Some(owner);
            }
            self.owner += 1;
        };
        let chained = self.chain < signer.chain.len();
        match owner {
            Some(owner) if !chained || owner.order_key() < &self.key[..] => {
                self.owner += 1;
                Some(Entry::Owner(owner.id()))
            }
            _ if chained => {
                let at = self.chain;
                self.chain += 1;
                self.find_key();
                Some(Entry::Chain(at as u32))
            }
            _ => None,
        }
    }

    fn find_key(&mut self) {
        if self.chain < self.signer.chain.len() {
            self.wire.clear();
            self.key.clear();
            nsec3::push_owner(
                self.signer.chain.hash(self.chain),
                self.signer.view.zone.apex().as_wire(),
                &mut self.wire,
            );
            crate::name::push_order_key(&self.wire, &mut self.key);
        }
    }
}

impl Signer<'_> {
    /// Signs the zone and writes it. Memory holds the unsigned zone and a few blocks, whatever the signatures' size.
    ///
    /// Uses the rayon pool it is called in; a zone of one or two blocks is signed without one.
    pub fn write(&self, form: Form, out: &mut (impl Write + Send)) -> Result<Counts, SignError> {
        let mut digest = Covered::default();
        let mut writer = Writer { out, covered: &mut digest, counts: Counts::default() };
        self.write_beginning(form, &mut writer)?;
        self.write_owners(form, &mut writer)?;
        let counts = writer.counts;
        let mut writer = Writer { out, covered: &mut io::sink(), counts };
        self.write_digest(form, &digest.finish(), &mut writer)?;
        writer.out.flush()?;
        Ok(writer.counts)
    }

    /// Writes what stands before the first record.
    pub(super) fn write_beginning<W: Write, C: Write>(
        &self,
        form: Form,
        writer: &mut Writer<'_, W, C>,
    ) -> Result<(), SignError> {
        let mut header = Vec::new();
        if form == Form::Raw {
            raw::push_header(self.plan.inception, &mut header);
        }
        writer.write(&header)
    }

    /// Writes the owners that are signed, and the NSEC3 records among them.
    pub(super) fn write_owners<W: Write + Send, C: Write + Send>(
        &self,
        form: Form,
        writer: &mut Writer<'_, W, C>,
    ) -> Result<(), SignError> {
        let mut entries = Entries::new(self);
        if self.own.len() <= 2 * BLOCK {
            self.write_in_turn(form, &mut entries, writer)
        } else {
            self.write_in_parallel(form, &mut entries, writer)
        }
    }

    /// Writes the ZONEMD record, if there is to be one, which depends on all that stands before it.
    pub(super) fn write_digest<W: Write, C: Write>(
        &self,
        form: Form,
        digest: &[u8],
        writer: &mut Writer<'_, W, C>,
    ) -> Result<(), SignError> {
        let Some(zonemd) = self.zonemd(digest) else { return Ok(()) };
        let mut scratch = Scratch::new(self);
        self.lay_out_apex_rrset(&zonemd, &mut scratch);
        self.sign(&mut scratch)?;
        writer.write_block(self.encode(form, &mut scratch))
    }

    fn write_in_turn<W: Write, C: Write>(
        &self,
        form: Form,
        entries: &mut Entries<'_, '_>,
        writer: &mut Writer<'_, W, C>,
    ) -> Result<(), SignError> {
        let mut scratch = Scratch::new(self);
        loop {
            let block = entries.block();
            if block.is_empty() {
                return Ok(());
            }
            writer.write_block(self.encode_block(form, &block, &mut scratch)?)?;
        }
    }

    /// Writes one group of blocks while the next is signed.
    fn write_in_parallel<W: Write + Send, C: Write + Send>(
        &self,
        form: Form,
        entries: &mut Entries<'_, '_>,
        writer: &mut Writer<'_, W, C>,
    ) -> Result<(), SignError> {
        let at_once = rayon::current_num_threads() * BLOCKS_PER_THREAD;
        let mut ready: Vec<Encoded> = Vec::new();
        loop {
            let mut group = Vec::with_capacity(at_once);
            while group.len() < at_once {
                let block = entries.block();
                if block.is_empty() {
                    break;
                }
                group.push(block);
            }
            let last = group.is_empty();
            let (written, signed) = rayon::join(
                || ready.into_iter().try_for_each(|block| writer.write_block(block)),
                || {
                    group
                        .par_iter()
                        .map_init(
                            || Scratch::new(self),
                            |scratch, block| self.encode_block(form, block, scratch),
                        )
                        .collect::<Result<Vec<Encoded>, SignError>>()
                },
            );
            written?;
            ready = signed?;
            if last {
                return Ok(());
            }
        }
    }

    fn encode_block<'s>(
        &'s self,
        form: Form,
        block: &[Entry],
        scratch: &mut Scratch<'s>,
    ) -> Result<Encoded, SignError> {
        self.lay_out(block, scratch);
        self.sign(scratch)?;
        Ok(self.encode(form, scratch))
    }
}

/// What a zone's digest covers, digested.
#[derive(Default)]
pub(super) struct Covered(Sha384);

impl Covered {
    pub(super) fn finish(self) -> Output<Sha384> {
        self.0.finalize()
    }
}

impl Write for Covered {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.update(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a signed zone goes.
pub(super) struct Writer<'w, W, C> {
    pub(super) out: &'w mut W,
    /// Takes what a digest of the zone covers.
    pub(super) covered: &'w mut C,
    pub(super) counts: Counts,
}

impl<W: Write, C: Write> Writer<'_, W, C> {
    fn write_block(&mut self, block: Encoded) -> Result<(), SignError> {
        self.covered.write_all(&block.digested)?;
        self.counts.signatures += block.signatures;
        self.counts.rrsets += block.rrsets;
        self.counts.records += block.records;
        self.write(&block.output)
    }

    fn write(&mut self, octets: &[u8]) -> Result<(), SignError> {
        self.counts.octets += octets.len() as u64;
        Ok(self.out.write_all(octets)?)
    }
}
