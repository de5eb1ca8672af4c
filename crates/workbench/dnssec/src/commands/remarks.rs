//! What `sign` and `verify` say of a zone that they take all the same.

use std::fmt::Display;

use fieldtest_catalog::Facts;
use fieldtest_catalog::facts::{Note, Severity};
use fieldtest_dnssec::Zone;

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

/// What may make trouble elsewhere, though no specification forbids it.
pub(super) fn warnings(zone: &Zone) -> Vec<String> {
    let mut wildcards = zone.wildcard_delegations();
    let first = wildcards.next().map(|first| wildcards_said(first.name(), wildcards.count()));
    first.into_iter().collect()
}

/// The warning of wildcards with NS records: the first, and how many others there are.
pub(super) fn wildcards_said(first: impl Display, more: usize) -> String {
    let more = match more {
        0 => String::new(),
        more => format!(" and {}", output::count(more, "other wildcard")),
    };
    format!(
        "{first}{more} with NS records: what they mean is open (RFC 4592, section 4.2), and BIND does not load the zone"
    )
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
