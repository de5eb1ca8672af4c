//! Defaults of options from a file, for whoever types the same ones every time.
//!
//! A key is an option without its hyphens: at the top one that every command has, below `[speed]` or `[dnssec.study]`
//! one of that command. What is typed goes before, and so it does where the two exclude each other. The options are put
//! among the words that were typed, so that each has one reader, and records state the command as it ran.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use fieldtest_study::plan::from_toml;
use toml::{Table, Value};

use crate::{calibrated, input, text};

/// Where the file is, if not at its usual place; empty for none.
const VARIABLE: &str = "FIELDTEST_CONFIG";
/// Bytes of the largest file.
const LARGEST: u64 = 1 << 20;

/// What was typed with the options of a file.
pub(crate) struct Extended {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it says.
    pub(crate) document: String,
    /// The words that were typed, with its options.
    pub(crate) words: Vec<OsString>,
}

impl Extended {
    /// Of options in the file that cannot be used: `said` names one of them as it would be typed.
    pub(crate) fn cannot_use(&self, said: &str) -> anyhow::Error {
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let option = said.split_once("--").map(|(_, rest)| rest.split(ends).next().unwrap_or(rest));
        let located = option.map(|option| text::toml::of_name(&self.document, option, said));
        cannot_use(&self.path, &located.unwrap_or_else(|| said.to_owned()))
    }
}

/// What was typed with the options of the file; `None` where there is no file or nothing in it is for this command.
///
/// # Errors
/// A file that cannot be read, and keys that name no command or option.
pub(crate) fn extended(
    command: &Command,
    matches: &ArgMatches,
    typed: &[OsString],
) -> Result<Option<Extended>> {
    let Some((path, content)) = found()? else { return Ok(None) };
    // Options of every command are each command's own from here on.
    let mut command = command.clone();
    command.build();
    let document = text::decoded(&content).map_err(|fault| cannot_use(&path, fault))?;
    let table = from_toml::<Table>(document).and_then(|table| {
        check(&command, &table)
            .map_err(|(key, fault)| text::toml::of_name(document, &key, &fault))
            .map(|()| table)
    });
    let table = table.map_err(|fault| cannot_use(&path, &fault))?;
    let words = among(&command, matches, &table, typed);
    let document = document.to_owned();
    Ok((words.len() > typed.len()).then_some(Extended { path, document, words }))
}

/// Of what is wrong with the file.
fn cannot_use(path: &std::path::Path, fault: &str) -> anyhow::Error {
    let remedy = format!("correct it, or set {VARIABLE}= to ignore it");
    anyhow!("cannot use the configuration {}: {}", text::path(path), text::remedied(fault, &remedy))
}

/// The file and its content, at the place of the XDG Base Directory Specification unless the environment names another.
fn found() -> Result<Option<(PathBuf, Vec<u8>)>> {
    let named = env::var_os(VARIABLE);
    if named.as_ref().is_some_and(|it| it.is_empty()) {
        return Ok(None);
    }
    let usual = || {
        let home = || Some(calibrated::absolute("HOME")?.join(".config"));
        Some(calibrated::absolute("XDG_CONFIG_HOME").or_else(home)?.join("fieldtest/config.toml"))
    };
    let Some(path) = named.clone().map(PathBuf::from).or_else(usual) else { return Ok(None) };
    match input::read(&path, LARGEST) {
        Ok(content) => Ok(Some((path, content))),
        Err(error)
            if named.is_none() && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(cannot_use(&path, &text::system(&error.to_string()))),
    }
}

/// Refuses names of commands and options that there are none of, also of commands that are not run now. An error has the
/// key, as the file has it.
fn check(command: &Command, table: &Table) -> Result<(), (String, String)> {
    let of = command.get_bin_name().filter(|it| !it.is_empty()).unwrap_or(command.get_name());
    for (name, value) in table {
        let key = text::line(name);
        let refused = |fault| Err((name.clone(), fault));
        match value {
            Value::Table(below) => match below_of(command, &key) {
                Some(command) => check(command, below)?,
                None => {
                    let known = command.get_subcommands().filter(|it| !it.is_hide_set());
                    let meant = text::near::meant(&key, known.map(Command::get_name));
                    return refused(format!("unknown command '{of} {key}'{meant}"));
                }
            },
            _ => {
                let Some(option) = option(command, &key) else {
                    let meant = match command.get_subcommands().find(|it| option(it, &key).is_some()) {
                        Some(below) => format!("; write it below a command, such as [{}]", below.get_name()),
                        None => text::near::meant(&key, command.get_arguments().filter_map(Arg::get_long)),
                    };
                    return refused(format!("unknown option '{key}' of '{of}'{meant}"));
                };
                // Without it the words are refused before the file is read.
                if option.is_required_set() {
                    return refused(format!("'{key}' of '{of}' has no default: it has to be typed"));
                }
                let takes_values = option.get_action().takes_values();
                if takes_values == value.is_bool() || words(&key, value).is_none() {
                    let words = option.get_possible_values();
                    let words: Vec<&str> = words.iter().map(PossibleValue::get_name).collect();
                    let expected = match (takes_values, words.is_empty()) {
                        (false, _) => "true or false".to_owned(),
                        (true, true) => "text, a number or a list".to_owned(),
                        (true, false) => format!("one of {}", words.join(", ")),
                    };
                    let value = text::line(&value.to_string()).into_owned();
                    return refused(format!("invalid {key} {value}: expected {expected}"));
                }
            }
        }
    }
    Ok(())
}

