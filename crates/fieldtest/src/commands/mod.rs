//! The general commands, one file each; those of the carriers are in their workbenches.

mod advise;
mod calibrate;
mod cbom;
mod compare;
mod completions;
mod doctor;
mod gate;
mod in_use;
mod kcmvp;
mod labelled;
mod ledger;
mod list;
mod man;
mod memo;
mod merge;
mod prove;
mod records;
mod replacing;
mod report;
mod show;
mod speed;
mod study;
mod worker;

use std::env;
use std::fmt::Display;
use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgMatches, FromArgMatches as _};
use fieldtest_catalog::ENGINES;
use fieldtest_catalog::host::{self, HOSTS, Host, extensions};
use fieldtest_engine::library;
use fieldtest_frame::{interrupt, own_program};
use fieldtest_measure::cpu_time;

use crate::args::{self, Args, Command};
use crate::carriers::CARRIERS;
use crate::outcome::{Outcome, usage};
use crate::output;

/// Does what was typed.
///
/// # Errors
/// Whatever the command could not do.
pub fn run(typed: &ArgMatches) -> Result<Outcome> {
    restrict(args::extensions(typed))?;
    // Such a process was started for one engine, and needs no others.
    if typed.subcommand_name() != Some(library::COMMAND) {
        attach(&args::engines(typed))?;
    }
    for carrier in CARRIERS {
        if let Some((name, below)) = typed.subcommand()
            && name == carrier.name()
        {
            if below.subcommand_name() != Some("study") {
                look_only_for_what_is_typed();
            }
            let format = typed.get_one("format").copied().unwrap_or_default();
            return (carrier.run)(below, format);
        }
    }
    let Args { format, command, everywhere: _ } = Args::from_arg_matches(typed)?;
    match command {
        Command::List { kind } => list::run(kind, format),
        Command::Show { algorithm } => show::run(&algorithm, format),
        Command::Prove(select) => prove::run(&select, format),
        Command::Doctor => doctor::run(format),
        Command::Calibrate(args) => calibrate::run(&args, format),
        Command::Speed(args) => speed::run(&args, format),
        Command::Study(study) => study::run(&study, &args::inputs(typed), format),
        Command::Report(args) => report::run(&args, format),
        Command::Compare(args) => compare::run(&args, format),
        Command::Gate(args) => gate::run(&args, format),
        Command::Merge(args) => merge::run(&args, format),
        Command::Ledger(args) => ledger::run(&args, format),
        Command::Advise(args) => advise::run(&args, args::constraints(typed), format),
        Command::Memo(args) => memo::run(&args, args::constraints(typed), format),
        Command::Cbom(args) => cbom::run(&args, format),
        Command::Kcmvp(command) => kcmvp::run(&command, format),
        Command::Worker => worker::run(),
        Command::EngineLibrary { words } => {
            library::serve(&words)?;
            Ok(Outcome::Fine)
        }
        Command::Completions { shell } => completions::run(shell, format),
        Command::Man { directory } => man::run(&directory, format),
    }
}

/// Restricts extensions to what was typed, or what the environment says, in this process and in those that it starts.
/// Libraries look at the environment when they are loaded, some before the first line of this program: where it lacks
/// something for them, the program starts again.
fn restrict(typed: Option<&str>) -> Result<()> {
    let told = env::var_os(extensions::VARIABLE).unwrap_or_default().to_string_lossy().into_owned();
    let word = typed.unwrap_or(&told);
    if word.is_empty() {
        return Ok(());
    }
    let levels = extensions::Level::ALL.iter().rev().map(|level| level.word()).collect::<Vec<_>>();
    if !levels.contains(&word) {
        let (variable, levels) = (extensions::VARIABLE, levels.join(", "));
        return Err(usage(format!("invalid {variable} '{word}': expected one of {levels}")));
    }
    let said = |error: &dyn Display| usage(format!("cannot restrict extensions to '{word}': {error}"));
    let level = extensions::restrict(word).map_err(|error| said(&error))?;
    let wanted = extensions::environment(level);
    if wanted.iter().all(|(name, value)| env::var_os(name).is_some_and(|it| it == **value)) {
        return Ok(());
    }
    Err(said(&own_program::start_again(wanted)))
}

/// Adds algorithms of others to the catalog, in this process and in those that it starts to measure.
fn attach(typed: &[PathBuf]) -> Result<()> {
    let own = own_program::program();
    let told = env::var_os(ENGINES).unwrap_or_default();
    let told: Vec<PathBuf> = env::split_paths(&told).filter(|path| !path.as_os_str().is_empty()).collect();
    fieldtest_catalog::attach(&told, own).map_err(|error| usage(format!("{ENGINES}: {error}")))?;
    fieldtest_catalog::attach(typed, own).map_err(usage)?;
    for path in fieldtest_catalog::descriptions() {
        output::reads(&path, "the description of an engine, which would be lost");
    }
    let mut words = Vec::new();
    for path in typed {
        let path = path.to_str().ok_or_else(|| usage("--engine needs a path that is UTF-8; rename it"))?;
        words.extend(["--engine".to_owned(), path.to_owned()]);
    }
    own_program::hand_on(words);
    cpu_time::count_also(fieldtest_engine::cpu_time);
    fieldtest_engine::end_when(interrupt::asked);
    Ok(())
}

/// A carrier's job is done by the usual implementations, or by one that was named: libraries that nobody asked for need not
/// be loaded from the host.
fn look_only_for_what_is_typed() {
    let words: Vec<String> = env::args_os().map(|word| word.to_string_lossy().to_lowercase()).collect();
    let is_meant = |host: &&Host| {
        host.usual || words.iter().any(|word| word.contains(host.name.trim_end_matches("-host")))
    };
    host::look_only_for(HOSTS.iter().filter(is_meant).map(|host| host.name));
}
