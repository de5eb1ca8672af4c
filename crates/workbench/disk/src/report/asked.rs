//! What tables, pictures and decisions alike ask of the records: which sectors were measured, and whether a cipher is a choice
//! for a disk.

use fieldtest_measure::record::Record;
use fieldtest_report::symbols::{self, UNSAFE};
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::{Cell, Report};

use crate::words::{Operation, Sectors};

pub(super) const OF_SECTORS: [Operation; 4] =
    [Operation::Encrypt, Operation::Decrypt, Operation::Seal, Operation::Open];

/// The sizes of sectors that were measured, ascending.
pub(crate) fn sizes<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<u32> {
    let of_sectors = records.filter(|record| OF_SECTORS.iter().any(|it| record.operation == *it));
    let mut sizes: Vec<u32> =
        of_sectors.filter_map(|record| Some(Sectors::read(&record.subject)?.size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Why an algorithm is no choice for a disk, in words, if it is none: it is ruled out, or dm-crypt's specification of
/// it does not protect.
pub(crate) fn refusal<'a>(
    report: &'a Report,
    mut records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
) -> Option<&'a str> {
    let refused = records
        .find(|it| it.algorithm == algorithm && it.operation == Operation::DmCrypt && it.value <= 0.0)
        .map(|record| record.notes.first().map_or("does not protect a disk", String::as_str));
    let ruled_out = report.ruled_out_by(algorithm).map(|note| note.text.as_str());
    let broken = (report.status(algorithm) == "broken").then_some("broken");
    ruled_out.or(refused).or(broken)
}

/// The algorithm's name, marked where it is no choice for a disk.
pub(super) fn named(report: &Report, ledger: &Ledger, algorithm: &str) -> Cell {
    let refusal = refusal(report, ledger.all(), algorithm);
    Cell::from(algorithm).with_mark(refusal.map(|_| UNSAFE))
}

pub(super) fn unit_of<'a>(ledger: &Ledger<'a>, operation: Operation) -> &'a str {
    ledger.unit_of(operation.word(), None).unwrap_or("cycles")
}

/// Whether a specification protects a disk, with what is to be known of it.
pub(super) fn specification_mark(record: &Record) -> Cell {
    let mark = if record.value > 0.0 { symbols::available(true) } else { UNSAFE };
    let detail: Vec<&str> =
        std::iter::once(&record.subject).chain(&record.notes).map(String::as_str).collect();
    Cell::default().with_mark(Some(mark)).with_detail(detail.join("; "))
}
