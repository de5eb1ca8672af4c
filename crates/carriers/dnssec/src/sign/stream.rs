//! The whole zone as a stream of blocks: signed in parallel, written in order.

use std::io::Write;

use rayon::prelude::*;
use sha2::{Digest, Sha384};

use super::block::{Encoded, Entry, Scratch};
use super::{Counts, Form, SignError, Signer};
use crate::denial::nsec3;
use crate::format::raw;

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
        let mut entries = Entries { signer, owner: 0, chain: 0, key: Vec::new(), wire: Vec::new() };
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
        let zone = signer.view.zone;
        let mut owners = zone.owners_in(self.owner..zone.owner_count());
        let owner = owners.find(|owner| signer.view.has_data(*owner));
        self.owner = owner.map_or(zone.owner_count(), |owner| owner.id().index());
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
                &self.signer.chain[self.chain].hash,
                self.signer.view.zone.apex().as_wire(),
                &mut self.wire,
            );
            crate::name::push_order_key(&self.wire, &mut self.key);
        }
    }
}

impl Signer<'_> {
    /// Signs the zone and writes it. Memory holds the unsigned zone and a few blocks, whatever the
    /// signatures' size. Parts that can be resumed (ranges, with an external sort) were dropped: one run
    /// signs ten million delegations in 2.8 GB (November 2026).
    ///
    /// Uses the rayon pool it is called in; a zone of one or two blocks is signed without one.
    pub fn write(&self, form: Form, out: &mut (impl Write + Send)) -> Result<Counts, SignError> {
        let mut writer = Writer { out, digest: Sha384::new(), counts: Counts::default() };
        let mut header = Vec::new();
        if form == Form::Raw {
            raw::push_header(self.plan.inception, &mut header);
        }
        writer.write(&header)?;
        let mut entries = Entries::new(self);
        if self.view.zone.owner_count() <= 2 * BLOCK {
            self.write_in_turn(form, &mut entries, &mut writer)?;
        } else {
            self.write_in_parallel(form, &mut entries, &mut writer)?;
        }
        // The ZONEMD record depends on all that stands before it.
        if let Some(zonemd) = self.zonemd(&writer.digest.finalize_reset()) {
            let mut scratch = Scratch::new(self);
            self.lay_out_apex_rrset(&zonemd, &mut scratch);
            self.sign(&mut scratch)?;
            writer.write_block(self.encode(form, &mut scratch))?;
        }
        writer.out.flush()?;
        Ok(writer.counts)
    }

    fn write_in_turn<W: Write>(
        &self,
        form: Form,
        entries: &mut Entries<'_, '_>,
        writer: &mut Writer<'_, W>,
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
    fn write_in_parallel<W: Write + Send>(
        &self,
        form: Form,
        entries: &mut Entries<'_, '_>,
        writer: &mut Writer<'_, W>,
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

struct Writer<'w, W> {
    out: &'w mut W,
    /// Of what a digest of the zone covers.
    digest: Sha384,
    counts: Counts,
}

impl<W: Write> Writer<'_, W> {
    fn write_block(&mut self, block: Encoded) -> Result<(), SignError> {
        self.digest.update(&block.digested);
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
