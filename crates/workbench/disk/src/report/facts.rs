//! The figures at the top on disk encryption: the cheapest ciphers that protect a disk, and how far ahead this
//! project's code is.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Over, of_lead};
use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, First, span};
use fieldtest_report::number::{NARROW_SPACE, Scale};
use fieldtest_report::tables::ledger::{has_system_call, least};

use super::tables::{refusal, sizes};
use crate::NAME;
use crate::words::{Direction, Operation, Sectors, Way};

/// Bytes of a sector that a changed bit garbles in a wide-block cipher: all of them.
const WIDE: f64 = 4096.0;

/// The facts; none where no record is about sectors.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    [
        cheapest(report, "Cheapest cipher for a disk", false),
        cheapest(report, "Cheapest of those that mix whole sectors", true),
        lead(report),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn records(report: &Report) -> impl Iterator<Item = &Record> + Clone {
    report.records().iter().filter(|record| record.study == NAME)
}

/// Whether an algorithm may lead.
fn may(report: &Report, algorithm: &str) -> bool {
    report.is_recommendable(algorithm) && refusal(report, records(report), algorithm).is_none()
}

/// The cipher that costs a page least in the largest sectors.
fn cheapest(report: &Report, label: &str, wide: bool) -> Option<Fact> {
    let size = *sizes(records(report)).last()?;
    let of_sectors = |size| Sectors { size, way: Way::Page }.to_string();
    let unit = &records(report).find(|record| record.operation == Operation::Encrypt)?.unit;
    let is_wide = |algorithm: &str| {
        let is_wide = |it: &Record| it.operation == Operation::Diffusion && it.value >= WIDE;
        records(report).any(|it| it.algorithm == algorithm && is_wide(it))
    };
    let of = |size: u32| {
        let subject = of_sectors(size);
        records(report).filter(move |record| {
            record.operation == Operation::Encrypt
                && record.subject == subject
                && record.unit == *unit
                && !has_system_call(record)
        })
    };
    let allowed = |algorithm: &str| may(report, algorithm) && (!wide || is_wide(algorithm));
    let first = First::of(report, of(size).filter(|record| allowed(&record.algorithm)))?;
    let best = first.best;
    let write = |value: f64| {
        let scale = Scale::fitting(unit, [value]);
        format!("{} {}", scale.write(value, NARROW_SPACE), scale.label())
    };
    let mut detail = format!("{} for 4096 bytes in one sector", write(best.value));
    if size != 4096 {
        detail = format!("{} for 4096 bytes in sectors of {size}", write(best.value));
    }
    let small = sizes(records(report)).into_iter().next().filter(|small| *small != size);
    let of_best = |size| least(of(size).filter(|record| record.algorithm == best.algorithm));
    if let Some((small, record)) = small.and_then(|small| Some((small, of_best(small)?))) {
        detail.push_str(&format!(", {} in sectors of {small}", write(record.value)));
    }
    Some(Fact { label: label.to_owned(), value: first.names(report), detail: first.detail(detail) })
}

/// In which direction a record tells of a lead.
fn direction_of_lead(record: &Record) -> Option<Direction> {
    let operation = of_lead(&record.operation)?;
    Direction::BOTH.into_iter().find(|direction| direction.word() == operation)
}

/// How far this project's code is ahead of the best library for a page, at best and at least.
fn lead(report: &Report) -> Option<Fact> {
    let leads = || {
        records(report).filter_map(|record| {
            let direction = direction_of_lead(record)?;
            let Over { of, rival } = Over::read(&record.subject)?;
            let Sectors { size, way } = Sectors::read(of)?;
            let counts = record.unit == "ratio"
                && record.value > 0.0
                && way == Way::Page
                && may(report, &record.algorithm);
            counts.then_some((record, direction, size, rival))
        })
    };
    let (best, direction, size, rival) = leads().max_by(|(a, ..), (b, ..)| a.value.total_cmp(&b.value))?;
    let value = span(report, leads().map(|(record, ..)| record))?;
    Some(Fact {
        label: "Our speed over the best library's, per page".to_owned(),
        value,
        detail: format!(
            "most with {}, {}, sectors of {size}, over {rival}",
            report.title(&best.algorithm),
            direction.word()
        ),
    })
}
