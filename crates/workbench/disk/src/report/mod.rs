//! What a report says of the study: records in, tables, pictures and sentences out.

mod asked;
mod columns;
mod containers;
mod decision;
mod disk;
mod published;
mod sectors;
mod tables;

use fieldtest_measure::record::Record;
use fieldtest_report::advice::Decision;
use fieldtest_report::plot::Plot;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::{Chapter, Report, Table};

use crate::NAME;
use crate::words::Operation;

/// The chapter on Disk encryption.
#[derive(Debug)]
pub struct DiskChapter;

impl Chapter for DiskChapter {
    fn study(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Disk encryption"
    }

    fn lead(&self) -> &'static str {
        "What a cipher costs per sector and in a real container, what it hides, and where it is available."
    }

    fn tables(&self, report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
        tables::tables(report, ledger)
    }

    fn plots(&self, report: &Report, records: &[&Record]) -> Vec<Plot> {
        [sectors::plot(report, records)].into_iter().flatten().collect()
    }

    fn columns(&self) -> &'static [(&'static str, &'static str)] {
        columns::COLUMNS
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(&decision::DECISION)
    }

    fn limits(&self, report: &Report) -> Vec<String> {
        let any = |operation: Operation| {
            report.records().iter().any(|record| record.study == NAME && record.operation == operation)
        };
        let mut limits = Vec::new();
        if any(Operation::Encrypt) {
            limits.push(
                "How fast a disk becomes. Sectors are encrypted in user space, over and over from warm caches: a kernel adds \
                 its queues, its copies and the disk itself, and may have slower or faster code. Containers are read from the \
                 page cache."
                    .to_owned(),
            );
        }
        if any(Operation::Diffusion) {
            limits.push(
                "That a disk is safe from who can write to it. No cipher here authenticates: an older version of a sector \
                 can always be put back unnoticed, whatever a changed bit garbles."
                    .to_owned(),
            );
        }
        limits
    }
}
