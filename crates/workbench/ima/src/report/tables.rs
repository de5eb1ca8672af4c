//! What a signature does to IMA: what it takes of a file system, what signing and verifying cost, and what the kernel
//! and packages make of it.

use std::borrow::Cow;

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, Time};
use fieldtest_report::Report;
use fieldtest_report::number::{full, grouped};
use fieldtest_report::once::each_once;
use fieldtest_report::tables::availability::{self, Places};
use fieldtest_report::tables::ledger::{Ledger, Which, fastest, remark_on_rounds};
use fieldtest_report::tables::ledger::{cell, cell_of_any_code};
use fieldtest_report::tables::primitives::{self, pairs};
use fieldtest_report::tables::security::{named, status};
use fieldtest_report::{Cell, Kind, Mark, Table, Tone};

use crate::words::{FileSystem, KERNEL_MEMORY, Operation};

/// The file systems that decide, as they are made by default, and the one that the tree is on.
pub(crate) const FILE_SYSTEMS: [FileSystem; 5] =
    [FileSystem::Ext4, FileSystem::Xfs, FileSystem::Btrfs, FileSystem::F2fs, FileSystem::Here];

/// The operations on a whole tree, with what people call them.
const TREE: [(Operation, &str); 2] = [(Operation::SignTree, "sign"), (Operation::VerifyTree, "verify")];

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    vec![
        overview(report, ledger),
        storage_per_file(report, ledger),
        tree(report, ledger),
        primitives::table(report, ledger),
        availability::table(report, ledger, Places::Known, "Who verifies it"),
    ]
}

/// What becomes of a file's signature on a file system.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Storage<'a> {
    /// It takes so many bytes.
    Takes(&'a Record),
    /// It is refused; the record tells the most bytes that would be taken.
    Refused(&'a Record),
}

impl<'a> Storage<'a> {
    fn of(record: &'a Record) -> Option<Storage<'a>> {
        match Operation::from_word(&record.operation).filter(|_| record.unit == "bytes")? {
            Operation::Storage => Some(Storage::Takes(record)),
            Operation::StorageLimit => Some(Storage::Refused(record)),
            _ => None,
        }
    }

    fn record(&self) -> &'a Record {
        let (Storage::Takes(record) | Storage::Refused(record)) = self;
        record
    }

    /// The bytes, or a mark with the limit. Bounds of an estimate are told and not shown as an interval: they are no
    /// statistics.
    fn cell(&self) -> Cell {
        match self {
            Storage::Takes(record) => {
                let mut detail = vec![record.estimator.clone()];
                detail.extend(
                    record.interval.map(|[least, most]| format!("{} to {} bytes", full(least), full(most))),
                );
                detail.extend(record.notes.iter().cloned());
                cell(record).with_interval(None).with_detail(detail.join(", "))
            }
            Storage::Refused(record) => {
                Cell::default().with_mark(Some(refused(record.value))).with_detail(record.notes.join(", "))
            }
        }
    }
}

/// What becomes of the signature of `algorithm` on `file_system`.
pub(crate) fn storage<'a>(
    mut records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
    file_system: &str,
) -> Option<Storage<'a>> {
    records.find_map(|record| {
        let meant = record.algorithm == algorithm && record.subject == file_system;
        Storage::of(record).filter(|_| meant)
    })
}

/// What the first kernel known took to verify a signature of `algorithm`.
pub(crate) fn appraisal<'a>(
    mut records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
) -> Option<&'a Record> {
    records.find(|record| {
        record.algorithm == algorithm && record.operation == Operation::Appraise && record.value > 0.0
    })
}

pub(crate) fn attribute<'a>(
    mut records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
) -> Option<&'a Record> {
    records.find(|record| {
        record.algorithm == algorithm && record.operation == Operation::Xattr && record.unit == "bytes"
    })
}

