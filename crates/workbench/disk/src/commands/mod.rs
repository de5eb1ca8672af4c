//! `fieldtest disk`: LUKS containers.

mod check_spec;
mod copy;
mod dump;
mod format;
mod open;
mod opened;
mod passphrase;
mod reencrypt;
mod remedies;
mod repair;
mod same_storage;
mod serve;
mod shown;
mod slot;
mod study;

use anyhow::Result;
use fieldtest_disk::Error;
use fieldtest_frame::secrets::no_core_dumps;
use fieldtest_frame::text::near;
use fieldtest_report::Table;

use crate::args::Disk;
use crate::ended::Ended;
use crate::outcome::{Outcome, coded, named, usage};
use crate::output::{self, Format};

pub(crate) fn run(command: Disk, format: Format) -> Result<Outcome> {
    if !matches!(command, Disk::Dump(_) | Disk::Repair(_) | Disk::CheckSpec(_) | Disk::Study(_)) {
        no_core_dumps();
    }
    let result = match command {
        Disk::Format(args) => format::run(&args, format),
        Disk::Open(args) => open::run(&args, format),
        Disk::Dump(args) => dump::run(&args, format),
        Disk::Copy(args) => copy::run(&args, format),
        Disk::Serve(args) => serve::run(&args, format),
        Disk::Slot(args) => slot::run(&args, format),
        Disk::Reencrypt(args) => reencrypt::run(&args, format),
        Disk::Repair(args) => repair::run(&args, format),
        Disk::CheckSpec(args) => check_spec::run(&args, format),
        Disk::Study(args) => study::run(args, format),
    };
    result.or_else(|error| {
        let ended = error.downcast::<Ended>()?;
        output::message(&ended.to_string());
        Ok(ended.outcome)
    })
}

/// What was said in sentences, for programs.
fn account<'a>(
    title: &str,
    facts: impl IntoIterator<Item = (&'a str, String)>,
    format: Format,
) -> Result<Outcome> {
    if format != Format::Human {
        output::table(&Table::of_facts(title, facts), format)?;
    }
    Ok(Outcome::Fine)
}

/// The error for a name that an option does not take.
fn unknown(option: &str, typed: &str, known: &[&str], error: &Error) -> anyhow::Error {
    let (all, meant) = (known.join(", "), near::meant(typed, known.iter().copied()));
    coded(named(error), usage(format!("invalid {option} '{typed}': expected one of {all}{meant}")))
}

/// Bytes of a key of so many bits.
fn key_len(bits: u32) -> Result<usize> {
    match bits % 8 {
        0 => Ok(bits as usize / 8),
        _ => Err(usage(format!(
            "invalid --key-size '{bits}': expected a multiple of 8 bits, such as 256 or 512"
        ))),
    }
}
