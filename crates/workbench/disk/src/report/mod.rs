//! What a report says of the study: records in, tables, pictures and sentences out.

mod asked;
mod containers;
mod decision;
mod disk;
mod published;
mod tables;

use fieldtest_report::StudySection;

use crate::NAME;
use crate::words::Operation;

/// The chapter on Disk encryption.
pub const STUDY_SECTION: StudySection = StudySection {
    title: "Disk encryption",
    lead: "What a cipher costs per sector and in a real container, what it hides, and which systems support it.",
    plots: &[],
    columns: include_str!("columns.txt"),
    more_is_better: &[Operation::Diffusion.word()],
    decision: Some(&decision::DECISION),
    limits: &[
        (
            &[Operation::Encrypt.word()],
            "How fast a disk becomes. Sectors are encrypted in user space, repeatedly from warm caches: a kernel adds its \
             queues, its copies and the disk itself, and may have slower or faster code. Containers are read from the page cache.",
        ),
        (
            &[Operation::Diffusion.word()],
            "That a disk is safe from who can write to it. None of these ciphers authenticates: an older version of a sector can always \
             be put back unnoticed, however large the diffusion.",
        ),
    ],
    ..StudySection::of(NAME, tables::tables)
};
