//! Where everything goes that a command has to say: data to standard output or to a file, messages to standard error.
//!
//! **Files.** Every file that a command writes is an [`Output`], or is written by one of the functions here.
//! One policy for all, since each command once had its own, and seven overwrote whatever `-o` named (`tcp-ao
//! keys -o` a router's secret keys): **no command destroys what it did not make.**
//!
//! * [`whole_file`], [`file()`] and [`records`] keep the earlier content as `NAME.1` and say so ([`Existing::Keep`]).
//! * [`secret_file`] refuses. So does whatever makes containers, repositories and keys ([`Existing::Refuse`]).
//! * [`own_whole_file`] and [`own_file`] replace ([`Existing::Replace`]): the state of a job, a cache, a set of files that
//!   [`Earlier`] secured, and what the user allowed with `--overwrite`.
//!
//! **Text.** [`message`] and [`lines`] show text of any origin without harm. [`data`] is for what programs read; it is
//! written as it is, except to a terminal. A file that is named and turns out to be a terminal takes text alone.

mod closed;
mod directory;
mod earlier;
mod file;
mod format;
mod permissions;
mod place;
mod protected_inputs;
mod streams;
mod terminal;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Result, anyhow};
use fieldtest_measure::record::Line;
use fieldtest_measure::record_file as record_lines;

pub use directory::Directory;
pub(crate) use earlier::move_beside;
pub use earlier::{Earlier, tell_kept};
pub use file::{Existing, Output};
pub use format::{Format, check_extension};
pub(crate) use place::rename_to_nothing;
pub use place::{
    check_all_beside, check_apart, check_beside, check_place, folder_beside, is_standard, is_stream,
};
pub use protected_inputs::{check_keeps, is_same, opened, reads};
pub(crate) use streams::standard;
pub use streams::{data, lines, rendered, table};

use crate::interrupt::Unfinished;
pub use crate::message::message;
use crate::outcome::coded;
use crate::text;

/// The name that stands for standard output.
pub const STDOUT: &str = "-";

pub use fieldtest_report::number::{count, grouped};

/// Writes a file of which nobody ever sees half, see [`Output`], whether `write` fails, the disk is full, or the user
/// presses Ctrl-C. What `write` adds to [`Unfinished`] shares its fate. A file that is there keeps its content under a
/// second name.
///
/// # Errors
///
/// What `write` returns; an error of the system with the file's name; whatever the place is unfit for.
pub fn whole_file<T>(path: &Path, write: impl FnOnce(&mut BufWriter<Output>) -> Result<T>) -> Result<T> {
    written(path, Output::create(path, Existing::Keep)?, write)
}

/// As [`whole_file`], of a file that may be replaced.
///
/// # Errors
///
/// As [`whole_file`].
pub fn own_whole_file<T>(path: &Path, write: impl FnOnce(&mut BufWriter<Output>) -> Result<T>) -> Result<T> {
    written(path, Output::create(path, Existing::Replace)?, write)
}

/// Writes a file of which all is known.
///
/// # Errors
///
/// As [`whole_file`].
pub fn file(path: &Path, content: &[u8]) -> Result<()> {
    whole_file(path, |out| Ok(out.write_all(content)?))
}

/// As [`file()`], of a file that may be replaced.
///
/// # Errors
///
/// As [`whole_file`].
pub fn own_file(path: &Path, content: &[u8]) -> Result<()> {
    own_whole_file(path, |out| Ok(out.write_all(content)?))
}

/// Writes a new file that only its owner may read, and brings it to the disk: nobody can make a lost key again.
///
/// # Errors
///
/// The name is taken; as [`Output::create`] and [`whole_file`].
pub fn secret_file(path: &Path, content: &[u8]) -> Result<()> {
    written(path, Output::create(path, Existing::Refuse)?.secret(), |out| Ok(out.write_all(content)?))
}

/// Writes a records file.
///
/// # Errors
///
/// As [`whole_file`].
pub fn records(path: &Path, lines: &[Line]) -> Result<()> {
    whole_file(path, |out| match record_lines::write_lines(out, lines) {
        Err(record_lines::Error::Write { source, .. }) => Err(source.into()),
        written => Ok(written?),
    })
}

fn written<T>(
    path: &Path,
    output: Output,
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<T>,
) -> Result<T> {
    let unfinished = Unfinished::new();
    let mut out = BufWriter::with_capacity(1 << 18, output);
    let outcome = write(&mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    // After an error the rest stays unwritten.
    let (output, _rest) = out.into_parts();
    let outcome = outcome.map_err(|error| match error.is::<io::Error>() {
        true => cannot_write(path, error),
        false => error,
    })?;
    match output.is_secret() {
        true => output.commit_durably()?,
        false => output.commit()?,
    }
    unfinished.keep();
    Ok(outcome)
}

/// The system's error in one sentence, with the file that was asked for. What has words of its own, such as the name of
/// an input, keeps them.
fn cannot_write(path: &Path, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error: anyhow::Error = error.into();
    let shown = if path == Path::new(STDOUT) { "to standard output".to_owned() } else { text::path(path) };
    let bare = error.chain().count() == 1;
    match error.downcast_ref::<io::Error>().filter(|_| bare).map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) => {
            coded("reader-left", anyhow!("cannot write {shown}: the reader closed the pipe before the end"))
        }
        Some(io::ErrorKind::ResourceBusy) => coded(
            "mount-point",
            anyhow!("cannot write {shown}: it is in use as a mount point; write to another name"),
        ),
        _ => error.context(format!("cannot write {shown}")),
    }
}
