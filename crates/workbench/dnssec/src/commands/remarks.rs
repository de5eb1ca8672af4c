//! What `sign` and `verify` say of a zone that they take all the same.

use std::fmt::Display;
use std::ops::Range;

use fieldtest_catalog::Facts;
use fieldtest_catalog::facts::{Note, Severity};
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::zone::Role;
use serde::{Deserialize, Serialize};

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

/// What is said of a zone, or of a range of it, beside the work that was done.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Remarks {
    pub(super) names: usize,
    /// Records outside of the zone.
    pub(super) outside: usize,
    /// Wildcards with NS records.
    wildcards: Vec<String>,
}

impl Remarks {
    /// Of the owners at these places.
    pub(super) fn of(zone: &Zone, own: Range<usize>) -> Remarks {
        let outside = zone.owners_in(own.clone()).filter(|owner| owner.role() == Role::Outside);
        let wildcards = zone.wildcard_delegations().filter(|owner| own.contains(&owner.id().index()));
        Remarks {
            names: own.len(),
            outside: outside.flat_map(|owner| owner.rrsets()).map(|rrset| rrset.rdata().len()).sum(),
            wildcards: wildcards.map(|owner| owner.name().to_string()).collect(),
        }
    }

    /// Of the whole of it.
    pub(super) fn of_all(zone: &Zone) -> Remarks {
        Remarks::of(zone, 0..zone.owner_count())
    }

    /// Adds those of another range.
    pub(super) fn add(&mut self, other: Remarks) {
        self.names += other.names;
        self.outside += other.outside;
        self.wildcards.extend(other.wildcards);
    }

    /// What may make trouble elsewhere, though no specification forbids it.
    pub(super) fn warnings(&self) -> Vec<String> {
        let Some((first, others)) = self.wildcards.split_first() else { return Vec::new() };
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {}", output::count(more, "other wildcard")),
        };
        vec![format!(
            "{first}{more} with NS records: what they mean is open (RFC 4592, section 4.2), and BIND does not load the zone"
        )]
    }
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
