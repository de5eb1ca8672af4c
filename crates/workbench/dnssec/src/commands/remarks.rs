//! What `sign` and `verify` say of a zone that they take all the same.

use fieldtest_catalog::Facts;
use fieldtest_catalog::facts::{Note, Severity};
use fieldtest_dnssec::Zone;

use crate::output;

/// Says how many records lie outside the zone, if any do.
pub(super) fn tell_outside(zone: &Zone) {
    match zone.outside() {
        0 => {}
        outside => {
            let outside = output::count(outside, "record");
            output::message(&format!("left out, for being outside of {}: {outside}", zone.apex()));
        }
    }
}

/// What may make trouble elsewhere, though no specification forbids it.
pub(super) fn warnings(zone: &Zone) -> Vec<String> {
    let mut wildcards = zone.wildcard_delegations();
    let first = wildcards.next().map(|first| {
        let more = match wildcards.count() {
            0 => String::new(),
            more => format!(" and {}", output::count(more, "other wildcard")),
        };
        format!(
            "{}{more} with NS records: what they mean is open (RFC 4592, section 4.2), and BIND does not load the zone",
            first.name()
        )
    });
    first.into_iter().collect()
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
