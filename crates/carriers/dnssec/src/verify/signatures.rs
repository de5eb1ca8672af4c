//! Every signature of a zone, in blocks of owner names that are checked in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::apex::Keys;
use super::chain::{Types, check_nsec};
use super::{Findings, shown};
use crate::denial::{View, is_signed};
use crate::placement;
use crate::rdata::push_time;
use crate::rrsig::{self, Rrsig};
use crate::rtype::Rtype;
use crate::servable;
use crate::zone::{Owner, Role, Rrset};

pub(super) const BLOCK: usize = 32;

/// Keys with the same tag and algorithm that are tried for a signature: as many as BIND validates per fetch
/// (`max-validations-per-fetch`, 16 in its source of August 2026).
const MOST_OF_A_TAG: usize = 16;

pub(super) struct Check<'c, 'z> {
    pub(super) view: &'c View<'z>,
    pub(super) keys: &'c Keys<'c>,
    pub(super) now: Option<u32>,
    /// Whether each name's NSEC record is checked as well.
    pub(super) nsec: bool,
}

#[derive(Default)]
pub(super) struct Checked {
    pub(super) signatures: u64,
    pub(super) rrsets: u64,
    pub(super) foreign: u64,
    /// Signatures of each algorithm of [`Keys::algorithms`] that could not be checked.
    pub(super) unchecked: Vec<u64>,
    /// The keys whose signature of the DNSKEY RRset is good.
    pub(super) dnskey_signers: Vec<usize>,
    /// The keys whose signatures of CDS and CDNSKEY at the apex are good.
    pub(super) request_signers: Vec<(Rtype, usize)>,
    pub(super) findings: Findings,
}

/// What blocks are worked out in; used again for the next block.
#[derive(Default)]
struct Scratch<'z> {
    messages: Vec<u8>,
    rrsets: Vec<Signed<'z>>,
    /// One per key.
    batches: Vec<Vec<Job<'z>>>,
    types: Types,
}

struct Signed<'z> {
    rrset: Rrset<'z>,
    /// Algorithms of which a signature is good, could not be checked, or has a finding already.
    settled: u64,
    foreign: bool,
}

/// A signature that only its key can judge.
struct Job<'z> {
    rrset: usize,
    algorithm: usize,
    message: Range<usize>,
    signature: &'z [u8],
}

impl<'c, 'z> Check<'c, 'z> {
    pub(super) fn in_turn(&self) -> Checked {
        let mut scratch = Scratch::default();
        let blocks = self.blocks().map(|block| self.block(block, &mut scratch));
        blocks.fold(Checked::default(), Checked::with)
    }

    /// Checks all of them in the current rayon pool.
    pub(super) fn in_parallel(&self) -> Checked {
        let blocks: Vec<Range<usize>> = self.blocks().collect();
        blocks
            .into_par_iter()
            .map_init(Scratch::default, |scratch, block| self.block(block, scratch))
            .reduce(Checked::default, Checked::with)
    }

    fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let end = self.view.zone.owner_count();
        (0..end).step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
    }

    fn block(&self, block: Range<usize>, scratch: &mut Scratch<'z>) -> Checked {
        let mut checked = Checked { unchecked: vec![0; self.keys.algorithms.len()], ..Checked::default() };
        scratch.messages.clear();
        scratch.rrsets.clear();
        scratch.batches.iter_mut().for_each(Vec::clear);
        scratch.batches.resize_with(self.keys.keys.len(), Vec::new);
        for owner in self.view.zone.owners_in(block) {
            self.lay_out(owner, scratch, &mut checked);
            if self.nsec {
                check_nsec(self.view, owner, &mut scratch.types, &mut checked.findings);
            }
        }
        for key in 0..self.keys.keys.len() {
            self.verify_batch(key, scratch, &mut checked);
        }
        self.demand_every_algorithm(scratch, &mut checked);
        checked
    }

    /// Collects an owner's RRsets and judges of its signatures what can be judged without cryptography.
    fn lay_out(&self, owner: Owner<'z>, scratch: &mut Scratch<'z>, checked: &mut Checked) {
        let first = scratch.rrsets.len();
        for rrset in owner.rrsets() {
            let must_be_signed = self.must_be_signed(owner, rrset.rtype());
            if let Some(what) = placement::fault(rrset, must_be_signed) {
                checked.findings.add(owner, rrset.rtype(), what);
            }
            if must_be_signed {
                scratch.rrsets.push(Signed { rrset, settled: 0, foreign: false });
            }
        }
        checked.rrsets += (scratch.rrsets.len() - first) as u64;
        self.check_lengths(owner, checked);
        for (ttl, rdata) in owner.rrset(Rtype::RRSIG).into_iter().flat_map(|rrset| rrset.records()) {
            let Some(rrsig) = Rrsig::parse(rdata) else {
                checked.findings.add(owner, Rtype::RRSIG, "the record is malformed");
                continue;
            };
            // By type, as a hostile name may have all 65,536.
            let at =
                scratch.rrsets[first..].binary_search_by_key(&rrsig.covered, |signed| signed.rrset.rtype());
            match at {
                Ok(at) => {
                    let expected = scratch.rrsets[first + at].rrset.ttl();
                    // A finding of its own, which leaves the signature to be judged: validators do not look at it.
                    if ttl != expected {
                        let by = self.by(&rrsig);
                        let what = format!(
                            "{by}: its TTL is {ttl}, but that of what it covers is {expected} (RFC 4034, section 3)"
                        );
                        checked.findings.add(owner, rrsig.covered, what);
                    }
                    self.take(owner, first + at, &rrsig, scratch, checked);
                }
                Err(_) => {
                    let what = match owner.rrset(rrsig.covered) {
                        None => "there is a signature, but no such record",
                        Some(_) => self.why_unsigned(owner.role()),
                    };
                    checked.findings.add(owner, rrsig.covered, what);
                }
            }
        }
    }

    /// Finds RRsets that fit into no message, as the signer refuses them.
    fn check_lengths(&self, owner: Owner<'z>, checked: &mut Checked) {
        // Nearly always a name's records fit all together.
        let octets: usize =
            owner.rrsets().flat_map(|rrset| rrset.rdata()).map(|rdata| rdata.len() + 300).sum();
        if octets < usize::from(u16::MAX) / 2 {
            return;
        }
        // In canonical order, and so by the type they cover.
        let rrsigs: Vec<(u16, usize)> = owner
            .rrset(Rtype::RRSIG)
            .into_iter()
            .flat_map(|rrset| rrset.rdata())
            .map(|rdata| (rdata.first_chunk().map_or(0, |covered| u16::from_be_bytes(*covered)), rdata.len()))
            .collect();
        for rrset in owner.rrsets().filter(|rrset| rrset.rtype() != Rtype::RRSIG) {
            let rtype = rrset.rtype();
            let excess = if self.must_be_signed(owner, rtype) || rtype == Rtype::NS {
                let from = rrsigs.partition_point(|(covered, _)| *covered < rtype.0);
                let to = rrsigs.partition_point(|(covered, _)| *covered <= rtype.0);
                let lengths = rrsigs[from..to].iter().map(|(_, len)| *len);
                servable::excess(owner.wire(), rtype, rrset.rdata(), lengths)
            } else {
                rrset.rdata().find_map(|rdata| {
                    servable::excess(owner.wire(), rtype, std::iter::once(rdata), std::iter::empty())
                })
            };
            if let Some(octets) = excess {
                let what = format!(
                    "the answer would have {octets} bytes or more, and no DNS message has more than 65,535"
                );
                checked.findings.add(owner, rtype, what);
            }
        }
    }

    /// NSEC3 records stand right below the apex even where a DNAME at the apex hides all other names there.
    fn must_be_signed(&self, owner: Owner<'z>, rtype: Rtype) -> bool {
        is_signed(owner.role(), rtype) || (rtype == Rtype::NSEC3 && owner.role() == Role::Occluded)
    }

    fn why_unsigned(&self, role: Role) -> &'static str {
        match role {
            Role::Authoritative => "a signature covers signatures",
            Role::Delegation => "a signature covers data of a delegation, which belongs to the child zone",
            Role::Occluded => "a signature covers glue, or data that a DNAME hides",
            Role::Outside => "a signature covers data outside the zone",
        }
    }

    fn take(
        &self,
        owner: Owner<'z>,
        at: usize,
        rrsig: &Rrsig<'z>,
        scratch: &mut Scratch<'z>,
        checked: &mut Checked,
    ) {
        let signed = &mut scratch.rrsets[at];
        let Some((algorithm, prefix)) = self.keys.algorithm_of(rrsig.algorithm, rrsig.signature) else {
            signed.foreign = true;
            checked.foreign += 1;
            return;
        };
        let apex = self.view.zone.apex().as_wire();
        let mut faults = Vec::new();
        let labels = rrsig::labels(owner.wire());
        if rrsig.labels != labels {
            faults.push(format!("the labels field is {}, expected {labels}", rrsig.labels));
        }
        if rrsig.original_ttl != signed.rrset.ttl() {
            faults.push(format!(
                "the original TTL is {}, but the TTL is {}",
                rrsig.original_ttl,
                signed.rrset.ttl()
            ));
        }
        if !rrsig.signer.eq_ignore_ascii_case(apex) {
            faults.push(format!("the signer is {}, expected {}", shown(rrsig.signer), shown(apex)));
        }
        // Serial number arithmetic (RFC 4034, section 3.1.5).
        let after = |a: u32, b: u32| a.wrapping_sub(b).cast_signed() > 0;
        let early = self.now.is_some_and(|now| after(rrsig.inception, now));
        let late = self.now.is_some_and(|now| after(now, rrsig.expiration));
        if early {
            faults.push(format!("not valid before {}", time(rrsig.inception)));
        }
        if late {
            faults.push(format!("expired on {}", time(rrsig.expiration)));
        }
        // More than 2³¹ seconds apart, the two may embrace this moment and be in the wrong order all the same.
        if !early && !late && after(rrsig.inception, rrsig.expiration) {
            faults.push("the expiration is before the inception".to_owned());
        }
        if !faults.is_empty() {
            signed.settled |= 1 << algorithm;
            let by = self.by(rrsig);
            for fault in faults {
                checked.findings.add(owner, rrsig.covered, format!("{by}: {fault}"));
            }
            return;
        }
        if !self.keys.algorithms[algorithm].supported {
            signed.settled |= 1 << algorithm;
            checked.unchecked[algorithm] += 1;
            return;
        }
        let start = scratch.messages.len();
        rrsig.push_prefix(apex, &mut scratch.messages);
        let rrset = signed.rrset;
        rrsig::push_rrset(
            owner.wire(),
            rrset.rtype(),
            rrsig.original_ttl,
            rrset.rdata(),
            &mut scratch.messages,
        );
        let message = start..scratch.messages.len();
        let signature = &rrsig.signature[prefix..];
        let dnskey = rrset.rtype() == Rtype::DNSKEY && owner.id() == self.view.apex;
        let mut matching = self
            .keys
            .matching(rrsig.key_tag, rrsig.algorithm)
            .filter(|(_, key)| key.algorithm == algorithm && (dnskey || !key.is_revoked()));
        match (matching.next(), matching.next()) {
            (None, _) => {
                signed.foreign = true;
                checked.foreign += 1;
            }
            (Some((key, _)), None) => {
                scratch.batches[key].push(Job { rrset: at, algorithm, message, signature });
            }
            // Keys with the same tag: any of them may have made it. A zone with very many of them is made to waste
            // time (CVE-2023-50387).
            (Some(first), Some(second)) => {
                signed.settled |= 1 << algorithm;
                let message = &scratch.messages[message];
                let good =
                    [first, second].into_iter().chain(matching.take(MOST_OF_A_TAG - 2)).find(|(_, key)| {
                        key.verifying.as_ref().is_some_and(|key| key.verify(message, signature).is_ok())
                    });
                match good {
                    Some((key, _)) => {
                        checked.signatures += 1;
                        self.note_signer(rrset, key, checked);
                    }
                    None => {
                        let what = format!("{}: the signature does not verify", self.by(rrsig));
                        checked.findings.add(owner, rrsig.covered, what);
                    }
                }
            }
        }
    }

    fn verify_batch(&self, at: usize, scratch: &mut Scratch<'z>, checked: &mut Checked) {
        let Scratch { messages, rrsets, batches, .. } = scratch;
        let jobs = &batches[at];
        let key = &self.keys.keys[at];
        let pairs: Vec<(&[u8], &[u8])> =
            jobs.iter().map(|job| (&messages[job.message.clone()], job.signature)).collect();
        let mut from = 0;
        while from < jobs.len() {
            // A malformed key has its own finding at the apex, and none of its signatures verifies.
            let failed = match &key.verifying {
                Some(verifying) => verifying.verify_many(&pairs[from..]).err(),
                None => Some((0, fieldtest_kinds::Error::InvalidSignature)),
            };
            let good_until =
                failed.as_ref().map_or(jobs.len(), |(position, _)| (from + position).min(jobs.len()));
            for job in &jobs[from..good_until] {
                let signed = &mut rrsets[job.rrset];
                signed.settled |= 1 << job.algorithm;
                checked.signatures += 1;
                self.note_signer(signed.rrset, at, checked);
            }
            from = good_until;
            if let (Some((_, error)), Some(job)) = (failed, jobs.get(from)) {
                let signed = &mut rrsets[job.rrset];
                signed.settled |= 1 << job.algorithm;
                let code_point = &self.keys.algorithms[job.algorithm].code_point;
                let what = format!("the signature of algorithm {code_point} by key {}: {error}", key.tag);
                checked.findings.add(signed.rrset.owner(), signed.rrset.rtype(), what);
                from += 1;
            }
        }
    }

    fn note_signer(&self, rrset: Rrset<'z>, key: usize, checked: &mut Checked) {
        match rrset.rtype() {
            _ if rrset.owner().id() != self.view.apex => {}
            Rtype::DNSKEY => checked.dnskey_signers.push(key),
            rtype @ (Rtype::CDS | Rtype::CDNSKEY) => checked.request_signers.push((rtype, key)),
            _ => {}
        }
    }

    /// RFC 4035, section 2.2: every RRset is signed with each algorithm of the DNSKEY RRset. A finding here,
    /// though validators must not insist on it (RFC 6840, section 5.11), since signers must comply.
    fn demand_every_algorithm(&self, scratch: &Scratch<'z>, checked: &mut Checked) {
        for signed in &scratch.rrsets {
            for (at, algorithm) in self.keys.algorithms.iter().enumerate() {
                if signed.settled & (1 << at) == 0 {
                    let foreign =
                        if signed.foreign { ", only one by a key that is not published" } else { "" };
                    let what =
                        format!("there is no signature of algorithm {}{foreign}", algorithm.code_point);
                    checked.findings.add(signed.rrset.owner(), signed.rrset.rtype(), what);
                }
            }
        }
    }

    fn by(&self, rrsig: &Rrsig<'_>) -> String {
        format!("the signature of algorithm {} by key {}", rrsig.algorithm, rrsig.key_tag)
    }
}

impl Checked {
    pub(super) fn with(mut self, other: Checked) -> Checked {
        self.signatures += other.signatures;
        self.rrsets += other.rrsets;
        self.foreign += other.foreign;
        self.unchecked.resize(self.unchecked.len().max(other.unchecked.len()), 0);
        self.unchecked.iter_mut().zip(other.unchecked).for_each(|(mine, theirs)| *mine += theirs);
        self.dnskey_signers.extend(other.dnskey_signers);
        self.request_signers.extend(other.request_signers);
        self.findings.list.extend(other.findings.list);
        self
    }
}

/// `2026-08-31 12:00:00 UTC`.
fn time(seconds: u32) -> String {
    let mut digits = Vec::new();
    push_time(seconds, &mut digits);
    let text = String::from_utf8_lossy(&digits);
    let part = |range: Range<usize>| text.get(range).unwrap_or("?");
    let (date, clock) = ([part(0..4), part(4..6), part(6..8)], [part(8..10), part(10..12), part(12..14)]);
    format!("{} {} UTC", date.join("-"), clock.join(":"))
}
