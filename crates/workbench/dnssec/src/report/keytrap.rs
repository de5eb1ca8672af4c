//! The worst query of each resolver: what it takes, after how many verifications the resolver stops, and what it says.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::UNMEASURED;
use fieldtest_report::once::{by_key, each_once};
use fieldtest_report::tables::ledger::{self, Ledger, Which};
use fieldtest_report::{Cell, Kind, Report, Table};

use super::repetitions;
use crate::words::{Operation, Probe, note};

const OPERATIONS: [Operation; 4] =
    [Operation::TrapProcessor, Operation::TrapFactor, Operation::TrapVerifications, Operation::TrapLatency];

/// Whether a result is of a probe, or of its having had too little time.
pub(super) fn is_of_traps(record: &Record) -> bool {
    let is_one = |word: &str| OPERATIONS.iter().any(|operation| word == operation.word());
    is_one(&record.operation) || record.operation == UNMEASURED && is_one(&record.subject)
}

pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    if !ledger.all().any(is_of_traps) {
        return Vec::new();
    }
    let mut keys = table(
        report,
        ledger,
        "One query for keys with one tag (KeyTrap, CVE-2023-50387)",
        [Probe::Usual, Probe::KeyTrap],
    );
    keys.note(
        "A cold query for a host of a usual zone, and one for a host with well-formed signatures by none of the zone's keys of that tag: a resolver \
         without a ceiling verifies each signature with each key. The multiple is of the two in the same repetition.",
    );
    if ledger.all().any(|record| record.operation == Operation::TrapVerifications) {
        keys.note("Verifications are those that the resolvers of lab/resolvers count; the usual query's are its DS, keys and host.");
    }
    for how in noted(ledger, note::TRAP) {
        keys.note(how);
    }
    for (why, which) in unmeasured(ledger) {
        keys.note(format!("Not measured; {why}: {}.", which.join(", ")));
    }
    let denials = table(
        report,
        ledger,
        "One query for NSEC3 with many iterations (CVE-2023-50868)",
        [Probe::Denial, Probe::Nsec3],
    );
    let mut tables = vec![keys, denials];
    if let Some(remark) = repetitions::remark(ledger, is_of_traps) {
        tables[1].note(remark);
    }
    let input = ledger.all().find(|record| is_of_traps(record)).and_then(|record| record.input.as_ref());
    if let Some(input) = input {
        tables[1].note(format!("Of {}.", input.name));
    }
    tables
}

fn noted(ledger: &Ledger, begins: &str) -> Vec<String> {
    each_once(ledger.all().filter(|record| is_of_traps(record)).flat_map(|record| {
        let rests = record.notes.iter().filter_map(|note| note.strip_prefix(begins));
        rests.map(|rest| format!("{}: {rest}.", record.algorithm))
    }))
}

/// Why there is no result of an algorithm in a resolver, with those of which that is so.
fn unmeasured(ledger: &Ledger) -> Vec<(String, Vec<String>)> {
    let missing = ledger.all().filter(|record| is_of_traps(record) && record.operation == UNMEASURED);
    by_key(missing.map(|record| {
        let why = record.notes.last().map_or("", |note| note.split_once(": ").map_or(note, |(_, why)| why));
        (why.to_owned(), format!("{} with {}", ledger::implementation(record), record.algorithm))
    }))
}

fn table(report: &Report, ledger: &mut Ledger, title: &str, [usual, worst]: [Probe; 2]) -> Table {
    let mut table = Table::new(title)
        .texts(["algorithm", "resolver"])
        .numbers(["usual query", "worst query"], "ns")
        .column("multiple", Kind::number("ratio"))
        .numbers(["verifications, usual", "verifications, worst"], "count")
        .numbers(["waiting, usual", "waiting, worst"], "ns")
        .column("answer", Kind::Text);
    let resolvers = each_once(ledger.all().filter(|record| is_of_traps(record)).map(ledger::implementation));
    for algorithm in report.measured() {
        for resolver in &resolvers {
            let which = |operation: Operation, probe: Probe| {
                Which::of(algorithm, operation.word()).on(probe.word()).by(resolver)
            };
            let answer = ledger.find(which(Operation::TrapProcessor, worst)).and_then(|record| {
                record.notes.iter().find_map(|note| note.strip_prefix(note::ANSWERED)).map(str::to_owned)
            });
            let results = [
                (Operation::TrapProcessor, usual),
                (Operation::TrapProcessor, worst),
                (Operation::TrapFactor, worst),
                (Operation::TrapVerifications, usual),
                (Operation::TrapVerifications, worst),
                (Operation::TrapLatency, usual),
                (Operation::TrapLatency, worst),
            ];
            let cells: Vec<Cell> =
                results.into_iter().map(|(operation, probe)| ledger.show(which(operation, probe))).collect();
            if cells.iter().all(|cell| cell.number().is_none()) {
                continue;
            }
            let names: [Cell; 2] = [algorithm.into(), (*resolver).into()];
            table.keyed_row(
                algorithm,
                names.into_iter().chain(cells).chain([answer.unwrap_or_default().into()]),
            );
        }
    }
    table.without_empty_columns()
}
