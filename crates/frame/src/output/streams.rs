//! Standard output and standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use anyhow::{Context, Result};
use fieldtest_report as report;

use super::{Format, closed};
use crate::text;

/// Writes data to standard output, byte for byte; to a terminal, what could steer it is written out. A reader that went
/// away (`| head`) is not an error.
///
/// # Errors
///
/// Standard output cannot be written to.
pub fn data(text: &str) -> Result<()> {
    let shown = match io::stdout().is_terminal() {
        true => text::lines(text),
        false => Cow::Borrowed(text),
    };
    write(&shown)
}

/// Writes text for people to standard output: what could steer a terminal is written out, wherever it goes.
///
/// # Errors
///
/// As [`data`].
pub fn lines(text: &str) -> Result<()> {
    write(&text::lines(text))
}

/// Writes what the report crate rendered in this form. All but CSV is fit for a terminal by itself, and may have
/// colours; CSV is data.
///
/// # Errors
///
/// As [`data`].
pub fn rendered(text: &str, format: Format) -> Result<()> {
    match format {
        Format::Csv => data(text),
        Format::Human | Format::Json | Format::Md => write(text),
    }
}

/// Writes a table to standard output.
///
/// # Errors
///
/// As [`data`].
pub fn table(table: &report::Table, format: Format) -> Result<()> {
    rendered(&table.render(format.for_stdout()), format)
}

fn write(text: &str) -> Result<()> {
    standard(|| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
    })
}

/// Lets `write` write to standard output. A reader that went away is not an error; a stream that is closed is one.
pub(crate) fn standard(write: impl FnOnce() -> io::Result<()>) -> Result<()> {
    let open = if closed::at_start(1) { Err(closed::error()) } else { Ok(()) };
    match open.and_then(|()| write()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}
