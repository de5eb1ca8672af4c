//! How a command ends: its exit code, and its last words on standard error.

use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use fieldtest_catalog::{UnknownName, Unserved};
use fieldtest_study::StudyError;

use crate::message::{failure, line};
use crate::{interrupt, text, words};

/// The end of a command that did what was asked, whatever it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All is well.
    Fine,
    /// The command worked and the answer is no: a zone does not validate, say.
    Failed,
    /// An implementation did not reproduce its known answers.
    ProofFailed,
    /// Something takes longer by more than was allowed.
    TooSlow,
    /// The measurement cannot decide what was asked, or the machine is noisy.
    Undecided,
    /// The machine is unfit for measuring.
    Unfit,
    /// The user stopped the command; what it had is kept.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Failed => 1,
            Outcome::ProofFailed => 3,
            Outcome::TooSlow => 4,
            Outcome::Undecided => 5,
            Outcome::Unfit => 6,
            Outcome::Interrupted => interrupt::INTERRUPTED,
        })
    }
}

/// What was asked makes no sense: an unknown name, options that contradict each other. Exit code 2.
#[derive(Debug)]
pub struct Usage {
    message: String,
    /// Of the error that the message is from.
    code: Option<String>,
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Usage {}

/// The error for a request that makes no sense. To what the catalog says of a name it adds the command that lists them.
pub fn usage(what: impl ToString + Debug + 'static) -> anyhow::Error {
    let said = what.to_string();
    let message = match list(&what) {
        Some(remedy) => format!("{said}; {remedy}"),
        None => said,
    };
    anyhow::Error::new(Usage { message, code: name(&format!("{what:?}")) })
}

/// As [`usage`], of the value of an option: `invalid rate '0': …` becomes `invalid --rate '0': …`.
pub fn of_option(option: &str, what: impl ToString + Debug + 'static) -> anyhow::Error {
    let code = name(&format!("{what:?}"));
    let said = what.to_string();
    let said = said.strip_prefix("invalid ").unwrap_or(&said);
    let colon = said.find(':').unwrap_or(said.len());
    let message = match said.find('\'').filter(|value| *value < colon) {
        Some(value) => format!("invalid {option} {}", &said[value..]),
        None => format!("invalid {option}: {said}"),
    };
    Usage { message, code }.into()
}

/// An error of a command itself that has a code.
#[derive(Debug)]
struct Coded {
    code: String,
    message: String,
}

impl std::fmt::Display for Coded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Coded {}

/// Gives a code to an error that is words alone, of `anyhow!` or [`usage`]. What it was before is not known any more.
#[must_use]
pub fn coded(code: impl Into<String>, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Usage>() {
        Ok(usage) => Usage { code: Some(code.into()), ..usage }.into(),
        Err(error) => Coded { code: code.into(), message: in_one_sentence(&error) }.into(),
    }
}

/// What a program can compare, where words may change: the code that a command gave by [`coded`], or else the name of the
/// outermost error with a type, `no-such-slot` for `Error::NoSuchSlot { .. }`.
///
/// A name and not a number or a table: tests that compared English words broke with every edit, and a list of
/// over 100 error types would have to be kept. Only the outermost error counts: those below may be another
/// library's, with names that change with its version. A crate's name in front was dropped, since a `dyn
/// Error` does not have it.
pub fn code(error: &anyhow::Error) -> String {
    if let Some(coded) = error.downcast_ref::<Coded>() {
        return coded.code.clone();
    }
    if let Some(usage) = error.downcast_ref::<Usage>() {
        return usage.code.clone().unwrap_or_else(|| "usage".to_owned());
    }
    let typed = error.chain().find_map(|cause| match cause.is::<io::Error>() {
        true => Some("io".to_owned()),
        false => name(&format!("{cause:?}")),
    });
    typed.unwrap_or_else(|| "failed".to_owned())
}

/// The code of a typed error, for [`coded`] where its words are others.
pub fn named(error: &impl Debug) -> String {
    name(&format!("{error:?}")).unwrap_or_else(|| "failed".to_owned())
}

/// The name of an error, as `Debug` begins with it. Words have none, nor has a context of `anyhow`.
fn name(debug: &str) -> Option<String> {
    let end = debug.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(debug.len());
    let name = &debug[..end];
    (name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "Error").then(|| kebab(name))
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase()
            && kebab.ends_with(|before: char| before.is_ascii_lowercase() || before.is_ascii_digit())
        {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}

/// What lists the names that would do, where one was typed that does not.
fn list(error: &dyn Any) -> Option<String> {
    if let Some(unknown) = error.downcast_ref::<UnknownName>() {
        return unknown.wants_list().then(|| "`fieldtest list` shows them all".to_owned());
    }
    if let Some(StudyError::UnknownName(unknown)) = error.downcast_ref() {
        return list(unknown);
    }
    match error.downcast_ref()? {
        Unserved::SizesOnly { kind, .. } => {
            Some(format!("`fieldtest list {kind}` shows those that have one"))
        }
        Unserved::UnknownName(unknown) => list(unknown),
        _ => None,
    }
}

/// Says what went wrong, in words or as JSON, and chooses the exit code.
pub fn report(error: &anyhow::Error, as_json: bool) -> ExitCode {
    let said = in_one_sentence(error);
    let said = as_typed(&said, &words::followed()).unwrap_or(said);
    let said = format!("{said}{}", words::set_in(&said));
    match as_json {
        true => {
            let error = serde_json::json!({ "error": { "code": code(error), "message": said } });
            line(&text::json(&error.to_string()));
        }
        false => failure(&said),
    }
    match error.downcast_ref() {
        Some(StudyError::Proof { .. } | StudyError::Engine { .. }) => Outcome::ProofFailed.into(),
        _ if error.is::<Usage>() => ExitCode::from(2),
        _ => Outcome::Failed.into(),
    }
}

/// An error about the number of an option (no part, as in `NAME=300`) with what was typed: `200%` has become 2.
fn as_typed(said: &str, words: &[String]) -> Option<String> {
    let (before, rest) = said.split_once("invalid --")?;
    let (option, rest) = rest.split_once(" '")?;
    let (number, rest) = rest.split_once('\'')?;
    number.parse::<f64>().ok()?;
    let value = |(at, word): (usize, &String)| match word.strip_prefix("--")?.strip_prefix(option)? {
        "" => words.get(at + 1).cloned(),
        rest => rest.strip_prefix('=').map(str::to_owned),
    };
    let mut typed = words.iter().enumerate().filter_map(value);
    let one = typed.next().filter(|one| !one.starts_with(char::is_alphabetic) && typed.next().is_none())?;
    Some(format!("{before}invalid --{option} '{one}'{rest}"))
}

/// The error and its causes. Many messages quote their cause already; nothing is said twice.
pub fn in_one_sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text::system(text.trim_end()).into_owned()
}

/// Has a panic, which is a mistake of ours, say so in one line: its message may quote what was read.
pub fn say_panics() {
    panic::set_hook(Box::new(|panic| failure(&last_words(panic))));
}

fn last_words(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
    // A message is one or the other, by whether it was formatted.
    let payload = panic.payload();
    let why =
        payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    format!("a bug in the program{place}{why}; please report it")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let cause = || anyhow!("no such file");
        for context in ["x: no such file", "x"] {
            assert_eq!(in_one_sentence(&cause().context(context)), "x: no such file");
        }
    }