fn below_of<'a>(command: &'a Command, name: &str) -> Option<&'a Command> {
    command.get_subcommands().find(|it| it.get_name() == name && !it.is_hide_set())
}

fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let ends = |it: &Arg| {
        use ArgAction::{Help, HelpLong, HelpShort, Version};
        matches!(it.get_action(), Help | HelpLong | HelpShort | Version)
    };
    command.get_arguments().find(|it| it.get_long() == Some(name) && !ends(it))
}

/// An option as it would be typed; none of one that is switched off.
fn words(name: &str, value: &Value) -> Option<Vec<OsString>> {
    let with = |value: String| vec![OsString::from(format!("--{name}={value}"))];
    Some(match value {
        Value::Boolean(true) => vec![format!("--{name}").into()],
        Value::Boolean(false) => Vec::new(),
        Value::String(text) => with(text.clone()),
        Value::Integer(number) => with(number.to_string()),
        Value::Float(number) => with(number.to_string()),
        Value::Array(all) if all.iter().all(|it| !it.is_array() && !it.is_bool()) => {
            all.iter().map(|it| words(name, it)).collect::<Option<Vec<_>>>()?.concat()
        }
        Value::Array(_) | Value::Datetime(_) | Value::Table(_) => return None,
    })
}

/// The words that were typed, with a table's options behind the name of their command.
fn among(command: &Command, matches: &ArgMatches, table: &Table, typed: &[OsString]) -> Vec<OsString> {
    let mut all = typed.to_vec();
    let (mut command, mut matches, mut table, mut at) = (command, matches, table, 0);
    loop {
        let excludes = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|it| it.get_id() == other.get_id())
        };
        let untyped = |(key, _): &(&String, &Value)| {
            option(command, key).is_some_and(|arg| {
                let mut typed = command.get_arguments().filter(|it| is_typed(matches, it));
                !typed.any(|it| it == arg || excludes(it, arg) || excludes(arg, it))
            })
        };
        let own = table.iter().filter(|(_, value)| !value.is_table()).filter(untyped);
        let own: Vec<OsString> = own.filter_map(|(key, value)| words(key, value)).flatten().collect();
        let behind = (at + 1).min(all.len());
        at += own.len();
        all.splice(behind..behind, own);
        let Some((name, below)) = matches.subcommand() else { return all };
        let (Some(next), Some(Value::Table(of))) = (below_of(command, name), table.get(name)) else {
            return all;
        };
        let is_name = |word: &OsString| {
            word.to_str().is_some_and(|it| it == name || next.get_all_aliases().any(|alias| alias == it))
        };
        let Some(place) = all.iter().skip(at + 1).position(is_name) else { return all };
        at += 1 + place;
        (command, matches, table) = (next, below, of);
    }
}

/// Whether an option was typed for this command, or, where it is one of every command, for one below.
fn is_typed(matches: &ArgMatches, arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    let here =
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
    let below = || matches.subcommand().is_some_and(|(_, below)| is_typed(below, arg));
    here || (arg.is_global_set() && below())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let budget = Arg::new("budget").long("budget").value_name("SECONDS");
        let algorithm = Arg::new("algorithm").long("algorithm").short('a').action(ArgAction::Append);
        let full = Arg::new("full").long("full").action(ArgAction::SetTrue).conflicts_with("budget");
        let study = Command::new("study").args([budget, algorithm, full]);
        let format = Arg::new("format").long("format").global(true);
        let mut command =
            Command::new("fieldtest").arg(format).subcommand(Command::new("larch").subcommand(study));
        command.build();
        command
    }

    fn with(toml: &str, typed: &str) -> String {
        let command = command();
        let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let matches = command.clone().try_get_matches_from(&words).expect("words");
        let table: Table = toml::from_str(toml).expect("TOML");
        check(&command, &table).expect("known names");
        let all = among(&command, &matches, &table, &words);
        command.clone().try_get_matches_from(&all).expect("words with options");
        all.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_typed_goes_before() {
        let file = "format = 'md'\n[larch.study]\nbudget = 20\nalgorithm = ['a', 'b']\nfull = false";
        for (typed, all) in [
            (
                "fieldtest larch study",
                "fieldtest --format=md larch study --algorithm=a --algorithm=b --budget=20",
            ),
            ("fieldtest larch study --budget 5 -a c", "fieldtest --format=md larch study --budget 5 -a c"),
            (
                "fieldtest larch study --format csv --full",
                "fieldtest larch study --algorithm=a --algorithm=b --format csv --full",
            ),
        ] {
            assert_eq!(with(file, typed), all);
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        for file in [
            "budget = 1",
            "[dns]\nx = 1",
            "[larch.study]\nbudgt = 1",
            "format = [true]",
            "format = 2026-01-01",
            "format = true",
            "help = true",
            "[larch.study]\nfull = 'yes'",
        ] {
            let table: Table = toml::from_str(file).expect("TOML");
            assert!(check(&command(), &table).is_err(), "{file}");
        }
    }
}
