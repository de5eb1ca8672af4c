//! What a report says of the study: records in, tables, pictures and sentences out.

mod decision;
mod hashes;
mod tables;

use fieldtest_measure::words::AVAILABLE;
use fieldtest_report::Chapter;

use crate::NAME;
use crate::words::Operation;

/// The chapter on Git.
pub const CHAPTER: Chapter = Chapter {
    title: "Git",
    lead: "What a hash function costs on a repository's objects, what longer names take, and where the function is available.",
    plots: &[hashes::plot],
    columns: include_str!("columns.txt"),
    may_shrink: &[Operation::Storage.word()],
    decision: Some(&decision::DECISION),
    limits: &[
        (
            &[Operation::Hash.word(), Operation::Rehash.word(), Operation::Map.word()],
            "What Git itself would take. Messages lie in the processor's caches, and the repository is read by this program's \
             own code from memory, with nothing written; Git reads, checks and writes, and hashes one object after the other.",
        ),
        (
            &[Operation::Storage.word()],
            "By how much a repository grows on disk. Names are counted before compression and before trees are stored as \
             differences from each other.",
        ),
        (
            &[AVAILABLE],
            "Whether your build of a library has a function. Places are told by what their makers publish, and only this host \
             was asked; available does not mean fast.",
        ),
    ],
    ..Chapter::of(NAME, tables::tables)
};
