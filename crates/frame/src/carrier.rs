//! What the program knows of a carrier: its study, what a report says of it, and its commands.

use anyhow::Result;
use clap::{ArgMatches, Command, Subcommand};
use fieldtest_report::Chapter;
use fieldtest_study::Studied;

use crate::outcome::Outcome;
use crate::output::Format;

/// A deployed system that carries algorithms, as the program has it.
pub trait Carrier: Studied {
    /// Its commands, all under its name.
    fn command(&self) -> Command;

    /// Does what was typed.
    ///
    /// # Errors
    /// Whatever the command could not do.
    fn run(&self, typed: &ArgMatches, format: Format) -> Result<Outcome>;

    /// What a report says of its study.
    fn chapter(&self) -> &'static dyn Chapter;

    /// What its study can be measured on instead of a sample, where there is such a thing.
    fn input(&self) -> Option<Input> {
        None
    }
}

/// What a study of a carrier can be measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// The option's name: `zone`.
    pub option: &'static str,
    /// What stands for its value in the help: `ZONE`.
    pub value: &'static str,
    /// What the help says.
    pub help: &'static str,
    /// What people call the carrier.
    pub carrier: &'static str,
}

/// The commands of a carrier, as a family of its own.
pub fn family<C: Subcommand>(name: &'static str, about: &'static str) -> Command {
    C::augment_subcommands(Command::new(name).about(about))
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Which of them was typed.
///
/// # Errors
/// Of clap's, where this is not what [`family`] parsed.
pub fn typed<C: Subcommand>(typed: &ArgMatches) -> Result<C> {
    Ok(C::from_arg_matches(typed)?)
}
