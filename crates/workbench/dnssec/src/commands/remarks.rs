//! What `sign` and `verify` say of a zone that they take all the same.

use std::fmt::Display;

use fieldtest_catalog::Facts;
use fieldtest_catalog::facts::{Note, Severity};
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::denial::{Denial, MAX_ITERATIONS, Nsec3};
use fieldtest_dnssec::zone::Owner;

use crate::output;

/// Says how many records lie outside the zone, if any do.
pub(super) fn tell_outside(zone: impl Display, outside: usize) {
    match outside {
        0 => {}
        outside => {
            let outside = output::count(outside, "record");
            output::message(&format!("left out, for being outside of {zone}: {outside}"));
        }
    }
}

/// What is said of a zone beside the work that was done.
pub(super) struct Remarks {
    pub(super) names: usize,
    /// Records outside of the zone.
    pub(super) outside: usize,
    /// Wildcards with NS records.
    wildcards: Vec<String>,
    /// DNAME records with data below.
    dnames: Vec<String>,
    /// Iterations of NSEC3.
    iterations: u16,
}

impl Remarks {
    /// Of a zone that denies in this way.
    pub(super) fn of(zone: &Zone, denial: &Denial) -> Remarks {
        let name = |owner: Owner<'_>| owner.name().to_string();
        Remarks {
            names: zone.owner_count(),
            outside: zone.outside(),
            wildcards: zone.wildcard_delegations().map(name).collect(),
            dnames: zone.dnames_above_data().map(name).collect(),
            iterations: match denial {
                Denial::Nsec3(Nsec3 { iterations, .. }) => *iterations,
                _ => 0,
            },
        }
    }

    /// What may make trouble elsewhere, though the zone can be read.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(names) = shortened(&self.wildcards, "other wildcard") {
            warnings.push(format!(
                "{names} with NS records: what they mean is open (RFC 4592, section 4.2), and BIND does not load the zone"
            ));
        }
        if let Some(names) = shortened(&self.dnames, "other name") {
            warnings.push(format!(
                "{names} with a DNAME record and data below: no zone has that (RFC 6672, section 2.4), and NSD and Knot do not load it"
            ));
        }
        if self.iterations > 0 {
            let unsigned = match self.iterations > MAX_ITERATIONS {
                true => format!(", and validators treat denials of more than {MAX_ITERATIONS} as unsigned"),
                false => String::new(),
            };
            warnings.push(format!(
                "NSEC3 with {}: RFC 9276, section 3.1, demands 0{unsigned}; sign with --nsec3 for none",
                output::count(self.iterations.into(), "iteration")
            ));
        }
        warnings
    }
}

/// The first of them and how many others there are, if there are any.
fn shortened(names: &[String], other: &str) -> Option<String> {
    let (first, others) = names.split_first()?;
    Some(match others.len() {
        0 => first.clone(),
        more => format!("{first} and {}", output::count(more, other)),
    })
}

/// That an algorithm is no longer to be relied on, if that is known.
pub(super) fn broken(facts: &Facts) -> Option<String> {
    let note = facts.notes.iter().find(|note| note.severity == Severity::Broken)?;
    let Note { date, text, source, .. } = note;
    Some(format!("{} protects nothing any more: {text} [{source}, {date}]", facts.title))
}

/// Says these warnings.
pub(super) fn tell(warnings: &[String]) {
    for warning in warnings {
        output::message(&format!("warning: {warning}"));
    }
}
