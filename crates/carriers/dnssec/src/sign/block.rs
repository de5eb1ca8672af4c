//! One block of owner names: its RRsets, their messages, the signatures, and all of it encoded.

use std::ops::Range;

use super::{Form, Made, Message, SignError, Signer};
use crate::bitmap;
use crate::denial::nsec3::{self, OPT_OUT};
use crate::denial::{Denial, Nsec3, is_signed};
use crate::format::{raw, text};
use crate::name::Name;
use crate::negative::{Negative, Unservable};
use crate::rrsig::{self, Rrsig};
use crate::rtype::Rtype;
use crate::servable;
use crate::zone::{OwnerId, Rrset};

/// A name of the signed zone: one of the zone, or an NSEC3 record's.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    Owner(OwnerId),
    /// Position in [`Signer::chain`].
    Chain(u32),
}

/// What blocks are worked out in; used again for the next block.
pub(super) struct Scratch<'z> {
    owners: Vec<OwnerItems<'z>>,
    items: Vec<Item<'z>>,
    /// RDATA and owner names of denial records.
    octets: Vec<u8>,
    types: Vec<Rtype>,
    /// One per active key.
    batches: Vec<Batch>,
    jobs: Vec<Job>,
    /// RRSIG RDATA, and where each job's stands.
    rrsigs: Vec<u8>,
    /// RRSIG RDATA of one owner with their TTLs, in canonical order.
    order: Vec<(Range<usize>, u32)>,
}

struct OwnerItems<'z> {
    name: Octets<'z>,
    apex: bool,
    items: Range<usize>,
}

/// Octets of the zone, or a part of [`Scratch::octets`].
enum Octets<'z> {
    Zone(&'z [u8]),
    Scratch(Range<usize>),
}

struct Item<'z> {
    rtype: Rtype,
    ttl: u32,
    rdata: Rdata<'z>,
    jobs: Range<usize>,
}

enum Rdata<'z> {
    Zone(Rrset<'z>),
    Made(&'z Made),
    Scratch(Range<usize>),
}

/// A signature to be made: the key, the place in its batch, and the RRSIG RDATA once it is there.
struct Job {
    key: usize,
    at: usize,
    rdata: Range<usize>,
}

#[derive(Default)]
struct Batch {
    messages: Vec<u8>,
    ranges: Vec<Range<usize>>,
    /// Length of the RRSIG RDATA that each message begins with.
    prefixes: Vec<usize>,
    signatures: Vec<Vec<u8>>,
}

#[derive(Default)]
pub(super) struct Encoded {
    pub(super) output: Vec<u8>,
    /// The block's part of what a ZONEMD digest covers.
    pub(super) digested: Vec<u8>,
    pub(super) signatures: u64,
    pub(super) rrsets: u64,
    pub(super) records: u64,
}

impl<'z> Octets<'z> {
    fn get<'s>(&'s self, scratch: &'s [u8]) -> &'s [u8] {
        match self {
            Octets::Zone(octets) => octets,
            Octets::Scratch(range) => &scratch[range.clone()],
        }
    }
}

impl Item<'_> {
    fn rdata<'s>(&'s self, scratch: &'s [u8]) -> impl Iterator<Item = &'s [u8]> + Clone {
        let (zone, made, one) = match &self.rdata {
            Rdata::Zone(rrset) => (Some(rrset.rdata()), None, None),
            Rdata::Made(made) => (None, Some(made.rdata.iter()), None),
            Rdata::Scratch(range) => (None, None, Some(&scratch[range.clone()])),
        };
        zone.into_iter().flatten().chain(made.into_iter().flatten().map(Vec::as_slice)).chain(one)
    }
}

impl<'z> Scratch<'z> {
    pub(super) fn new(signer: &Signer<'_>) -> Self {
        Scratch {
            owners: Vec::new(),
            items: Vec::new(),
            octets: Vec::new(),
            types: Vec::new(),
            batches: signer.keys.iter().map(|_| Batch::default()).collect(),
            jobs: Vec::new(),
            rrsigs: Vec::new(),
            order: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.owners.clear();
        self.items.clear();
        self.octets.clear();
        self.jobs.clear();
        self.rrsigs.clear();
        for batch in &mut self.batches {
            batch.messages.clear();
            batch.ranges.clear();
            batch.prefixes.clear();
        }
    }

    pub(super) fn visit(&self, signer: &Signer<'_>, visit: &mut impl FnMut(Message<'_>)) {
        for owner in &self.owners {
            for item in &self.items[owner.items.clone()] {
                for job in &self.jobs[item.jobs.clone()] {
                    let batch = &self.batches[job.key];
                    visit(Message {
                        key: signer.keys[job.key].position,
                        owner: owner.name.get(&self.octets),
                        rtype: item.rtype,
                        octets: &batch.messages[batch.ranges[job.at].clone()],
                    });
                }
            }
        }
    }
}

