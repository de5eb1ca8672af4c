//! What a report says of the study: records in, tables, pictures and sentences out.

mod capture;
mod decision;
mod segments;
mod tables;

use fieldtest_report::Chapter;

use crate::NAME;
use crate::words::Operation;

/// The chapter on TCP-AO.
pub const CHAPTER: Chapter = Chapter {
    title: "TCP-AO",
    lead: "What a MAC costs in the segment that carries it, what it leaves of the option space, and what its keys cost.",
    plots: &[segments::plot],
    columns: include_str!("columns.txt"),
    decision: Some(&decision::DECISION),
    limits: &[(
        &[Operation::Segment.word()],
        "What a connection costs in a kernel. Segments are worked on in user space, over and over from warm caches, without \
         interrupts, locks and copies.",
    )],
    ..Chapter::of(NAME, tables::tables)
};
