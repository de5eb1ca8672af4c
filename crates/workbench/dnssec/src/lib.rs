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

use anyhow::Result;
use clap::{ArgMatches, Command};
use fieldtest_frame::carrier::{self, Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output};
use fieldtest_report::Chapter;
use fieldtest_study::part::{Part, Studied, table};
use outcome::Outcome;
use output::Format;
pub use report::DnssecChapter;
pub use study::DnssecPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "dnssec";

/// The carrier, as the program has it.
#[derive(Debug)]
pub struct Dnssec;

impl Studied for Dnssec {
    fn table(&self) -> &'static str {
        NAME
    }

    fn part(&self, text: &str) -> Result<Box<dyn Part>, toml::de::Error> {
        Ok(Box::new(table::<DnssecPart>(text, NAME)?))
    }
}

impl Carrier for Dnssec {
    fn command(&self) -> Command {
        carrier::family::<args::Dnssec>(NAME, "DNSSEC: keys, signed zones, validation, message sizes")
    }

    fn run(&self, typed: &ArgMatches, format: Format) -> Result<Outcome> {
        commands::run(carrier::typed(typed)?, format)
    }

    fn chapter(&self) -> &'static dyn Chapter {
        &DnssecChapter
    }

    fn input(&self) -> Option<Input> {
        Some(Input {
            option: "zone",
            value: "ZONE",
            help: "Measure DNSSEC on this zone instead of the study's",
            carrier: "DNSSEC",
        })
    }
}
