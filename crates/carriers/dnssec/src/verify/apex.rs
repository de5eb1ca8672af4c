//! The keys that a zone publishes.

use std::collections::BTreeSet;

use fieldtest_kinds::signature::VerifyingKey;

use super::{Findings, Options};
use crate::cds::{self, Published};
use crate::codepoints::CodePoint;
use crate::keys::{self, PROTOCOL, REVOKED, SECURE_ENTRY_POINT, ZONE_KEY};
use crate::rtype::Rtype;
use crate::zone::Owner;

/// Algorithms are members of a set in one word.
const MOST_ALGORITHMS: usize = 64;

pub(super) struct Keys<'a> {
    pub(super) keys: Vec<Key>,
    /// The algorithms of the keys that may sign the zone.
    pub(super) algorithms: Vec<Algorithm>,
    apex: Owner<'a>,
    anchors: &'a [Vec<u8>],
}

pub(super) struct Algorithm {
    pub(super) code_point: CodePoint,
    pub(super) supported: bool,
}

pub(super) struct Key {
    pub(super) tag: u16,
    pub(super) number: u8,
    pub(super) algorithm: usize,
    rdata: Vec<u8>,
    flags: u16,
    /// `None` if there is no implementation, or if the key is malformed.
    pub(super) verifying: Option<Box<dyn VerifyingKey>>,
}

impl Key {
    /// A revoked key is good for its own DNSKEY RRset only (RFC 5011, section 2.1).
    pub(super) fn is_revoked(&self) -> bool {
        self.flags & REVOKED != 0
    }

    fn has_sep(&self) -> bool {
        self.flags & SECURE_ENTRY_POINT != 0
    }

    pub(super) fn is_entry(&self) -> bool {
        self.has_sep() && !self.is_revoked()
    }
}

