//! The workbench of the carrier `disk`: which algorithms it can carry, what is measured of them, what a report says of
//! that, and the commands that do the carrier's job.
//!
//! The protocol itself is in `fieldtest-disk`, which knows no algorithm by name and no terminal.

#![forbid(unsafe_code)]

mod algorithms;
mod args;
mod commands;
mod ended;
mod report;
mod study;
pub mod words;

use clap::{FromArgMatches as _, Subcommand as _};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output, progress};
use fieldtest_study::Studied;
pub use report::STUDY_SECTION;
pub use study::DiskPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "disk";

/// The carrier, as the program has it.
pub static CARRIER: Carrier = Carrier {
    study: Studied::of::<DiskPart>(NAME),
    about: "Create, open, copy and serve LUKS containers",
    commands: args::Disk::augment_subcommands,
    examples: include_str!("examples.txt"),
    run: |typed, format| commands::run(args::Disk::from_arg_matches(typed)?, format),
    study_section: &STUDY_SECTION,
    input: Some(Input {
        option: "disk",
        value: "FILE",
        help: "Measure disk encryption on this LUKS2 container, image or block device (read only)",
        carrier: "disk encryption",
        fits: |_, begin| begin.starts_with(b"LUKS\xba\xbe"),
    }),
};
