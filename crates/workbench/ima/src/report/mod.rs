//! What a report says of the study: records in, tables, pictures and sentences out.

mod decision;
mod storage;
mod tables;

use fieldtest_report::once::each_once;
use fieldtest_report::tables::ledger::is_approximate;
use fieldtest_report::{Report, StudySection};

use crate::NAME;
use crate::words::Operation;

/// The chapter on IMA.
pub const STUDY_SECTION: StudySection = StudySection {
    title: "IMA",
    lead: "The disk space of a file's signature, which file systems reject it, and the cost of signing and verifying a tree of \
           files.",
    plots: &[storage::plot],
    columns: include_str!("columns.txt"),
    may_shrink: &[Operation::Storage.word()],
    more_is_better: &[Operation::RpmFiles.word(), Operation::StorageLimit.word()],
    decision: Some(&decision::DECISION),
    explains_published: true,
    limits: &[(
        &[Operation::Appraise.word()],
        "The time of this machine's kernel to verify a file. Those results are published, from another machine; the measured \
         code runs in user space.",
    )],
    other_limits: predictions,
    ..StudySection::of(NAME, tables::tables)
};

/// What the storage of signatures is told of, and where it is an estimate.
fn predictions(report: &Report) -> Vec<String> {
    let stored = || report.of_study(NAME).filter(|it| it.operation == Operation::Storage);
    let estimated = each_once(stored().filter(|it| is_approximate(it)).map(|it| it.subject.as_str()));
    let mut limit = "The space of signatures on every file system. Storage is predicted by rules for a file of 6000 bytes without \
                     other attributes, on file systems made by default; an SELinux label, an ACL or EVM's attribute shares \
                     the same space."
        .to_owned();
    if !estimated.is_empty() {
        let names = estimated.join(", ");
        limit.push_str(&format!(" It is estimated for {names}, where files share blocks."));
    }
    stored().next().map(|_| limit).into_iter().collect()
}
