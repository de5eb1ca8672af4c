//! What one operation of a hash function, a MAC or a cipher costs by itself: of each kind the costs, the rates, the ratios
//! to the baseline, and how far this project's code is ahead.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Against, MessageOperation, of_rate, of_ratio};

use super::ledger::{Ledger, Which, cell};
use super::{lead, primitives};
use crate::once::each_once;
use crate::report::Report;
use crate::table::{Cell, Kind, Table};

/// The kinds, with the operations that no other kind has.
const KINDS: [(&str, &[MessageOperation]); 4] = [
    ("Hash functions", &[MessageOperation::Hash]),
    ("MACs", &[MessageOperation::Tag]),
    ("Ciphers", &[MessageOperation::Encrypt, MessageOperation::Decrypt]),
    ("Authenticated ciphers", &[MessageOperation::Seal, MessageOperation::Open]),
];

pub(crate) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    KINDS.iter().flat_map(|(title, own)| of_kind(report, ledger, title, own)).collect()
}

fn of_kind(report: &Report, ledger: &mut Ledger, title: &str, own: &[MessageOperation]) -> Vec<Table> {
    let words: Vec<&str> = own.iter().map(|it| it.word()).collect();
    let pairs = primitives::pairs(report, ledger, &words);
    let is_here = |record: &&Record| pairs.iter().any(|(algorithm, _)| *algorithm == record.algorithm);
    let records: Vec<&Record> = ledger.all().filter(is_here).collect();
    let of = |is_meant: &dyn Fn(&Record) -> bool| {
        let found = records.iter().copied().filter(|it| is_meant(it));
        each_once(found.map(|it| (it.operation.as_str(), it.subject.as_str(), it.unit.as_str())))
    };
    let mut tables = Vec::new();
    for (what, columns) in [
        ("cost", of(&|it| words.contains(&it.operation.as_str()))),
        ("rate", of(&|it| of_rate(&it.operation).is_some_and(|of| words.contains(&of)))),
        ("ratio", of(&|it| of_ratio(&it.operation).is_some_and(|of| words.contains(&of)))),
    ] {
        if !columns.is_empty() {
            tables.push(table(report, ledger, format!("{title}: {what}"), &pairs, &columns));
        }
    }
    for operation in own {
        let subjects = records.iter().filter(|it| it.operation == operation.word()).map(|it| &it.subject);
        let sizes = each_once(subjects).into_iter().map(|size| (size.clone(), size.clone())).collect();
        let title = format!("{}, {}", lead::TITLE, operation.word());
        let leads = lead::Leads { title, operation: operation.word(), things: "", ways: &[("", "")], sizes };
        tables.push(lead::table(report, ledger, &leads));
    }
    tables
}

/// A row per implementation, and a column per operation on something in a unit.
fn table(
    report: &Report,
    ledger: &mut Ledger,
    title: String,
    pairs: &[(&str, &str)],
    columns: &[(&str, &str, &str)],
) -> Table {
    let mut table = Table::new(title).texts(["algorithm", "implementation"]);
    let mut against = Vec::new();
    for (operation, subject, unit) in columns {
        let (operation, of) = match Against::read(subject).zip(of_ratio(operation)) {
            Some((ratio, operation)) => {
                against.push(ratio.baseline);
                (operation, ratio.of)
            }
            None => (of_rate(operation).unwrap_or(operation), *subject),
        };
        table = table.column(format!("{operation} {of}").trim_end(), Kind::number((*unit).to_owned()));
    }
    table = table.column("known answers", Kind::number("count"));
    for &(algorithm, name) in pairs {
        let mut proof = None;
        let mut row: Vec<Cell> = vec![algorithm.into(), report.code(name)];
        for &(operation, subject, unit) in columns {
            let record = ledger.take(Which::of(algorithm, operation).on(subject).by(name).in_unit(unit));
            proof = proof.or(record.and_then(|record| record.proof.as_ref()));
            row.push(record.map(cell).into());
        }
        row.push(proof.map(|proof| Cell::from(proof.vectors).with_detail(proof.origins.join("; "))).into());
        table.keyed_row(algorithm, row);
    }
    if !against.is_empty() {
        let against = each_once(against).join(", ");
        table.note(format!(
            "Against {against}, timed alternately; no ratio combines an uncontended and a contended result."
        ));
    }
    if columns.iter().any(|(operation, ..)| of_rate(operation).is_some()) {
        table.note("KiB/s: by the clock, over the same windows as the cost, at the frequency that the processor had.");
    }
    table.without_empty_columns()
}
