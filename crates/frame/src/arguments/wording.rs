//! What is said of arguments that clap refuses, in the house's forms: `invalid --threads '0': expected 1 to 1024`.

use std::error::Error as _;
use std::ffi::OsString;
use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgMatches, Command};

use crate::text::near::meant;
use crate::text::units;

/// The same error in other words, where clap's are a parser's or suggest what is not meant.
pub(super) fn worded(command: &Command, words: &[OsString], error: Error) -> Error {
    let said = match error.kind() {
        ErrorKind::ValueValidation => validation(command, words, &error),
        ErrorKind::InvalidValue => choice(&error),
        ErrorKind::InvalidSubcommand => unknown(command, words, &error, ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => unknown(command, words, &error, ContextKind::InvalidArg),
        ErrorKind::MissingRequiredArgument => all(&error, ContextKind::InvalidArg).map(missing),
        ErrorKind::ArgumentConflict => conflict(&error),
        ErrorKind::TooManyValues => too_many(&error),
        ErrorKind::InvalidUtf8 => Some("an argument is not UTF-8; give it in UTF-8".to_owned()),
        _ => None,
    };
    match said {
        Some(said) => Error::raw(error.kind(), said),
        None => error,
    }
}

fn all(error: &Error, kind: ContextKind) -> Option<&[String]> {
    match error.get(kind)? {
        ContextValue::Strings(all) => Some(all),
        ContextValue::String(one) => Some(std::slice::from_ref(one)),
        _ => None,
    }
}

/// Arguments without clap's brackets: `--key KEY or --keys FILE` for `<--key <KEY>|--keys <FILE>>`.
fn plain(arguments: &str) -> String {
    arguments.replace('|', " or ").replace("...", "").replace(['<', '>', '[', ']'], "")
}

/// Of arguments that are missing: those that have alternatives come last.
fn missing(arguments: &[String]) -> String {
    let pronoun = if arguments.len() == 1 { "it" } else { "them" };
    let (choices, single): (Vec<_>, Vec<_>) = arguments.iter().partition(|it| it.contains('|'));
    let choices = choices.iter().map(|it| format!("one of {}", plain(&it.replace('|', ", "))));
    let all: Vec<String> = single.iter().map(|it| plain(it)).chain(choices).collect();
    format!("missing {}; add {pronoun}", all.join(" and "))
}

fn conflict(error: &Error) -> Option<String> {
    let (one, others) = (word(error, ContextKind::InvalidArg)?, all(error, ContextKind::PriorArg)?);
    Some(match others {
        [same] if same == one => plain(&format!("'{one}' is given twice; give it once")),
        others => {
            plain(&format!("'{one}' cannot be used with '{}'; remove one of them", others.join("', '")))
        }
    })
}

fn too_many(error: &Error) -> Option<String> {
    let ((name, _), typed) = (names(error)?, word(error, ContextKind::InvalidValue)?);
    Some(format!("unexpected value '{typed}' of {name}; remove it"))
}

/// An option with a number that no computer can have: `1e400` was shown as `inf` by whoever refused it later.
pub(super) fn infinite(matches: &ArgMatches) -> Option<Error> {
    let found = matches.ids().find_map(|id| {
        let mut values = matches.try_get_many::<f64>(id.as_str()).ok()??;
        let at = values.position(|value| !value.is_finite())?;
        let typed = matches.get_raw(id.as_str())?.nth(at)?.to_string_lossy();
        let is_large = typed.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit());
        let expected = if is_large { "a smaller number" } else { "a number, such as 0.5" };
        let said = format!("invalid --{} '{typed}': expected {expected}", id.as_str().replace('_', "-"));
        Some(Error::raw(ErrorKind::ValueValidation, said))
    });
    found.or_else(|| infinite(matches.subcommand()?.1))
}

fn word(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(word) => Some(word),
        _ => None,
    }
}

/// The name of the argument and of its value: `--threads` and `NUMBER`, or the second twice.
fn names(error: &Error) -> Option<(&str, &str)> {
    let argument = word(error, ContextKind::InvalidArg)?;
    let (name, value) = match argument.starts_with('-') {
        true => argument.split_once([' ', '=', '[']).unwrap_or((argument, argument)),
        false => (argument, argument),
    };
    let plain = |c| "<>[].=".contains(c);
    Some((name.trim_matches(plain), value.trim_matches(plain)))
}

fn validation(command: &Command, words: &[OsString], error: &Error) -> Option<String> {
    let ((name, placeholder), typed) = (names(error)?, word(error, ContextKind::InvalidValue)?);
    if typed.is_empty() {
        return Some(format!("missing value of '{}'; add it", unbracketed(error)?));
    }
    let cause = error.source()?;
    let is_large = typed.parse::<f64>().is_ok_and(|number| number > 1e9);
    let expected = match (cause.downcast_ref::<ParseIntError>(), range(&cause.to_string())) {
        (_, Some(range)) if is_large && range.1 >= OPEN => "expected a smaller whole number".to_owned(),
        (_, Some(range)) => format!("expected {range}"),
        (Some(parse), None) => {
            let range = probed(command, words, name, typed);
            let too_large = matches!(parse.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
            match range {
                Some(range) if too_large && range.1 < OPEN => format!("expected {range}"),
                // With its unit it is a number, but none that is taken.
                Some(range) if units::plain(typed, placeholder).is_some() => format!("expected {range}"),
                _ if is_large => "expected a smaller whole number".to_owned(),
                Some(range) if typed.starts_with('-') => format!("expected {range}"),
                None if typed.starts_with('-') => "expected a whole number of at least 0".to_owned(),
                range => format!("expected a whole number, such as {}", example(placeholder, range)),
            }
        }
        _ if cause.is::<AddrParseError>() => "expected an IP address, such as 192.0.2.1".to_owned(),
        _ if cause.is::<ParseFloatError>() => format!("expected {}", units::expected(placeholder)),
        _ => cause.to_string(),
    };
    // A type that is read elsewhere too quotes what it was given itself.
    let quoted = expected.strip_prefix("invalid ").and_then(|it| it.split_once(&format!("'{typed}': ")));
    Some(format!("invalid {name} '{typed}': {}", quoted.map_or(&*expected, |(_, rest)| rest)))
}

/// Whole numbers that an option takes.
#[derive(Clone, Copy)]
struct Range(i128, i128);

/// A range from here on ends only where its type does, which is no advice.
const OPEN: i128 = u32::MAX as i128;

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 >= OPEN {
            true => write!(f, "at least {}", self.0),
            false => write!(f, "{} to {}", self.0, self.1),
        }
    }
}

