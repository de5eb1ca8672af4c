//! The two streams: data to standard output in the form asked for, messages to standard error.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;
use fieldtest_report as report;

/// The form of what goes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal.
    #[default]
    Human,
    /// JSON with full values.
    Json,
    /// Comma-separated values.
    Csv,
    /// Markdown tables.
    Md,
}

impl Format {
    /// The report crate's form, with what is known of the terminal.
    pub(crate) fn for_stdout(self) -> report::Format {
        match self {
            Format::Human => {
                let width = terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0));
                let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
                report::Format::Human { width, colour: colour && io::stdout().is_terminal() }
            }
            Format::Json => report::Format::Json,
            Format::Csv => report::Format::Csv,
            Format::Md => report::Format::Markdown,
        }
    }
}

/// Writes data to standard output. A reader that went away (`| head`) is not an error.
pub(crate) fn data(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Writes a table to standard output.
pub(crate) fn table(table: &report::Table, format: Format) -> Result<()> {
    data(&table.render(format.for_stdout()))
}

/// Says something to the user on standard error.
pub(crate) fn message(text: &str) {
    // Standard error may be closed; there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "fieldtest: {text}");
}

/// Writes a file beside its place and renames it, so that no reader ever sees half of it.
pub(crate) fn file(path: &Path, content: &[u8]) -> Result<()> {
    fieldtest_dnssec::write_beside(path, |out| out.write_all(content))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a directory and those above it.
pub(crate) fn directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the directory {}", path.display()))
}