    #[test]
    fn what_the_catalog_lacks_is_listed_by_a_command() {
        use fieldtest_catalog::{Wanted, signature};
        let sizes = signature::find("uov-is-pkc").unwrap();
        let sizes = usage(sizes.served(Wanted::Only("fieldtest")).err().unwrap());
        assert!(sizes.to_string().contains("`fieldtest list signature`"), "{sizes}");
        assert_eq!(code(&sizes), "sizes-only");
        let far = || signature::find("nothing-of-the-sort").err().unwrap();
        for error in [usage(far()), usage(Unserved::from(far())), usage(StudyError::from(far()))] {
            assert!(error.to_string().contains("; `fieldtest list`"), "{error}");
            assert_eq!(code(&error), "unknown-name");
        }
        let near = usage(signature::find("ml-dsa-4").err().unwrap()).to_string();
        assert!(near.contains("'ml-dsa-44'?") && !near.contains("`fieldtest list`"), "{near}");
    }

    #[test]
    fn context_keeps_the_kind() {
        assert!(usage("a").context("b").is::<Usage>());
        assert!(coded("c", usage("a")).context("b").is::<Usage>());
    }

    #[derive(Debug, Clone, Copy)]
    enum Outer {
        KeyLength { _given: usize },
        Salt(&'static str),
        Luks1,
    }

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(if let Outer::Salt(words) = self { words } else { "words" })
        }
    }

    impl std::error::Error for Outer {}

    #[test]
    fn a_code_is_the_name_of_the_outermost_error_with_a_type() {
        for (error, wanted) in [
            (Outer::KeyLength { _given: 3 }, "key-length"),
            (Outer::Salt("Not(a name)"), "salt"),
            (Outer::Luks1, "luks1"),
        ] {
            assert_eq!(code(&error.into()), wanted);
            assert_eq!(code(&anyhow!(error).context("x").context("y")), wanted);
            assert_eq!(code(&usage(error)), wanted);
        }
        let missing = || anyhow!(io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(code(&missing().context("cannot read x")), "io");
        assert_eq!(
            (code(&anyhow!("Words")), code(&usage("Words"))),
            ("failed".to_owned(), "usage".to_owned())
        );
    }

    #[test]
    fn a_command_s_code_comes_before_others_and_adds_no_words() {
        let error = coded("in-use", anyhow!(Outer::Luks1).context("x"));
        assert_eq!((&*code(&error), &*in_one_sentence(&error)), ("in-use", "x: words"));
    }
}