/// The range that clap names: `0 is not in 1..=1024`.
fn range(said: &str) -> Option<Range> {
    let (low, high) = said.split_once(" is not in ")?.1.split_once("..")?;
    let end = match high.strip_prefix('=') {
        Some(last) => last.parse().ok()?,
        None if high.is_empty() => i128::from(i64::MAX),
        None => high.parse::<i128>().ok()? - 1,
    };
    Some(Range(low.parse().ok()?, end))
}

/// The range of an option that was given something else than a number: what clap says of a number beyond all ranges.
fn probed(command: &Command, words: &[OsString], name: &str, typed: &str) -> Option<Range> {
    let (at, flag) = super::place(words, name, typed)?;
    let mut words = words.to_vec();
    words[at] = format!("{flag}{}", i64::MAX).into();
    let error = command.clone().try_get_matches_from(words).err()?;
    range(&error.source()?.to_string())
}

/// A number that an option with this placeholder would take.
fn example(placeholder: &str, range: Option<Range>) -> i128 {
    let usual = match placeholder {
        "BITS" => 256,
        "BYTES" => 4096,
        "MILLISECONDS" => 2000,
        "KIBIBYTES" => 1_048_576,
        _ => 5,
    };
    range.filter(|range| !(range.0..=range.1).contains(&usual)).map_or(usual, |range| range.0)
}

/// The argument of an error without clap's brackets.
fn unbracketed(error: &Error) -> Option<String> {
    Some(plain(word(error, ContextKind::InvalidArg)?))
}

fn choice(error: &Error) -> Option<String> {
    let ((name, _), typed) = (names(error)?, word(error, ContextKind::InvalidValue)?);
    let valid = all(error, ContextKind::ValidValue).unwrap_or_default();
    if typed.is_empty() || valid.is_empty() {
        let one_of = if valid.is_empty() { String::new() } else { format!(", one of {}", valid.join(", ")) };
        return Some(format!("missing value of '{}'; add it{one_of}", unbracketed(error)?));
    }
    let meant = meant(typed, valid.iter().map(String::as_str));
    Some(format!("invalid {name} '{typed}': expected one of {}{meant}", valid.join(", ")))
}

/// The words with a negative number as the value of the option before it: clap takes it for an option of its own.
pub(super) fn negative(words: &[OsString], error: &Error) -> Option<Vec<OsString>> {
    let typed =
        word(error, ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let at = words.iter().rposition(|word| word.to_str().is_some_and(|word| word.starts_with(typed)))?;
    let (number, option) = (words[at].to_str()?, words.get(at.checked_sub(1)?)?.to_str()?);
    let joint = match (option.starts_with("--"), option.len()) {
        (true, 3..) if !option.contains('=') => "=",
        (false, 2) if option.starts_with('-') => "",
        _ => return None,
    };
    number.trim_start_matches(['-', '.']).chars().next().filter(char::is_ascii_digit)?;
    let mut joined = words.to_vec();
    joined[at - 1] = format!("{option}{joint}{number}").into();
    joined.remove(at);
    Some(joined)
}

fn unknown(command: &Command, words: &[OsString], error: &Error, kind: ContextKind) -> Option<String> {
    let typed = word(error, kind)?;
    let mut command = command.clone();
    command.build();
    let mut command = &command;
    for word in words.iter().skip(1).take_while(|word| *word != typed) {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    if kind == ContextKind::InvalidSubcommand {
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let meant = meant(typed, visible.map(Command::get_name));
        let list = if meant.is_empty() { "; --help lists the commands" } else { "" };
        return Some(format!("unknown command '{typed}'{meant}{list}"));
    }
    if !typed.starts_with('-') {
        return Some(format!("unexpected argument '{typed}'; --help shows what the command takes"));
    }
    let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let long: Vec<String> =
        visible.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect();
    let name = |it: &str| it.trim_matches('-').trim_end_matches('s').to_owned();
    let is_meant = |it: &&Arg| name(it.get_id().as_str()) == name(typed);
    if let Some(argument) = command.get_positionals().find(is_meant) {
        return Some(format!("unknown option '{typed}'; give {} without it", plain(&argument.to_string())));
    }
    let meant = meant(typed, long.iter().map(String::as_str));
    let list = if meant.is_empty() { "; --help lists the options" } else { "" };
    Some(format!("unknown option '{typed}'{meant}{list}"))
}