impl<'a> Signer<'a> {
    /// Collects a block's RRsets and writes their messages.
    pub(super) fn lay_out<'s>(&'s self, block: &[Entry], scratch: &mut Scratch<'s>) {
        scratch.clear();
        for entry in block {
            match entry {
                Entry::Owner(id) => self.lay_out_owner(*id, scratch),
                Entry::Chain(at) => self.lay_out_nsec3(*at as usize, scratch),
            }
        }
    }

    /// As [`lay_out`](Self::lay_out), for a single RRset of the apex.
    pub(super) fn lay_out_apex_rrset<'s>(&'s self, made: &'s Made, scratch: &mut Scratch<'s>) {
        scratch.clear();
        scratch.items.push(Item { rtype: made.rtype, ttl: made.ttl, rdata: Rdata::Made(made), jobs: 0..0 });
        let apex = self.view.zone.owner(self.view.apex);
        self.close_owner(Octets::Zone(apex.wire()), true, 0, |_| true, scratch);
    }

    fn lay_out_owner<'s>(&'s self, id: OwnerId, scratch: &mut Scratch<'s>) {
        let owner = self.view.zone.owner(id);
        let apex = id == self.view.apex;
        let first = scratch.items.len();
        for rrset in owner.rrsets() {
            let rtype = rrset.rtype();
            if self.view.counts(id, rtype) && !(apex && rtype == Rtype::SOA) {
                scratch.items.push(Item { rtype, ttl: rrset.ttl(), rdata: Rdata::Zone(rrset), jobs: 0..0 });
            }
        }
        if apex {
            scratch.items.extend(self.made.iter().map(|made| Item {
                rtype: made.rtype,
                ttl: made.ttl,
                rdata: Rdata::Made(made),
                jobs: 0..0,
            }));
        }
        if self.plan.denial == Denial::Nsec && self.view.in_chain(owner) {
            let start = scratch.octets.len();
            scratch.octets.extend_from_slice(self.view.nsec_next(owner));
            scratch.types.clear();
            self.view.push_nsec_types(owner, &mut scratch.types);
            bitmap::push(&mut scratch.types, &mut scratch.octets);
            let rdata = Rdata::Scratch(start..scratch.octets.len());
            scratch.items.push(Item { rtype: Rtype::NSEC, ttl: self.denial_ttl, rdata, jobs: 0..0 });
        }
        scratch.items[first..].sort_by_key(|item| item.rtype);
        let role = owner.role();
        self.close_owner(Octets::Zone(owner.wire()), apex, first, |rtype| is_signed(role, rtype), scratch);
    }

    fn lay_out_nsec3<'s>(&'s self, at: usize, scratch: &mut Scratch<'s>) {
        let Denial::Nsec3(parameters) = &self.plan.denial else { return };
        let start = scratch.octets.len();
        nsec3::push_owner(&self.chain[at].hash, self.view.zone.apex().as_wire(), &mut scratch.octets);
        let name = start..scratch.octets.len();
        push_nsec3(parameters, &self.chain[(at + 1) % self.chain.len()].hash, &mut scratch.octets);
        self.chain[at].push_bitmap(&self.view, &mut scratch.types, &mut scratch.octets);
        let first = scratch.items.len();
        let rdata = Rdata::Scratch(name.end..scratch.octets.len());
        scratch.items.push(Item { rtype: Rtype::NSEC3, ttl: self.denial_ttl, rdata, jobs: 0..0 });
        self.close_owner(Octets::Scratch(name), false, first, |_| true, scratch);
    }

    /// Ends an owner whose items begin at `first`, and writes the messages of those that are signed.
    fn close_owner<'s>(
        &'s self,
        name: Octets<'s>,
        apex: bool,
        first: usize,
        is_signed: impl Fn(Rtype) -> bool,
        scratch: &mut Scratch<'s>,
    ) {
        let Scratch { items, octets, batches, jobs, .. } = scratch;
        let owner = name.get(octets);
        let labels = rrsig::labels(owner);
        for item in &mut items[first..] {
            let first_job = jobs.len();
            let signed = is_signed(item.rtype);
            for (key_at, key) in self.keys.iter().enumerate() {
                if !signed || !key.signs(item.rtype, apex) {
                    continue;
                }
                let batch = &mut batches[key_at];
                let start = batch.messages.len();
                self.rrsig(item, labels, key.algorithm, key.tag)
                    .push_prefix(self.view.zone.apex().as_wire(), &mut batch.messages);
                batch.prefixes.push(batch.messages.len() - start);
                rrsig::push_rrset(owner, item.rtype, item.ttl, item.rdata(octets), &mut batch.messages);
                jobs.push(Job { key: key_at, at: batch.ranges.len(), rdata: 0..0 });
                batch.ranges.push(start..batch.messages.len());
            }
            item.jobs = first_job..jobs.len();
        }
        scratch.owners.push(OwnerItems { name, apex, items: first..scratch.items.len() });
    }

    fn rrsig(&self, item: &Item<'_>, labels: u8, algorithm: u8, key_tag: u16) -> Rrsig<'static> {
        Rrsig {
            covered: item.rtype,
            algorithm,
            labels,
            original_ttl: item.ttl,
            expiration: self.plan.expiration,
            inception: self.plan.inception,
            key_tag,
            signer: &[],
            signature: &[],
        }
    }

    /// Signs what was laid out and makes each job's RRSIG RDATA.
    pub(super) fn sign(&self, scratch: &mut Scratch<'_>) -> Result<(), SignError> {
        for (key, batch) in self.keys.iter().zip(&mut scratch.batches) {
            let messages: Vec<&[u8]> =
                batch.ranges.iter().map(|range| &batch.messages[range.clone()]).collect();
            if batch.signatures.len() < messages.len() {
                batch.signatures.resize(messages.len(), Vec::new());
            }
            let signatures = &mut batch.signatures[..messages.len()];
            let outcome = if self.plan.deterministic {
                messages
                    .iter()
                    .zip(signatures)
                    .try_for_each(|(message, signature)| key.signing.sign_deterministic(message, signature))
            } else {
                key.signing.sign_many(&messages, signatures)
            };
            let failed = |source| SignError::Key { key: key.key.file_name(), source };
            outcome.map_err(failed)?;
            if batch.signatures[..messages.len()].iter().any(Vec::is_empty) {
                return Err(failed(fieldtest_kinds::Error::Library("a signature of no bytes".to_owned())));
            }
        }
        let Scratch { batches, jobs, rrsigs, .. } = scratch;
        for job in jobs {
            let batch = &batches[job.key];
            let message = &batch.messages[batch.ranges[job.at].clone()];
            let start = rrsigs.len();
            rrsigs.extend_from_slice(&message[..batch.prefixes[job.at]]);
            rrsigs.extend_from_slice(self.keys[job.key].key.code_point().prefix());
            rrsigs.extend_from_slice(&batch.signatures[job.at]);
            job.rdata = start..rrsigs.len();
            if job.rdata.len() > usize::from(u16::MAX) {
                return Err(SignError::TooLong(batch.signatures[job.at].len()));
            }
        }
        scratch.owners.iter().try_for_each(|owner| scratch.refuse_unservable(owner))?;
        self.refuse_unservable_denials(scratch)
    }

    /// Refuses zones of which a negative answer fits into no message: when the apex is signed, which is first of all, it
    /// is known how long signatures are.
    fn refuse_unservable_denials(&self, scratch: &Scratch<'_>) -> Result<(), SignError> {
        let items = scratch.owners.iter().filter(|owner| owner.apex).flat_map(|owner| owner.items.clone());
        let Some(item) = items.map(|at| &scratch.items[at]).find(|item| item.rtype == Rtype::SOA) else {
            return Ok(());
        };
        let rrsigs: Vec<usize> = scratch.jobs[item.jobs.clone()].iter().map(|job| job.rdata.len()).collect();
        let soa = item.rdata(&scratch.octets).next().unwrap_or(&[]);
        let negative = Negative { view: &self.view, soa, rrsigs: &rrsigs };
        let (found, hint) = match &self.plan.denial {
            Denial::Nsec => (negative.with_nsec(), ""),
            Denial::Nsec3(parameters) => (
                negative.with_nsec3(parameters, &self.chain),
                ", or NSEC, whose answers have a record less than those of NSEC3",
            ),
        };
        found.map_or(Ok(()), |found| {
            let Unservable { name, says, octets } = found;
            Err(SignError::UnservableDenial { owner: Box::new(name), says, octets, hint })
        })
    }

    pub(super) fn encode(&self, form: Form, scratch: &mut Scratch<'_>) -> Encoded {
        let mut encoded = Encoded { signatures: scratch.jobs.len() as u64, ..Encoded::default() };
        encoded
            .output
            .reserve(2 * scratch.octets.len() + 2 * scratch.rrsigs.len() + 256 * scratch.items.len());
        let mut order = std::mem::take(&mut scratch.order);
        for owner in &scratch.owners {
            scratch.push_owner(owner, form, &mut encoded);
            if self.zonemd_ttl.is_some() {
                scratch.push_digested(owner, &mut order, &mut encoded.digested);
            }
        }
        scratch.order = order;
        encoded
    }
}

