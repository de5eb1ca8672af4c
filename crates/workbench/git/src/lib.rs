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

use anyhow::Result;
use clap::{ArgMatches, Command};
use fieldtest_frame::carrier::{self, Carrier, Input};
use fieldtest_frame::{interrupt, outcome, output, progress};
use fieldtest_report::Chapter;
use fieldtest_study::part::{Part, Studied, table};
use outcome::Outcome;
use output::Format;
pub use report::GitChapter;
pub use study::GitPart;

/// The carrier's name: of its commands, of its table in a study, and of its study in records.
const NAME: &str = "git";

/// The carrier, as the program has it.
#[derive(Debug)]
pub struct Git;

impl Studied for Git {
    fn table(&self) -> &'static str {
        NAME
    }

    fn part(&self, text: &str) -> Result<Box<dyn Part>, toml::de::Error> {
        Ok(Box::new(table::<GitPart>(text, NAME)?))
    }
}

impl Carrier for Git {
    fn command(&self) -> Command {
        carrier::family::<args::Git>(
            NAME,
            "Git: repositories verified, mapped and converted to other hash functions",
        )
    }

    fn run(&self, typed: &ArgMatches, format: Format) -> Result<Outcome> {
        commands::run(carrier::typed(typed)?, format)
    }

    fn chapter(&self) -> &'static dyn Chapter {
        &GitChapter
    }

    fn input(&self) -> Option<Input> {
        Some(Input {
            option: "repository",
            value: "REPOSITORY",
            help: "Measure Git on this repository instead of the study's",
            carrier: "Git",
        })
    }
}
