//! What a report says of the study: records in, tables, pictures and sentences out.

mod columns;
mod decision;
mod hashes;
mod tables;

use fieldtest_measure::record::Record;
use fieldtest_measure::words::AVAILABLE;
use fieldtest_report::advice::Decision;
use fieldtest_report::plot::Plot;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::{Chapter, Report, Table};

use crate::NAME;
use crate::words::Operation;

/// The chapter on Git.
#[derive(Debug)]
pub struct GitChapter;

impl Chapter for GitChapter {
    fn study(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Git"
    }

    fn lead(&self) -> &'static str {
        "What a hash function costs on a repository's objects, what longer names take, and where the function is available."
    }

    fn tables(&self, report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
        tables::tables(report, ledger)
    }

    fn plots(&self, report: &Report, records: &[&Record]) -> Vec<Plot> {
        [hashes::plot(report, records)].into_iter().flatten().collect()
    }

    fn columns(&self) -> &'static [(&'static str, &'static str)] {
        columns::COLUMNS
    }

    fn may_shrink(&self) -> &'static [&'static str] {
        const { &[Operation::Storage.word()] }
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(&decision::DECISION)
    }

    fn limits(&self, report: &Report) -> Vec<String> {
        let any = |operations: &[&str]| {
            let meant =
                |record: &Record| record.study == NAME && operations.contains(&record.operation.as_str());
            report.records().iter().any(meant)
        };
        let mut limits = Vec::new();
        if any(&[Operation::Hash, Operation::Rehash, Operation::Map].map(Operation::word)) {
            limits.push(
                "What Git itself would take. Messages lie in the processor's caches, and the repository is read by this \
                 program's own code from memory, with nothing written; Git reads, checks and writes, and hashes one object \
                 after the other."
                    .to_owned(),
            );
        }
        if any(&[Operation::Storage.word()]) {
            limits.push(
                "By how much a repository grows on disk. Names are counted before compression and before trees are stored \
                 as differences from each other."
                    .to_owned(),
            );
        }
        if any(&[AVAILABLE]) {
            limits.push(
                "Whether your build of a library has a function. Places are told by what their makers publish, and only \
                 this host was asked; available does not mean fast."
                    .to_owned(),
            );
        }
        limits
    }
}
