//! What a report says of the study: records in, tables, pictures and sentences out.

mod capture;
mod columns;
mod decision;
mod segments;
mod tables;

use fieldtest_measure::record::Record;
use fieldtest_report::advice::Decision;
use fieldtest_report::plot::Plot;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_report::{Chapter, Report, Table};

use crate::NAME;
use crate::words::Operation;

/// The chapter on TCP-AO.
#[derive(Debug)]
pub struct TcpAoChapter;

impl Chapter for TcpAoChapter {
    fn study(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "TCP-AO"
    }

    fn lead(&self) -> &'static str {
        "What a MAC costs in the segment that carries it, what it leaves of the option space, and what its keys cost."
    }

    fn tables(&self, report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
        tables::tables(report, ledger)
    }

    fn plots(&self, report: &Report, records: &[&Record]) -> Vec<Plot> {
        [segments::plot(report, records)].into_iter().flatten().collect()
    }

    fn columns(&self) -> &'static [(&'static str, &'static str)] {
        columns::COLUMNS
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(&decision::DECISION)
    }

    fn limits(&self, report: &Report) -> Vec<String> {
        let is_of_segments = |record: &Record| record.study == NAME && record.operation == Operation::Segment;
        let limit = "What a connection costs in a kernel. Segments are worked on in user space, over and over from warm \
                     caches, without interrupts, locks and copies.";
        report.records().iter().any(is_of_segments).then(|| limit.to_owned()).into_iter().collect()
    }
}
