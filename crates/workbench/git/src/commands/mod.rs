//! `fieldtest git`: repositories under other hash functions.

mod convert;
mod fleet;
mod id;
mod locate;
mod map;
mod maps;
mod rewrite;
mod scope;
mod shown;
mod study;
mod verify;

use std::path::Path;

use anyhow::Result;
use fieldtest_frame::text;
use fieldtest_git::{Error, Repository, destination};
use serde_json::Value;

use crate::args::Git;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(command: Git, format: Format) -> Result<Outcome> {
    let outcome = match command {
        Git::Study(args) => study::run(args, format),
        Git::Verify(args) => verify::run(&args, format),
        Git::Map(args) => map::run(&args, format),
        Git::Id(args) => id::run(&args, format),
        Git::Convert(args) => convert::run(&args, format),
        Git::Fleet(args) => fleet::run(&args, format),
    };
    match outcome {
        Err(error) if matches!(error.downcast_ref(), Some(Error::Interrupted)) => {
            output::message("interrupted; nothing was written");
            Ok(Outcome::Interrupted)
        }
        outcome => outcome,
    }
}

/// Refuses the forms of tables where there is none.
///
/// # Errors
/// A usage error.
fn no_table(command: &str, format: Format) -> Result<()> {
    format.one_of(&[Format::Human, Format::Json], &format!("fieldtest git {command} prints no table"))
}

/// Refuses to write a file into the repository that is read. What only passes by, as a pipe, is no file.
///
/// # Errors
/// A usage error.
fn outside(repository: &Repository, path: Option<&Path>) -> Result<()> {
    match path {
        Some(path) if !output::is_stream(path)? => placed(destination::check_output(repository, path)),
        _ => Ok(()),
    }
}

/// That a place is within the repository, the names alone say.
fn placed(checked: Result<(), Error>) -> Result<()> {
    checked.map_err(|error| match error {
        Error::Repository { .. } => usage(error),
        other => other.into(),
    })
}

/// Writes what was found to standard output.
fn json(found: &Value) -> Result<()> {
    output::data(&text::json(&format!("{found:#}\n")))
}
