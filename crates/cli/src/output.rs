//! The two streams: data to standard output in the form asked for, messages to standard error.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use fieldtest_measure::lines;
use fieldtest_measure::record::Line;
use fieldtest_report as report;

use crate::interrupt::Unfinished;

/// The form of what goes to standard output. The names say it all, and without doc comments the help of every command
/// stays short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Human,
    Json,
    Csv,
    Md,
}

impl Format {
    /// The report crate's form, with what is known of the terminal.
    pub(crate) fn for_stdout(self) -> report::Format {
        match self {
            Format::Human => {
                let width = terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0));
                // Looks at NO_COLOR, CLICOLOR_FORCE and TERM, and at whether this is a terminal.
                let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
                report::Format::Human { width, colour }
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

/// A number of things: `1 finding`, `2 findings`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Writes a file beside its place and renames it, so that nobody ever sees half of it, whether `write` fails, the disk
/// is full, or the user presses Ctrl-C.
pub(crate) fn whole_file<T>(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<T>) -> Result<T> {
    check_place(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".partial-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let unfinished = Unfinished::new();
    Unfinished::add(&beside);
    let written = || {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&beside)?);
        let outcome = write(&mut out)?;
        out.flush()?;
        fs::rename(&beside, path)?;
        Ok(outcome)
    };
    let outcome = written().map_err(|error: anyhow::Error| match error.is::<io::Error>() {
        true => error.context(format!("cannot write {}", path.display())),
        false => error,
    })?;
    unfinished.keep();
    Ok(outcome)
}

/// Writes a file of which all is known.
pub(crate) fn file(path: &Path, content: &[u8]) -> Result<()> {
    whole_file(path, |out| Ok(out.write_all(content)?))
}

/// Writes a records file.
pub(crate) fn records(path: &Path, lines: &[Line]) -> Result<()> {
    whole_file(path, |out| Ok(lines::write_lines(out, lines)?))
}

/// Says what the system's error would leave to guess. Whoever works long before writing asks this first.
pub(crate) fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a directory; name a file", path.display());
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            bail!(
                "cannot write {}: there is no directory {}; make it first",
                path.display(),
                parent.display()
            )
        }
        _ => Ok(()),
    }
}

/// A directory for results. Where it had to be made and nothing came into it, it is removed again.
pub(crate) struct Directory {
    made: Vec<PathBuf>,
}

impl Directory {
    /// Makes the directory and those above it, as far as they are missing.
    pub(crate) fn make(path: &Path) -> Result<Directory> {
        if path.exists() && !path.is_dir() {
            bail!("cannot make the directory {}: a file has this name; choose another one", path.display());
        }
        let missing = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let directory = Directory { made: missing.map(Path::to_path_buf).collect() };
        fs::create_dir_all(path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(directory)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        for path in &self.made {
            // The system refuses to remove a directory that holds anything.
            if fs::remove_dir(path).is_err() {
                break;
            }
        }
    }
}
