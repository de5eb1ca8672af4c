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

use anyhow::Result;
use clap::{ArgMatches, Command};
use fieldtest_frame::carrier::{self, Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output, progress};
use fieldtest_report::Chapter;
use fieldtest_study::part::{Part, Studied, table};
use outcome::Outcome;
use output::Format;
pub use report::DiskChapter;
pub use study::DiskPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "disk";

/// The carrier, as the program has it.
#[derive(Debug)]
pub struct Disk;

impl Studied for Disk {
    fn table(&self) -> &'static str {
        NAME
    }

    fn part(&self, text: &str) -> Result<Box<dyn Part>, toml::de::Error> {
        Ok(Box::new(table::<DiskPart>(text, NAME)?))
    }
}

impl Carrier for Disk {
    fn command(&self) -> Command {
        carrier::family::<args::Disk>(
            NAME,
            "Disk encryption: LUKS containers with any cipher made, opened, copied and served",
        )
    }

    fn run(&self, typed: &ArgMatches, format: Format) -> Result<Outcome> {
        commands::run(carrier::typed(typed)?, format)
    }

    fn chapter(&self) -> &'static dyn Chapter {
        &DiskChapter
    }

    fn input(&self) -> Option<Input> {
        Some(Input {
            option: "disk",
            value: "FILE",
            help: "Measure disk encryption on this LUKS2 container, image or block device, which is only read",
            carrier: "disk encryption",
        })
    }
}