/// One row per algorithm, with the results that most often decide.
fn overview(report: &Report, ledger: &mut Ledger) -> Table {
    let (of_sign, of_verify) = (KeyOperation::Sign.word(), KeyOperation::Verify.word());
    let [sign, verify, appraise] =
        [of_sign, of_verify, Operation::Appraise.word()].map(|it| ledger.unit_of(it, None).unwrap_or("ns"));
    let mut table = Table::new("Key results")
        .texts(["algorithm", "status"])
        .column("level", Kind::number("category"))
        .column("xattr", Kind::number("bytes"))
        .numbers(FILE_SYSTEMS.into_iter().map(|file_system| file_system.word()), "bytes")
        .column("sign", Kind::number(sign.to_owned()))
        .column("verify", Kind::number(verify.to_owned()))
        .column("sign tree", Kind::number("s"))
        .column("kernel verifies", Kind::number(appraise.to_owned()))
        .column("RPM files", Kind::number("count"))
        .column("memory", Kind::number("bytes"));
    for algorithm in report.measured() {
        if !ledger.all().any(|record| record.algorithm == algorithm) {
            continue;
        }
        let level = report.candidate(algorithm).and_then(|candidate| candidate.level);
        let mut row = vec![
            named(report, algorithm),
            status(report, algorithm),
            level.map(u64::from).into(),
            attribute(ledger.all(), algorithm).map(cell).into(),
        ];
        row.extend(
            FILE_SYSTEMS.map(|it| storage(ledger.all(), algorithm, it.word()).map(|it| it.cell()).into()),
        );
        for (operation, subject, unit) in [
            (of_sign, "", sign),
            (of_verify, "", verify),
            (Operation::SignTree.word(), Time::Wall.word(), "s"),
        ] {
            row.push(fastest(ledger.all(), algorithm, operation, subject, unit).map(cell_of_any_code).into());
        }
        let published = appraisal(ledger.all(), algorithm).filter(|record| record.unit == appraise);
        row.push(published.map(cell).into());
        for (operation, subject, unit) in
            [(Operation::RpmFiles, None, "count"), (Operation::Measurement, Some(KERNEL_MEMORY), "bytes")]
        {
            let which = Which { subject, ..Which::of(algorithm, operation.word()).in_unit(unit) };
            row.push(ledger.cell(which));
        }
        table.keyed_row(algorithm, row);
    }
    table.note(storage_note(ledger));
    table.note(
        "Sign and verify: one file's identity, its digest already computed. The fastest implementation is \
         shown.",
    );
    if let Some(record) = ledger.find(Which::of("", Operation::Appraise.word())) {
        table.note(format!(
            "Kernel verifies is published for {}, of another machine: for orientation, not for comparison.",
            record.subject
        ));
    }
    table.note(
        "RPM files: the maximum of one package with signatures; memory: what each measured file \
         adds to the kernel's measurement list, and is never swapped out.",
    );
    table.without_empty_columns()
}

/// What the bytes of the overview are, and which limits stand behind its marks.
fn storage_note(ledger: &Ledger) -> String {
    let mut note = "Bytes on disk that the signature of one file takes".to_owned();
    if ledger.all().any(|record| Storage::of(record).is_some() && record.subject == FileSystem::Here) {
        note.push_str("; here is the file system of the tree");
    }
    let limits = FILE_SYSTEMS.iter().filter_map(|file_system| {
        let which = Which::of("", Operation::StorageLimit.word()).on(file_system.word()).in_unit("bytes");
        let limit = ledger.find(which)?.value;
        Some(format!("{file_system} {}", grouped(&full(limit))))
    });
    let limits: Vec<String> = limits.collect();
    if limits.is_empty() {
        return note + ".";
    }
    format!("{note}. ⊘ rejected, since attributes have a limit in bytes: {}.", limits.join(", "))
}

