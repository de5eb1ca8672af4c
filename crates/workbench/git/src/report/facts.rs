//! The figures at the top on Git: what hashes a repository's objects cheapest, and what names them all anew fastest.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::fact::{Fact, Lead, best_lead};
use fieldtest_report::number::{NARROW_SPACE, Scale, grouped};
use fieldtest_report::tables::ledger::{fastest, is_comparable};

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

/// The record of least value among the algorithms that may lead.
fn least<'a>(report: &'a Report, of: impl Fn(&str) -> Option<&'a Record>) -> Option<&'a Record> {
    let allowed = report.measured().into_iter().filter(|it| report.is_recommendable(it));
    let found = allowed.filter_map(of).filter(|record| record.value > 0.0 && is_comparable(record));
    found.min_by(|a, b| a.value.total_cmp(&b.value))
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
        let operation = Operation::Hash.word();
        let best = least(report, |it| fastest(records(report), it, operation, &subject, unit))?;
        Some((best, format!("{} {}", written(best), way.in_words())))
    });
    let [single, many] = &best;
    let (record, detail) = many.as_ref().or(single.as_ref())?;
    let mut detail = detail.clone();
    if let (Some((one, words)), Some((record, _))) = (single, many) {
        detail.push_str(&match one.algorithm == record.algorithm {
            true => format!(", {words}"),
            false => format!("; {} leads with {words}", report.title(&one.algorithm)),
        });
    }
    Some(Fact {
        label: format!("Cheapest safe hash function, {}", size.in_words()),
        value: report.title(&record.algorithm).to_owned(),
        detail,
    })
}

/// What gives all objects their new names fastest.
fn quickest_map(report: &Report) -> Option<Fact> {
    let best =
        least(report, |it| fastest(records(report), it, Operation::Map.word(), Time::Wall.word(), "s"))?;
    let mut detail = written(best);
    if let Some(input) = &best.input {
        detail.push_str(&format!(" for {} objects", grouped(&input.items.to_string(), NARROW_SPACE)));
    }
    if let Some(record) = decoding(records(report), Time::Wall) {
        detail.push_str(&format!(", {} of it decoding", written(record)));
    }
    Some(Fact {
        label: "Fastest new names for the whole repository".to_owned(),
        value: report.title(&best.algorithm).to_owned(),
        detail,
    })
}
