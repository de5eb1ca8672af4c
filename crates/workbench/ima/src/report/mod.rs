//! What a report says of the study: records in, tables, pictures and sentences out.

mod columns;
mod decision;
mod storage;
mod tables;

use fieldtest_measure::record::Record;
use fieldtest_report::advice::Decision;
use fieldtest_report::plot::Plot;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::tables::ledger::is_approximate;
use fieldtest_report::{Chapter, Report, Table};

use crate::NAME;
use crate::words::Operation;

/// The chapter on IMA.
#[derive(Debug)]
pub struct ImaChapter;

impl Chapter for ImaChapter {
    fn study(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "IMA"
    }

    fn lead(&self) -> &'static str {
        "What a file's signature takes on disk, which file systems refuse it, and what signing and verifying a tree of files \
         costs."
    }

    fn tables(&self, report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
        tables::tables(report, ledger)
    }

    fn plots(&self, report: &Report, records: &[&Record]) -> Vec<Plot> {
        [storage::plot(report, records)].into_iter().flatten().collect()
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

    fn explains_published(&self) -> bool {
        true
    }

    fn limits(&self, report: &Report) -> Vec<String> {
        let any = |operation: Operation| {
            report.records().iter().any(|record| record.study == NAME && record.operation == operation)
        };
        let mut limits = Vec::new();
        if any(Operation::Appraise) {
            limits.push(
                "What this machine's kernel takes to verify a file. Those figures are published and of another machine; \
                 what is measured here is code in user space."
                    .to_owned(),
            );
        }
        if any(Operation::Storage) {
            limits.push(predictions(report));
        }
        limits
    }
}

/// What the storage of signatures is told of, and where it is an estimate.
fn predictions(report: &Report) -> String {
    let mut estimated: Vec<&str> = Vec::new();
    for record in report.records().iter().filter(|it| it.study == NAME && it.operation == Operation::Storage)
    {
        if is_approximate(record) && !estimated.contains(&record.subject.as_str()) {
            estimated.push(&record.subject);
        }
    }
    let mut limit = "What signatures take on any file system. Storage is predicted by rules for a file of 6000 bytes without \
                     other attributes, on file systems made by default; an SELinux label, an ACL or EVM's attribute shares \
                     the same room."
        .to_owned();
    if !estimated.is_empty() {
        let names = estimated.join(", ");
        limit.push_str(&format!(" It is estimated for {names}, where files share blocks."));
    }
    limit
}
