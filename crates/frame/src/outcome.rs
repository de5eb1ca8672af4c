//! How a command ends: its exit code, and its last words on standard error.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use fieldtest_catalog::{UnknownName, Unserved};
use fieldtest_study::StudyError;

use crate::interrupt;
use crate::message::message;

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
            Outcome::Interrupted => interrupt::INTERRUPTED,
        })
    }
}

/// What was asked makes no sense: an unknown name, options that contradict each other. Exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The error for a request that makes no sense. To what the catalog says of a name it adds the command that lists them.
pub fn usage(what: impl ToString + 'static) -> anyhow::Error {
    let said = what.to_string();
    anyhow::Error::new(Usage(match list(&what) {
        Some(remedy) => format!("{said}; {remedy}"),
        None => said,
    }))
}

/// What lists the names that would do, where one was typed that does not.
fn list(error: &dyn Any) -> Option<String> {
    if let Some(unknown) = error.downcast_ref::<UnknownName>() {
        return unknown.wants_list().then(|| "`fieldtest list` shows them all".to_owned());
    }
    if let Some(StudyError::Unknown(unknown)) = error.downcast_ref() {
        return list(unknown);
    }
    match error.downcast_ref()? {
        Unserved::SizesOnly { kind, .. } => {
            Some(format!("`fieldtest list {kind}` shows those that have one"))
        }
        Unserved::Unknown(unknown) => list(unknown),
        _ => None,
    }
}

/// Whoever reads standard output has seen enough and went away (`| head`): nothing to complain of.
#[derive(Debug)]
pub(crate) struct ReaderLeft;

impl std::fmt::Display for ReaderLeft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("whoever reads standard output went away before its end")
    }
}

impl std::error::Error for ReaderLeft {}

/// Says what went wrong and chooses the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if error.is::<ReaderLeft>() {
        return Outcome::Fine.into();
    }
    message(&in_one_sentence(error));
    match error.downcast_ref() {
        Some(StudyError::Proof { .. } | StudyError::Engine { .. }) => Outcome::ProofFailed.into(),
        _ if error.is::<Usage>() => ExitCode::from(2),
        _ => Outcome::Failed.into(),
    }
}

/// The error and its causes. Many messages quote their cause already; nothing is said twice.
pub(crate) fn in_one_sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text.trim_end().to_owned()
}

/// Has a panic, which is a mistake of ours, say so in one line: its message may quote what was read.
pub fn say_panics() {
    panic::set_hook(Box::new(|panic| message(&last_words(panic))));
}

fn last_words(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
    // A message is one or the other, by whether it was formatted.
    let payload = panic.payload();
    let why =
        payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    format!("a mistake in the program{place}{why}; please report it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let cause = || anyhow::anyhow!("no such file");
        assert_eq!(
            in_one_sentence(&cause().context("cannot read x: no such file")),
            "cannot read x: no such file"
        );
        assert_eq!(in_one_sentence(&cause().context("cannot read x")), "cannot read x: no such file");
    }

    #[test]
    fn what_the_catalog_lacks_is_listed_by_a_command() {
        use fieldtest_catalog::{Wanted, signature};
        let said = |error: anyhow::Error| error.to_string();
        let sizes = signature::find("uov-is-pkc").unwrap();
        let sizes = said(usage(sizes.served(Wanted::Only("fieldtest")).err().unwrap()));
        assert!(sizes.contains("only sizes; `fieldtest list signature`"), "{sizes}");
        let far = || signature::find("nothing-of-the-sort").err().unwrap();
        for error in [usage(far()), usage(Unserved::from(far())), usage(StudyError::from(far()))] {
            assert!(said(error).ends_with("; `fieldtest list` shows them all"));
        }
        let near = said(usage(signature::find("ml-dsa-4").err().unwrap()));
        assert!(near.ends_with("did you mean ml-dsa-44?"), "{near}");
    }

    #[test]
    fn context_keeps_the_kind() {
        assert!(usage("a").context("b").is::<Usage>());
    }
}
