//! What one operation of a signature scheme costs by itself.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, UNMEASURED, of_ratio, ratio};

use super::ledger::cell;
use super::ledger::{Ledger, Which, implementation};
use crate::number::factor;
use crate::report::Report;
use crate::symbols;
use crate::table::{Cell, Kind, Table};

/// The operations whose ratio to the baseline is shown.
fn compared(operation: KeyOperation) -> bool {
    matches!(operation, KeyOperation::Sign | KeyOperation::Verify)
}

/// What these operations take on a contended core, where that was seen: the least, the median and the most of them.
fn beside_a_neighbour<'a>(records: impl Iterator<Item = &'a Record>) -> Option<String> {
    let times = records.filter_map(|record| Some(record.shared?.value / record.value));
    let mut times: Vec<f64> = times.filter(|times| times.is_finite()).collect();
    times.sort_by(f64::total_cmp);
    let [least, median, most] =
        [times.first()?, times.get(times.len() / 2)?, times.last()?].map(|times| factor(*times));
    Some(format!(
        "Results without {} are uncontended. When contended they were ×{least} to ×{most}, ×{median} in the median; the \
         factor of each result is in its details and in the records.",
        symbols::CONTENDED.symbol
    ))
}

/// The pairs of algorithm and implementation that have a result of one of `operations`, in the report's order.
pub fn pairs<'a>(report: &'a Report, ledger: &Ledger<'a>, operations: &[&str]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = Vec::new();
    for algorithm in report.measured() {
        for record in ledger.all() {
            let pair = (algorithm, implementation(record));
            if record.algorithm == algorithm && operations.contains(&meant(record)) && !pairs.contains(&pair)
            {
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// The operation that a record is of, also where it says that it was not measured.
fn meant(record: &Record) -> &str {
    if record.operation == UNMEASURED { &record.subject } else { &record.operation }
}

/// A row per algorithm and implementation, with sizes and how many known answers stand behind it.
pub fn table(report: &Report, ledger: &mut Ledger) -> Table {
    let pairs = pairs(report, ledger, &KeyOperation::ALL.map(KeyOperation::word));
    let mut table = Table::new("One operation")
        .texts(["algorithm", "implementation"])
        .numbers(["public key", "signature"], "bytes");
    let units = KeyOperation::ALL.map(|operation| ledger.unit_of(operation.word(), None));
    for (operation, unit) in KeyOperation::ALL.into_iter().zip(units) {
        table = table
            .column(operation.word().replace('-', " "), Kind::number(unit.unwrap_or("cycles").to_owned()));
        if compared(operation) {
            table = table.column(format!("{operation} ratio"), Kind::number("ratio"));
        }
    }
    table = table.column("known answers", Kind::number("count"));
    for &(algorithm, name) in &pairs {
        let mut proof = None;
        let mut row: Vec<Cell> = vec![
            algorithm.into(),
            report.code(name),
            report.size(algorithm, "public-key").into(),
            report.size(algorithm, "signature").into(),
        ];
        for (operation, unit) in KeyOperation::ALL.into_iter().zip(units) {
            let word = operation.word();
            let which = Which { unit, ..Which::of(algorithm, word).by(name) };
            let record = ledger.take(which);
            proof = proof.or(record.and_then(|record| record.proof.as_ref()));
            row.push(record.map(cell).into());
            // All are ticked, so that none is left over; those of signing and verifying are shown.
            let ratio = ratio(word);
            let ratio = ledger.take(Which { operation: &ratio, unit: Some("ratio"), ..which });
            if compared(operation) {
                row.push(ratio.map(cell).into());
            }
        }
        row.push(proof.map(|proof| Cell::from(proof.vectors).with_detail(proof.origins.join("; "))).into());
        table.keyed_row(algorithm, row);
    }
    if let Some(against) = ledger.all().find(|record| of_ratio(&record.operation).is_some()) {
        table.note(format!(
            "Ratios are {}, timed alternately; they never combine an uncontended and a contended result.",
            against.subject
        ));
    }
    table.note(
        "± is half the width of the 95% interval. Every implementation that has known-answer tests passed them before it was timed.",
    );
    if let Some(sentence) = beside_a_neighbour(ledger.all()) {
        table.note(sentence);
    }
    table.without_empty_columns()
}
