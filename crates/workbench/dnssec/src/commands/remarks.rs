//! What `sign` and `verify` say of a zone that they take all the same.

use std::fmt::Display;

use fieldtest_catalog::Facts;
use fieldtest_catalog::facts::{Note, Severity};
use fieldtest_dnssec::denial::{Denial, MAX_ITERATIONS, Nsec3};
use fieldtest_dnssec::zone::{Owner, Role, Rrset};
use fieldtest_dnssec::{Name, Rtype, Zone};

use crate::output;

pub(super) fn tell_outside(zone: impl Display, outside: usize) {
    match outside {
        0 => {}
        outside => {
            let outside = output::count(outside, "record");
            output::message(&format!("ignored, since outside {zone}: {outside}"));
        }
    }
}

/// What is said of names: which they are, what others are called, and the rest of the sentence.
type Oddity = (fn(Owner<'_>) -> bool, &'static str, &'static str);

const ODDITIES: [Oddity; 6] = [
    (
        |owner| owner.role() == Role::Delegation && owner.servers_without_address().next().is_some(),
        "other delegation",
        "with name servers in this zone without A or AAAA records: resolvers cannot reach them",
    ),
    (
        |owner| owner.is_request_below_apex(),
        "other name",
        "with CDS or CDNSKEY records: parents read them only at the apex (RFC 7344, section 4.1)",
    ),
    (
        |owner| secures(owner, |ds| ds.rdata().all(is_sha1)),
        "other delegation",
        "with SHA-1 as the only digest of DS records, which must not be used (RFC 8624, section 3.3; RFC 9904)",
    ),
    (
        |owner| secures(owner, |ds| ds.rdata().any(|ds| matches!(ds.get(2), Some(5 | 7)))),
        "other delegation",
        "with DS records of RSA with SHA-1: validators ignore them (RFC 9905, section 2)",
    ),
    (
        |owner| owner.is_wildcard_delegation(),
        "other wildcard",
        "with NS records: their meaning is undefined (RFC 4592, section 4.2), and BIND does not load the zone",
    ),
    (
        |owner| owner.is_dname_above_data(),
        "other name",
        "with a DNAME record and data below, which is not allowed (RFC 6672, section 2.4): NSD and Knot do not load it",
    ),
];

fn secures(owner: Owner<'_>, with: fn(Rrset<'_>) -> bool) -> bool {
    owner.role() == Role::Delegation && owner.rrset(Rtype::DS).is_some_and(with)
}

/// What is said of a zone beside the work that was done.
pub(super) struct Remarks {
    pub(super) outside: usize,
    /// What may make trouble elsewhere, though the zone can be read.
    pub(super) warnings: Vec<String>,
}

impl Remarks {
    pub(super) fn of(zone: &Zone, denial: &Denial) -> Remarks {
        let apex = zone.find(zone.apex().as_wire());
        let unserved = apex
            .filter(|apex| apex.rrset(Rtype::NS).is_none())
            .map(|_| format!("{} has no NS records: BIND and Knot do not load the zone", zone.apex()));
        let unreached = apex.into_iter().flat_map(Owner::servers_without_address);
        let unreached = shortened(unreached, "other name server").map(|names| {
            format!(
                "{names} in NS records of the apex, without A or AAAA records: BIND does not load the zone"
            )
        });
        let mut found: [Option<(Name, usize)>; ODDITIES.len()] = std::array::from_fn(|_| None);
        for owner in zone.owners() {
            for ((is_one, ..), found) in ODDITIES.iter().zip(&mut found) {
                match found {
                    _ if !is_one(owner) => {}
                    Some((_, others)) => *others += 1,
                    None => *found = Some((owner.name(), 0)),
                }
            }
        }
        let odd = ODDITIES.iter().zip(&found).filter_map(|((_, other, what), found)| {
            let (first, others) = found.as_ref()?;
            Some(format!("{} {what}", and_others(first, *others, other)))
        });
        let mut warnings: Vec<String> = unserved.into_iter().chain(unreached).chain(odd).collect();
        if let Some((owner, count)) = zone.long_ttls() {
            warnings.push(format!(
                "{} with a TTL of more than 2147483647 seconds, read as 0 (RFC 2181, section 8); the first is at {owner}",
                output::count(count, "record")
            ));
        }
        if let Denial::Nsec3(Nsec3 { iterations: iterations @ 1.., .. }) = denial {
            let unsigned = match *iterations > MAX_ITERATIONS {
                true => format!(", and validators treat denials of more than {MAX_ITERATIONS} as unsigned"),
                false => String::new(),
            };
            warnings.push(format!(
                "NSEC3 with {}: RFC 9276, section 3.1, demands 0{unsigned}; sign with --nsec3 for none",
                output::count((*iterations).into(), "iteration")
            ));
        }
        Remarks { outside: zone.outside(), warnings }
    }
}

pub(super) fn is_sha1(ds: &[u8]) -> bool {
    ds.get(3) == Some(&1)
}

/// The first of them and how many others there are, if there are any.
pub(super) fn shortened(mut names: impl Iterator<Item: Display>, other: &str) -> Option<String> {
    let first = names.next()?;
    Some(and_others(first, names.count(), other))
}

fn and_others(first: impl Display, others: usize, other: &str) -> String {
    match others {
        0 => first.to_string(),
        more => format!("{first} and {}", output::count(more, other)),
    }
}

/// That an algorithm is no longer to be relied on, if that is known.
pub(super) fn broken(facts: &Facts) -> Option<String> {
    let note = facts.notes.iter().find(|note| note.severity == Severity::Broken)?;
    let Note { date, text, source, .. } = note;
    Some(format!("{} no longer protects anything: {text} [{source}, {date}]", facts.title))
}

pub(super) fn tell(warnings: &[String]) {
    for warning in warnings {
        output::message(&format!("warning: {warning}"));
    }
}