impl<'a> Keys<'a> {
    pub(super) fn of(apex: Owner<'a>, options: &'a Options<'_, '_>, findings: &mut Findings) -> Keys<'a> {
        let mut keys = Keys { keys: Vec::new(), algorithms: Vec::new(), apex, anchors: options.anchors };
        let Some(rrset) = apex.rrset(Rtype::DNSKEY) else {
            findings.add(apex, Rtype::DNSKEY, "the zone has no key; it is not signed");
            return keys;
        };
        for rdata in rrset.rdata() {
            if let Err(what) = keys.push(rdata, options) {
                findings.add(apex, Rtype::DNSKEY, format!("the key with tag {}: {what}", keys::tag(rdata)));
            }
        }
        if keys.algorithms.is_empty() && findings.list.is_empty() {
            findings.add(apex, Rtype::DNSKEY, "no key has the zone flag, so none may sign");
        }
        keys
    }

    fn push(&mut self, rdata: &[u8], options: &Options<'_, '_>) -> Result<(), String> {
        let [high, low, protocol, number, public @ ..] = rdata else {
            return Err("the record is too short to be one".into());
        };
        let flags = u16::from_be_bytes([*high, *low]);
        if flags & ZONE_KEY == 0 {
            return Ok(());
        }
        if *protocol != PROTOCOL {
            return Err(format!("the protocol is {protocol}, but must be 3"));
        }
        let (code_point, prefix) = CodePoint::of_record(*number, public).ok_or(
            "the key does not begin with a name or object identifier, as required for algorithms 253 and 254",
        )?;
        let implementation = (options.resolve)(&code_point);
        let verifying = implementation.map(|it| keys::prepared(it, &public[prefix..])).transpose();
        let known = self.algorithms.iter().position(|algorithm| algorithm.code_point == code_point);
        let algorithm = match known {
            Some(known) => known,
            None if self.algorithms.len() == MOST_ALGORITHMS => {
                return Err(format!("keys of more than {MOST_ALGORITHMS} algorithms; this one is ignored"));
            }
            None => {
                self.algorithms.push(Algorithm { code_point, supported: implementation.is_some() });
                self.algorithms.len() - 1
            }
        };
        let (verifying, fault) = match verifying {
            Ok(verifying) => (verifying, None),
            Err(what) => (None, Some(what)),
        };
        let tag = keys::tag(rdata);
        self.keys.push(Key { tag, number: *number, algorithm, rdata: rdata.to_vec(), flags, verifying });
        fault.map_or(Ok(()), Err)
    }

    /// Keys that a signature's key tag and algorithm number mean: usually one (RFC 4034, appendix B).
    pub(super) fn matching(&self, tag: u16, number: u8) -> impl Iterator<Item = (usize, &Key)> {
        self.keys.iter().enumerate().filter(move |(_, key)| key.tag == tag && key.number == number)
    }

    /// The algorithm of a signature, with the length of the prefix in front of the signature proper.
    pub(super) fn algorithm_of(&self, number: u8, signature: &[u8]) -> Option<(usize, usize)> {
        self.algorithms.iter().enumerate().find_map(|(at, algorithm)| {
            algorithm.code_point.prefix_in(number, signature).map(|prefix| (at, prefix))
        })
    }

    /// Checks that the chain of trust can enter the zone: by a key with the SEP bit, or by the given anchors.
    pub(super) fn check_entry(&self, signers: &[usize], findings: &mut Findings) {
        let unsupported = self.algorithms.iter().any(|algorithm| !algorithm.supported);
        if self.algorithms.is_empty() || (signers.is_empty() && unsupported) {
            return;
        }
        if self.anchors.is_empty() {
            let signing = || signers.iter().map(|at| &self.keys[*at]);
            if signing().any(Key::is_entry) {
                return;
            }
            let what = match signing().any(Key::has_sep) {
                false => "no key with the SEP flag signs the DNSKEY RRset",
                true => {
                    "each key with the SEP flag that signs the DNSKEY RRset is revoked (RFC 5011, section 2.1)"
                }
            };
            findings.add(self.apex, Rtype::DNSKEY, what);
        } else {
            let name = self.apex.name();
            let unknown: BTreeSet<u8> =
                self.anchors.iter().filter_map(|ds| keys::unknown_digest(ds)).collect();
            let mut aside = match unknown.is_empty() {
                true => String::new(),
                false => format!(
                    "; DS records with a digest of type {} are ignored (RFC 4035, section 5.2)",
                    unknown.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
                ),
            };
            // For the whole set, as in RFC 4509, section 3: else whoever can make SHA-1 collide would choose
            // it. Without this, a right SHA-1 and a wrong SHA-256 record of one key were secure here, and
            // bogus for BIND (November 2026).
            let has = |digest: u8| self.anchors.iter().any(|ds| ds.get(3) == Some(&digest));
            let ignores_sha1 = has(1) && (has(2) || has(4));
            if ignores_sha1 {
                aside += "; SHA-1 is ignored next to SHA-256 or SHA-384 (RFC 4509, section 3)";
            }
            let followed = || self.anchors.iter().filter(|ds| !ignores_sha1 || ds.get(3) != Some(&1));
            let anchored =
                |key: &Key| followed().any(|ds| keys::ds_means(&name, &key.rdata, ds) == Some(true));
            if !self.keys.iter().any(anchored) {
                let what = match self.anchors.iter().all(|ds| keys::unknown_digest(ds).is_some()) {
                    true => "no given DS record has a digest of a known type, so the zone is insecure",
                    false => "no key matches a given DS record",
                };
                findings.add(self.apex, Rtype::DNSKEY, format!("{what}{aside}"));
            } else if !signers.iter().any(|at| anchored(&self.keys[*at])) {
                let what = "the key that matches a given DS record does not sign the DNSKEY RRset";
                findings.add(self.apex, Rtype::DNSKEY, what);
            }
        }
    }

    /// Checks that every revoked entry key says so itself (RFC 5011, section 2.1).
    pub(super) fn check_revoked(&self, signers: &[usize], findings: &mut Findings) {
        for (at, key) in self.keys.iter().enumerate() {
            if key.is_revoked() && key.has_sep() && key.verifying.is_some() && !signers.contains(&at) {
                let what = format!("the revoked key {} does not sign the DNSKEY RRset", key.tag);
                findings.add(self.apex, Rtype::DNSKEY, what);
            }
        }
    }

    /// Checks what the zone asks its parent for, and that a key which the parent knows signs it.
    pub(super) fn check_requests(
        &self,
        signers: &[usize],
        request_signers: &[(Rtype, usize)],
        findings: &mut Findings,
    ) {
        let rrsets = || cds::TYPES.into_iter().filter_map(|rtype| self.apex.rrset(rtype));
        let records: Vec<(Rtype, &[u8])> =
            rrsets().flat_map(|rrset| rrset.rdata().map(move |rdata| (rrset.rtype(), rdata))).collect();
        if self.keys.is_empty() || records.is_empty() {
            return;
        }
        let published: Vec<Published<'_>> = self
            .keys
            .iter()
            .enumerate()
            .map(|(at, key)| Published {
                dnskey: &key.rdata,
                signs: key.verifying.is_some().then(|| signers.contains(&at)),
            })
            .collect();
        for (rtype, what) in cds::faults(&self.apex.name(), &records, &published) {
            findings.add(self.apex, rtype, what);
        }
        for rtype in rrsets().map(|rrset| rrset.rtype()) {
            let mut by = request_signers.iter().filter(|(signed, _)| *signed == rtype).map(|(_, key)| key);
            let first = by.next();
            if first.into_iter().chain(by).all(|key| !signers.contains(key)) && first.is_some() {
                let what = "no key that signs the DNSKEY RRset signs it (RFC 7344, section 4.1)";
                findings.add(self.apex, rtype, what);
            }
        }
    }

    /// Algorithms without an implementation, each with its number of signatures.
    pub(super) fn unsupported(&self, counts: &[u64]) -> impl Iterator<Item = (CodePoint, u64)> {
        self.algorithms
            .iter()
            .zip(counts)
            .filter(|(algorithm, _)| !algorithm.supported)
            .map(|(algorithm, count)| (algorithm.code_point.clone(), *count))
    }
}
