//! The commands, one file each.

mod completions;
mod disk;
mod dnssec;
mod doctor;
mod git;
mod ima;
mod list;
mod man;
mod prove;
mod report;
mod show;
mod speed;
mod study;
pub(crate) mod tcp_ao;

use std::collections::BTreeSet;

use anyhow::Result;

use crate::args::{Args, Command};
use crate::outcome::{Outcome, usage};

/// Runs what was typed.
pub(crate) fn run(args: Args) -> Result<Outcome> {
    let format = args.format;
    match args.command {
        Command::List { kind } => list::run(kind, format),
        Command::Show { algorithm } => show::run(&algorithm, format),
        Command::Prove(select) => prove::run(&select, format),
        Command::Doctor => doctor::run(format),
        Command::Speed(args) => speed::run(&args, format),
        Command::Study(args) => study::run(args, format),
        Command::Report(args) => report::run(&args, format),
        Command::Dnssec(command) => dnssec::run(command, format),
        Command::TcpAo(command) => tcp_ao::run(command, format),
        Command::Ima(command) => ima::run(command, format),
        Command::Git(command) => git::run(command, format),
        Command::Disk(command) => disk::run(command, format),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { directory } => man::run(&directory),
    }
}

/// Refuses names that no algorithm's implementation has; an algorithm may well lack one that others have.
fn known_implementation<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let all = fieldtest_catalog::entries().into_iter().flat_map(|entry| entry.implementations());
    let known: BTreeSet<&str> = all.map(|(name, _)| name).collect();
    match names.into_iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let known = Vec::from_iter(known).join(", ");
            Err(usage(format!("no algorithm has an implementation named '{name}'; known are: {known}")))
        }
    }
}
