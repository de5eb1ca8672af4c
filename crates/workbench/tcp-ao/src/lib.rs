//! The workbench of the carrier `tcp-ao`: which algorithms it can carry, what is measured of them, what a report says of
//! that, and the commands that do the carrier's job.
//!
//! The protocol itself is in `fieldtest-tcp-ao`, which knows no algorithm by name and no terminal.

mod algorithms;
mod args;
mod commands;
mod report;
mod study;
pub mod words;

use clap::{FromArgMatches as _, Subcommand as _};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::{outcome, output};
use fieldtest_study::Studied;
pub use report::STUDY_SECTION;
pub use study::TcpAoPart;

/// How captures begin: pcap of either byte order, with microseconds and nanoseconds, and pcapng.
const MAGIC: [[u8; 4]; 5] = [
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x0a, 0x0d, 0x0d, 0x0a],
];

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "tcp-ao";

/// The carrier, as the program has it.
pub static CARRIER: Carrier = Carrier {
    study: Studied::of::<TcpAoPart>(NAME),
    about: "Verify and sign TCP-AO captures, make keys, run a gateway",
    commands: args::TcpAo::augment_subcommands,
    examples: include_str!("examples.txt"),
    run: |typed, format| commands::run(args::TcpAo::from_arg_matches(typed)?, format),
    study_section: &STUDY_SECTION,
    input: Some(Input {
        option: "capture",
        value: "FILE",
        help: "Measure TCP-AO on the traffic of this capture instead of the study's",
        carrier: "TCP-AO",
        fits: |_, begin| MAGIC.iter().any(|magic| begin.starts_with(magic)),
    }),
};
