//! The workbench of the carrier `dnssec`: which algorithms it can carry, what is measured of them, what a report says of
//! that, and the commands that do the carrier's job.
//!
//! The protocol itself is in `fieldtest-dnssec`, which knows no algorithm by name and no terminal.

#![forbid(unsafe_code)]

mod algorithms;
mod args;
mod commands;
mod internet;
mod report;
mod study;
mod typed;
pub mod words;

use clap::{FromArgMatches as _, Subcommand as _};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output};
use fieldtest_study::Studied;
pub use report::STUDY_SECTION;
pub use study::DnssecPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "dnssec";

/// The carrier, as the program has it.
pub static CARRIER: Carrier = Carrier {
    study: Studied::of::<DnssecPart>(NAME),
    about: "Sign and validate DNSSEC zones, size responses, load servers",
    commands: args::Dnssec::augment_subcommands,
    examples: include_str!("examples.txt"),
    run: |typed, format| commands::run(args::Dnssec::from_arg_matches(typed)?, format),
    study_section: &STUDY_SECTION,
    input: Some(Input {
        option: "zone",
        value: "ZONE",
        help: "Measure DNSSEC on this zone instead of the study's",
        carrier: "DNSSEC",
        fits: |_, begin| begin.split(u8::is_ascii_whitespace).any(|word| word == b"SOA"),
    }),
};
