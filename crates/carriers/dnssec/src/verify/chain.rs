//! Which denial of existence a zone has, and whether its NSEC chain is exactly right.

use std::fmt::Write;

use super::{Findings, shown};
use crate::bitmap;
use crate::denial::nsec3;
use crate::denial::{Nsec3, View};
use crate::name;
use crate::rtype::Rtype;
use crate::zone::Owner;

pub(super) struct Claimed {
    pub(super) nsec: bool,
    /// The parameters of each complete NSEC3 chain.
    pub(super) nsec3: Vec<Nsec3>,
}

/// A zone with NSEC3PARAM has an NSEC3 chain; one with any NSEC record, or with nothing at all, has an NSEC chain.
pub(super) fn denial(view: &View<'_>, findings: &mut Findings) -> Claimed {
    let has = |rtype| view.zone.owners().any(|owner| owner.rrset(rtype).is_some());
    let apex = view.zone.owner(view.apex);
    let mut chains = Vec::new();
    for rdata in apex.rrset(Rtype::NSEC3PARAM).into_iter().flat_map(|rrset| rrset.rdata()) {
        match nsec3::parameters(rdata) {
            Some((parameters, [], 0)) => {
                if parameters.iterations > nsec3::MAX_ITERATIONS {
                    let what = format!(
                        "{} iterations: validators treat denials of more than {} as unsigned (RFC 9276, section 3.2)",
                        parameters.iterations,
                        nsec3::MAX_ITERATIONS
                    );
                    findings.add(apex, Rtype::NSEC3PARAM, what);
                }
                chains.push(parameters);
            }
            // RFC 5155, section 4.1.2: records with other flags announce chains that are not complete.
            Some((_, [], _)) => {}
            _ => findings.add(
                apex,
                Rtype::NSEC3PARAM,
                "the record is malformed, or its hash function is not SHA-1",
            ),
        }
    }
    let mut nsec = has(Rtype::NSEC);
    if !nsec && chains.is_empty() {
        if has(Rtype::NSEC3) {
            findings.add(apex, Rtype::NSEC3PARAM, "there are NSEC3 records, but no NSEC3PARAM record");
        } else {
            // Unsigned zones are told so by their missing keys.
            nsec = apex.rrset(Rtype::DNSKEY).is_some();
        }
    }
    Claimed { nsec, nsec3: chains }
}

pub(super) fn check_nsec(view: &View<'_>, owner: Owner<'_>, scratch: &mut Types, findings: &mut Findings) {
    let owner = view.zone.owner(owner.id());
    let rrset = owner.rrset(Rtype::NSEC);
    if !view.in_chain(owner) {
        if rrset.is_some() {
            findings.add(owner, Rtype::NSEC, "a name without data of the zone's own has no NSEC record");
        }
        return;
    }
    let Some(rrset) = rrset else {
        findings.add(owner, Rtype::NSEC, "the record is missing");
        return;
    };
    if rrset.rdata().len() > 1 {
        findings.add(owner, Rtype::NSEC, "there is more than one record");
    }
    let expected = view.nsec_next(owner);
    scratch.expected.clear();
    view.push_nsec_types(owner, &mut scratch.expected);
    for rdata in rrset.rdata() {
        let Some(len) = name::wire_len(rdata) else {
            findings.add(owner, Rtype::NSEC, "the record holds no name");
            continue;
        };
        let (next, given) = rdata.split_at(len);
        if !next.eq_ignore_ascii_case(expected) {
            let what = format!("the next name is {}, expected {}", shown(next), shown(expected));
            findings.add(owner, Rtype::NSEC, what);
        }
        if let Some(what) = scratch.compare(given) {
            findings.add(owner, Rtype::NSEC, what);
        }
    }
}

/// The types that a bitmap should list, and room to encode them.
#[derive(Default)]
pub(super) struct Types {
    pub(super) expected: Vec<Rtype>,
    bitmap: Vec<u8>,
}

impl Types {
    fn compare(&mut self, given: &[u8]) -> Option<String> {
        self.bitmap.clear();
        bitmap::push(&mut self.expected, &mut self.bitmap);
        difference(&self.bitmap, given)
    }
}

/// Says how a bitmap differs from the one that is expected, if it does.
pub(super) fn difference(expected: &[u8], given: &[u8]) -> Option<String> {
    if expected == given {
        return None;
    }
    let Ok(given) = bitmap::iter(given).collect::<Result<Vec<Rtype>, _>>() else {
        return Some("the bitmap is malformed".into());
    };
    let expected: Vec<Rtype> = bitmap::iter(expected).map_while(Result::ok).collect();
    let list = |these: &[Rtype], without: &[Rtype]| {
        these.iter().filter(|rtype| !without.contains(rtype)).fold(String::new(), |mut text, rtype| {
            let _ = write!(text, "{}{rtype}", if text.is_empty() { "" } else { ", " });
            text
        })
    };
    let (extra, missing) = (list(&given, &expected), list(&expected, &given));
    Some(match (extra.is_empty(), missing.is_empty()) {
        (false, true) => format!("the bitmap lists {extra}, which does not exist"),
        (true, false) => format!("the bitmap does not list {missing}, which exists"),
        _ => format!("the bitmap lists {extra}, which does not exist, and does not list {missing}"),
    })
}
