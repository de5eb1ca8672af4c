//! What a report says of the study: records in, tables, pictures and sentences out.

mod decision;
mod tables;

use fieldtest_measure::words::AVAILABLE;
use fieldtest_report::StudySection;

use crate::NAME;
use crate::words::Operation;

/// The chapter on Git.
pub const STUDY_SECTION: StudySection = StudySection {
    title: "Git",
    lead: "The cost of a hash function for a repository's objects, the space of longer names, and the function's deployed support.",
    plots: &[],
    columns: include_str!("columns.txt"),
    may_shrink: &[Operation::Storage.word()],
    neither_is_better: &[Operation::Hashing.word()],
    decision: Some(&decision::DECISION),
    limits: &[
        (
            &[Operation::Hash.word(), Operation::Rehash.word(), Operation::Map.word()],
            "The time of Git itself. Messages are in the processor's caches, and this program's own code reads the repository \
             from memory and writes nothing; Git reads, checks and writes, and hashes one object after the other.",
        ),
        (
            &[Operation::Storage.word()],
            "By how much a repository grows on disk. Names are counted before compression and before trees are stored as \
             differences from each other.",
        ),
        (
            &[AVAILABLE],
            "Whether your build of a library has a function. The information is what the makers publish, and only this host was \
             checked; available does not mean fast.",
        ),
    ],
    ..StudySection::of(NAME, tables::tables)
};
