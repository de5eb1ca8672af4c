//! What a report says of the study: records in, tables, pictures and sentences out.

mod capture;
mod decision;
mod tables;

use fieldtest_report::StudySection;

use crate::NAME;
use crate::words::Operation;

/// The chapter on TCP-AO.
pub const STUDY_SECTION: StudySection = StudySection {
    title: "TCP-AO",
    lead: "The cost of a MAC in the segment that carries it, the option space that it leaves, and the cost of its keys.",
    plots: &[],
    columns: include_str!("columns.txt"),
    more_is_better: &[Operation::Payload.word(), Operation::SackBlocks.word()],
    decision: Some(&decision::DECISION),
    limits: &[(
        &[Operation::Segment.word()],
        "The cost of a connection in a kernel. Segments are processed in user space, repeatedly from warm caches, without \
         interrupts, locks and copies.",
    )],
    ..StudySection::of(NAME, tables::tables)
};
