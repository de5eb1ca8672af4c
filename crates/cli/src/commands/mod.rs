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
        Command::Completions { shell } => completions::run(shell, format),
        Command::Man { directory } => man::run(&directory, format),
    }
}

/// Refuses names that no algorithm's implementation has; an algorithm may well lack one that others have.
fn known_implementation<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    for name in names {
        fieldtest_catalog::implementation_name(name).map_err(usage)?;
    }
    Ok(())
}
