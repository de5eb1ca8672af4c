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

use anyhow::Result;
use clap::{ArgMatches, Command};
use fieldtest_frame::carrier::{self, Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output};
use fieldtest_report::Chapter;
use fieldtest_study::part::{Part, Studied, table};
use outcome::Outcome;
use output::Format;
pub use report::TcpAoChapter;
pub use study::TcpAoPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "tcp-ao";

/// The carrier, as the program has it.
#[derive(Debug)]
pub struct TcpAo;

impl Studied for TcpAo {
    fn table(&self) -> &'static str {
        NAME
    }

    fn part(&self, text: &str) -> Result<Box<dyn Part>, toml::de::Error> {
        Ok(Box::new(table::<TcpAoPart>(text, NAME)?))
    }
}

impl Carrier for TcpAo {
    fn command(&self) -> Command {
        carrier::family::<args::TcpAo>(NAME, "TCP-AO: captures verified and signed, keys, a gateway")
    }

    fn run(&self, typed: &ArgMatches, format: Format) -> Result<Outcome> {
        commands::run(carrier::typed(typed)?, format)
    }

    fn chapter(&self) -> &'static dyn Chapter {
        &TcpAoChapter
    }

    fn input(&self) -> Option<Input> {
        Some(Input {
            option: "capture",
            value: "FILE",
            help: "Measure TCP-AO on the traffic of this capture instead of the study's",
            carrier: "TCP-AO",
        })
    }
}
