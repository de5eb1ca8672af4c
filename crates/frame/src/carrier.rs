//! What the program knows of a carrier: its study, what a report says of it, and its commands.

use std::path::Path;

use anyhow::Result;
use clap::{ArgMatches, Command};
use fieldtest_report::StudySection;
use fieldtest_study::Studied;

use crate::arguments::with_examples;
use crate::outcome::Outcome;
use crate::output::Format;

/// A deployed system that carries algorithms, as the program has it.
#[derive(Debug)]
pub struct Carrier {
    /// Its name, and its part of a study.
    pub study: Studied,
    /// What its commands are about, in a line.
    pub about: &'static str,
    /// Adds its commands to the one of its name, as clap's [`Subcommand`](clap::Subcommand) does.
    pub commands: fn(Command) -> Command,
    /// What people ask of them, as [`with_examples`] reads it.
    pub examples: &'static str,
    /// Does what was typed.
    pub run: fn(&ArgMatches, Format) -> Result<Outcome>,
    /// What a report says of its study.
    pub study_section: &'static StudySection,
    /// What its study can be measured on instead of a sample, where there is such a thing.
    pub input: Option<Input>,
}

impl Carrier {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.study.table
    }

    /// Its commands, all under its name.
    pub fn command(&self) -> Command {
        let own = (self.commands)(Command::new(self.name()).about(self.about));
        with_examples(own.subcommand_required(true).arg_required_else_help(true), self.examples)
    }
}

/// What a study of a carrier can be measured on.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// The option's name: `zone`.
    pub option: &'static str,
    /// What stands for its value in the help: `ZONE`.
    pub value: &'static str,
    /// What the help says.
    pub help: &'static str,
    /// What people call the carrier.
    pub carrier: &'static str,
    /// Whether something can be measured on, by its path and, of a file, its first bytes.
    pub fits: fn(&Path, &[u8]) -> bool,
}
