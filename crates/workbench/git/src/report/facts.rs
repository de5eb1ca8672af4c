//! The figures at the top on Git: what hashes a repository's objects cheapest, and what names them all anew fastest.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, First, Lead, best_lead};
use fieldtest_report::number::{NARROW_SPACE, Scale, grouped};
use fieldtest_report::tables::ledger::has_system_call;

use super::tables::{WAYS, decoding, in_words, sizes};
use crate::NAME;
use crate::words::{Messages, Operation, Way};

const OF_MESSAGES: Lead = Lead {
    study: NAME,
    operation: Operation::Hash.word(),
    ways: &WAYS,
    in_words,
    label: "Our speed over the best library's, per message",
};

/// The facts; none where no record is about hashing.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    [cheapest(report), quickest_map(report), best_lead(report, &OF_MESSAGES)].into_iter().flatten().collect()
}

fn records(report: &Report) -> impl Iterator<Item = &Record> {
    report.records().iter().filter(|record| record.study == NAME)
}

/// Who is first in an operation among the algorithms that may lead.
fn first<'a>(report: &'a Report, operation: Operation, subject: &str, unit: &str) -> Option<First<'a>> {
    let meant = |record: &&Record| {
        record.operation == operation
            && record.subject == subject
            && record.unit == unit
            && report.is_recommendable(&record.algorithm)
            && !has_system_call(record)
    };
    First::of(report, records(report).filter(meant))
}

fn written(record: &Record) -> String {
    let scale = Scale::fitting(&record.unit, [record.value]);
    format!("{} {}", scale.write(record.value, NARROW_SPACE), scale.label())
}

/// What hashes messages of the repository's sizes cheapest, one at a time and many at once.
fn cheapest(report: &Report) -> Option<Fact> {
    let size = sizes(records(report)).last().copied()?;
    let unit = &records(report).find(|record| record.operation == Operation::Hash)?.unit;
    let best = Way::ALL.map(|way| {
        let subject = Messages { size, way }.to_string();
        let first = first(report, Operation::Hash, &subject, unit)?;
        let words = format!("{} {}", written(first.best), way.in_words());
        Some((first, words))
    });
    let [single, many] = &best;
    let (shown, detail) = many.as_ref().or(single.as_ref())?;
    let mut detail = shown.detail(detail.clone());
    if let (Some((one, words)), Some((many, _))) = (single, many) {
        detail.push_str(&match one.names(report) == many.names(report) {
            true => format!(", {words}"),
            false => format!("; {} leads with {}", one.names(report), one.detail(words.clone())),
        });
    }
    Some(Fact {
        label: format!("Cheapest safe hash function, {}", size.in_words()),
        value: shown.names(report),
        detail,
    })
}

/// What gives all objects their new names fastest.
fn quickest_map(report: &Report) -> Option<Fact> {
    let first = first(report, Operation::Map, Time::Wall.word(), "s")?;
    let best = first.best;
    let mut detail = first.detail(written(best));
    if let Some(input) = &best.input {
        detail.push_str(&format!(" for {} objects", grouped(&input.items.to_string(), NARROW_SPACE)));
    }
    if let Some(record) = decoding(records(report), Time::Wall) {
        detail.push_str(&format!(", {} of it decoding", written(record)));
    }
    Some(Fact {
        label: "Fastest new names for the whole repository".to_owned(),
        value: first.names(report),
        detail,
    })
}
