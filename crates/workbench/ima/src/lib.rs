//! The workbench of the carrier `ima`: which algorithms it can carry, what is measured of them, what a report says of
//! that, and the commands that do the carrier's job.
//!
//! The protocol itself is in `fieldtest-ima`, which knows no algorithm by name and no terminal.

#![forbid(unsafe_code)]

mod algorithms;
mod args;
mod commands;
mod report;
mod study;
pub mod words;

use clap::{FromArgMatches as _, Subcommand as _};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output, progress};
use fieldtest_study::Studied;
pub use report::STUDY_SECTION;
pub use study::ImaPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "ima";

/// The carrier, as the program has it.
pub static CARRIER: Carrier = Carrier {
    study: Studied::of::<ImaPart>(NAME),
    about: "Plan, make and verify IMA file signatures",
    commands: args::Ima::augment_subcommands,
    examples: include_str!("examples.txt"),
    run: |typed, format| commands::run(args::Ima::from_arg_matches(typed)?, format),
    study_section: &STUDY_SECTION,
    input: Some(Input {
        option: "tree",
        value: "DIRECTORY",
        help: "Measure IMA on this tree of files instead of the study's",
        carrier: "IMA",
        fits: |path, _| path.is_dir(),
    }),
};
