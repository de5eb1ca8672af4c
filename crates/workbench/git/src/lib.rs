//! The workbench of the carrier `git`: which algorithms it can carry, what is measured of them, what a report says of
//! that, and the commands that do the carrier's job.
//!
//! The protocol itself is in `fieldtest-git`, which knows no algorithm by name and no terminal.

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
pub use study::GitPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "git";

/// The carrier, as the program has it.
pub static CARRIER: Carrier = Carrier {
    study: Studied::of::<GitPart>(NAME),
    about: "Verify, map and convert Git repositories",
    commands: args::Git::augment_subcommands,
    examples: include_str!("examples.txt"),
    run: |typed, format| commands::run(args::Git::from_arg_matches(typed)?, format),
    study_section: &STUDY_SECTION,
    input: Some(Input {
        option: "repository",
        value: "REPOSITORY",
        help: "Measure Git on this repository instead of the study's",
        carrier: "Git",
        fits: |path, _| path.join(".git").exists() || path.join("objects").is_dir(),
    }),
};