/// What the signature takes on each file system, a column each.
fn storage_per_file(report: &Report, ledger: &mut Ledger) -> Table {
    let told = ledger.all().filter_map(Storage::of);
    let systems = each_once(told.map(|storage| storage.record().subject.as_str()));
    let mut table =
        Table::new("Storage per file").column("algorithm", Kind::Text).column("xattr", Kind::number("bytes"));
    table = table.numbers(systems.iter().copied(), "bytes");
    for algorithm in report.measured() {
        let mut take = |operation: Operation, subject| {
            ledger.take(Which { subject, ..Which::of(algorithm, operation.word()).in_unit("bytes") })
        };
        let mut row: Vec<Cell> =
            vec![named(report, algorithm), take(Operation::Xattr, None).map(cell).into()];
        row.extend(systems.iter().map(|system| {
            let taken = [Operation::Storage, Operation::StorageLimit]
                .into_iter()
                .find_map(|operation| take(operation, Some(system)));
            Cell::from(taken.and_then(Storage::of).map(|it| it.cell()))
        }));
        if row.iter().skip(1).any(|cell| cell.number().is_some() || cell.mark.is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    table.note(
        "For a file of 6,000 bytes without other attributes. ⊘ rejected. ≈ is the middle of an estimate: there, \
         files share blocks.",
    );
    table.without_empty_columns()
}

/// What it takes to sign and to verify all files; published results of kernels as rows of their own.
fn tree(report: &Report, ledger: &mut Ledger) -> Table {
    let appraise = ledger.unit_of(Operation::Appraise.word(), None).unwrap_or("ns");
    let input = ledger.all().find(|record| TREE.iter().any(|(it, _)| record.operation == *it));
    let input = input.and_then(|record| record.input.as_ref());
    let mut table = Table::new("Signing and verifying the tree").texts(["algorithm", "implementation"]);
    for (_, words) in TREE {
        table = table
            .column(format!("{words}, wall"), Kind::number("s"))
            .column(format!("{words}, processor"), Kind::number("s"));
    }
    table = table.column("verify one file", Kind::number(appraise.to_owned()));
    let pairs = pairs(report, ledger, &TREE.map(|(operation, _)| operation.word()));
    let mut published = false;
    for algorithm in report.measured() {
        for (_, name) in pairs.iter().filter(|(of, _)| *of == algorithm) {
            let mut row = vec![named(report, algorithm), report.code(name)];
            for (operation, _) in TREE {
                for time in Time::ALL {
                    let which = Which::of(algorithm, operation.word()).on(time.word()).by(name).in_unit("s");
                    row.push(ledger.show(which));
                }
            }
            if row.iter().any(|cell| cell.number().is_some() || cell.mark.is_some()) {
                table.keyed_row(algorithm, row);
            }
        }
        let operation = Operation::Appraise.word();
        let which = Which::of(algorithm, operation).in_unit(appraise);
        while let Some(record) = ledger.take(which) {
            let mut row = vec![named(report, algorithm), format!("{}, published", record.subject).into()];
            row.resize(2 + 2 * TREE.len(), Cell::default());
            row.push(cell(record));
            table.keyed_row(algorithm, row);
            published = true;
        }
    }
    if let Some(input) = input {
        let [files, bytes] = [input.items, input.bytes].map(|count| grouped(&count.to_string()));
        table.note(format!(
            "On {}: {files} files of {bytes} bytes together. All cores work; every file is read and hashed, and nothing is \
             written.",
            input.name
        ));
    }
    table.notes_of(remark_on_rounds(ledger, &TREE.map(|(operation, _)| operation.word())));
    if published {
        table.note(
            "Published results are what a kernel on another machine takes to verify a file's signature at its first use: for \
             orientation, not for comparison; the records contain the sources.",
        );
    }
    table.without_empty_columns()
}

/// An attribute that a file system refuses, since it takes at most `limit` bytes.
pub(super) fn refused(limit: f64) -> Mark {
    let word = format!("rejected: at most {} bytes", grouped(&full(limit)));
    Mark { symbol: Cow::Borrowed("⊘"), word: Cow::Owned(word), tone: Tone::Bad }
}