impl Scratch<'_> {
    /// Appends an owner's RRsets, each with its signatures behind it.
    fn push_owner(&self, owner: &OwnerItems<'_>, form: Form, encoded: &mut Encoded) {
        let name = owner.name.get(&self.octets);
        let items = &self.items[owner.items.clone()];
        // Not in the order of types, by which A and NS would precede it: a zone file begins with its SOA
        // record.
        let leads = |item: &&Item<'_>| owner.apex && item.rtype == Rtype::SOA;
        for item in items.iter().filter(leads).chain(items.iter().filter(|item| !leads(item))) {
            encoded.rrsets += 1;
            let counted = item.rdata(&self.octets).inspect(|_| encoded.records += 1);
            push(form, name, item.ttl, item.rtype, 0, counted, &mut encoded.output);
            if !item.jobs.is_empty() {
                encoded.rrsets += 1;
                let rdata = self.rrsigs_of(item).inspect(|_| encoded.records += 1);
                push(form, name, item.ttl, Rtype::RRSIG, item.rtype.0, rdata, &mut encoded.output);
            }
        }
    }

    /// Appends an owner's records as a ZONEMD digest covers them: RRSIG has its place among the types.
    fn push_digested(&self, owner: &OwnerItems<'_>, order: &mut Vec<(Range<usize>, u32)>, out: &mut Vec<u8>) {
        let name = owner.name.get(&self.octets);
        let items = &self.items[owner.items.clone()];
        let (before, after) = items.split_at(items.partition_point(|item| item.rtype < Rtype::RRSIG));
        let mut push = |rtype, ttl, rdata: &mut dyn Iterator<Item = &[u8]>| {
            rrsig::push_rrset(name, rtype, ttl, rdata, out);
        };
        for item in before {
            push(item.rtype, item.ttl, &mut item.rdata(&self.octets));
        }
        order.clear();
        for item in items {
            order.extend(self.jobs[item.jobs.clone()].iter().map(|job| (job.rdata.clone(), item.ttl)));
        }
        // Types ascend and so do the keys; only those of keys with the same tag are out of order.
        order.sort_by(|(a, _), (b, _)| self.rrsigs[a.clone()].cmp(&self.rrsigs[b.clone()]));
        for (range, ttl) in order.iter() {
            push(Rtype::RRSIG, *ttl, &mut [&self.rrsigs[range.clone()]].into_iter());
        }
        for item in after {
            push(item.rtype, item.ttl, &mut item.rdata(&self.octets));
        }
    }

    /// Refuses RRsets that fit into no message. Of what is not signed, the servers of a delegation are sent as a whole;
    /// addresses may be left out, but each must be able to be transferred.
    fn refuse_unservable(&self, owner: &OwnerItems<'_>) -> Result<(), SignError> {
        let name = owner.name.get(&self.octets);
        for item in &self.items[owner.items.clone()] {
            let mut rdata = item.rdata(&self.octets);
            let excess = if item.jobs.is_empty() && item.rtype != Rtype::NS {
                rdata.find_map(|rdata| {
                    servable::excess(name, item.rtype, std::iter::once(rdata), std::iter::empty())
                })
            } else {
                let rrsigs = self.jobs[item.jobs.clone()].iter().map(|job| job.rdata.len());
                servable::excess(name, item.rtype, rdata, rrsigs)
            };
            if let Some(octets) = excess {
                let owner = Box::new(Name::from_wire(name).map_or(Name::ROOT, |(name, _)| name));
                return Err(SignError::Unservable { owner, rtype: item.rtype, octets });
            }
        }
        Ok(())
    }

    fn rrsigs_of(&self, item: &Item<'_>) -> impl Iterator<Item = &[u8]> {
        self.jobs[item.jobs.clone()].iter().map(|job| &self.rrsigs[job.rdata.clone()])
    }
}

fn push_nsec3(parameters: &Nsec3, next: &[u8; nsec3::HASH], out: &mut Vec<u8>) {
    parameters.push_parameters(if parameters.opt_out { OPT_OUT } else { 0 }, out);
    out.push(next.len() as u8);
    out.extend_from_slice(next);
}

fn push<'r>(
    form: Form,
    owner: &[u8],
    ttl: u32,
    rtype: Rtype,
    covered: u16,
    rdata: impl Iterator<Item = &'r [u8]>,
    out: &mut Vec<u8>,
) {
    match form {
        // Signatures are RRsets by what they cover (RFC 2535, section 4.1), which readers check.
        Form::Raw if rtype == Rtype::SIG => rdata.for_each(|one| {
            let covered = one.first_chunk().map_or(0, |covered| u16::from_be_bytes(*covered));
            raw::push_rrset(owner, ttl, rtype, covered, std::iter::once(one), out);
        }),
        Form::Raw => raw::push_rrset(owner, ttl, rtype, covered, rdata, out),
        Form::Text => rdata.for_each(|rdata| text::push_record(owner, ttl, rtype, rdata, out)),
    }
}
