//! The figures at the top on TCP-AO: the cheapest MAC, and how far ahead this project's code is.

use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, First, Lead, best_lead};
use fieldtest_report::number::{NARROW_SPACE, Scale};
use fieldtest_report::tables::ledger::{has_system_call, least};

use super::tables::{WAYS, short_and_full};
use crate::NAME;
use crate::words::{Operation, Segments, Way};

const OF_SEGMENTS: Lead = Lead {
    study: NAME,
    operation: Operation::Segment.word(),
    ways: &WAYS,
    in_words: |bytes| format!("{bytes} bytes"),
    label: "Our speed over the best library's, per segment",
};

/// The facts; none where no record is about segments.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    [fastest_mac(report), best_lead(report, &OF_SEGMENTS)].into_iter().flatten().collect()
}

/// The MAC that costs a short segment least.
fn fastest_mac(report: &Report) -> Option<Fact> {
    let records = || report.records().iter().filter(|record| record.study == NAME);
    let short = *short_and_full(records()).first()?;
    let unit = &records().find(|record| record.operation == Operation::Segment)?.unit;
    let of = |way: Way| {
        let subject = Segments { length: short, way }.to_string();
        records().filter(move |record| {
            record.operation == Operation::Segment
                && record.subject == subject
                && record.unit == *unit
                && !has_system_call(record)
        })
    };
    let first =
        First::of(report, of(Way::Single).filter(|record| report.is_recommendable(&record.algorithm)))?;
    let best = first.best;
    let write = |value: f64| {
        let scale = Scale::fitting(unit, [value]);
        format!("{} {}", scale.write(value, NARROW_SPACE), scale.label())
    };
    let mut detail = format!("{} {}", write(best.value), Way::Single.in_words());
    if let Some(record) = least(of(Way::Batched).filter(|record| record.algorithm == best.algorithm)) {
        detail.push_str(&format!(", {} {}", write(record.value), Way::Batched.in_words()));
    }
    Some(Fact {
        label: format!("Cheapest safe MAC, segment of {short} bytes"),
        value: first.names(report),
        detail: first.detail(detail),
    })
}
