//! Reading and writing a records file: JSON Lines, one [`Line`] each, the run first.

use crate::earlier;
use crate::record::{EARLIER, Line, SCHEMA, WORDS};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

/// Why records could not be read or written. Line numbers count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed.
    #[error("cannot read line {line}: {source}")]
    Read {
        /// The line.
        line: usize,
        /// The system's error; "stream did not contain valid UTF-8" for a file that is not text.
        source: io::Error,
    },
    /// The line is not one of ours.
    #[error("line {line} is not a record: {what}; docs/FORMAT.md describes all lines")]
    Syntax {
        /// The line.
        line: usize,
        /// What is wrong with it, and in which column.
        what: String,
    },
    /// A field has a word that it cannot have.
    #[error("line {line}: `{field}` is '{found}': expected one of {}", words_of(field))]
    Word {
        /// The line.
        line: usize,
        /// The field, by its place in the line.
        field: &'static str,
        /// The word.
        found: String,
    },
    /// The file was written for another major version of the format.
    #[error(
        "line {line} declares the schema `{found}`, but this program reads `{SCHEMA}`; use the \
         version of fieldtest that wrote it, or measure again"
    )]
    Schema {
        /// The line.
        line: usize,
        /// The schema it names.
        found: String,
    },
    /// The first line is not a run.
    #[error("line {line} comes before any line with `\"line\":\"run\"`; a records file begins with one")]
    NoRun {
        /// The line.
        line: usize,
    },
    /// There is no line at all.
    #[error("there are no records in it; a records file begins with a line `\"line\":\"run\"`")]
    Empty,
    /// A result is not a number, which JSON cannot carry.
    #[error(
        "line {line}: the result of `{algorithm}` `{operation}` is {value}, which is not a finite number"
    )]
    NotANumber {
        /// The line that would have been written.
        line: usize,
        /// The record's algorithm.
        algorithm: String,
        /// The record's operation.
        operation: String,
        /// The value or an end of its interval.
        value: f64,
    },
    /// Writing failed.
    #[error("cannot write line {line}: {source}")]
    Write {
        /// The line.
        line: usize,
        /// The system's error.
        source: io::Error,
    },
    /// Something was wrong with a line of a file, or with the file as a whole.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        source: Box<Error>,
    },
    /// A file could not be opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Writes lines as they are given; the caller sees to it that a run comes first.
///
/// # Errors
/// [`Error::Write`], and [`Error::NotANumber`] before anything of that line is written.
pub fn write_lines<'a>(mut to: impl Write, lines: impl IntoIterator<Item = &'a Line>) -> Result<(), Error> {
    for (number, line) in (1..).zip(lines) {
        refuse_what_json_cannot_carry(number, line)?;
        let text = serde_json::to_string(line)
            .map_err(|error| Error::Write { line: number, source: io::Error::other(error) })?;
        writeln!(to, "{text}").map_err(|source| Error::Write { line: number, source })?;
    }
    Ok(())
}

/// Reads lines until the end. Runs may follow one another, so that files can be joined end to end; the records after
/// a run belong to it. Blank lines are passed over. Fields that this version does not know are ignored; lines of
/// unknown kind are errors, since leaving them out would change what the file says. What this program called otherwise
/// when it wrote the file, the implementation `ours`, has its name of today.
///
/// # Errors
/// Every variant of [`Error`] that names a line, and [`Error::Empty`].
pub fn read_lines(from: impl BufRead) -> Result<Vec<Line>, Error> {
    Ok(read_numbered(from)?.into_iter().map(|(_, line)| line).collect())
}

/// As [`read_lines`], each with its number in the file, for what only the lines together show to be wrong.
///
/// # Errors
/// Those of [`read_lines`].
pub fn read_numbered(mut from: impl BufRead) -> Result<Vec<(usize, Line)>, Error> {
    let mut lines = Vec::new();
    for number in 1.. {
        let text = next_line(&mut from).map_err(|source| Error::Read { line: number, source })?;
        let Some(text) = text else { break };
        if text.trim().is_empty() {
            continue;
        }
        refuse_other_schema(number, &text)?;
        let mut line: Line = serde_json::from_str(&text).map_err(|error| syntax(number, &error))?;
        if lines.is_empty() && !matches!(line, Line::Run(_)) {
            return Err(Error::NoRun { line: number });
        }
        earlier::in_words_of_today(&mut line);
        refuse_unknown_words(number, &line)?;
        lines.push((number, line));
    }
    if lines.is_empty() { Err(Error::Empty) } else { Ok(lines) }
}

/// Reads a file.
///
/// # Errors
/// [`Error::Io`] and [`Error::File`], both of which name the file.
pub fn load(path: &Path) -> Result<Vec<Line>, Error> {
    Ok(load_numbered(path)?.into_iter().map(|(_, line)| line).collect())
}

/// As [`load`], each line with its number in the file.
///
/// # Errors
/// Those of [`load`].
pub fn load_numbered(path: &Path) -> Result<Vec<(usize, Line)>, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    if path.is_dir() {
        return Err(io(io::ErrorKind::IsADirectory.into()));
    }
    let file = File::open(path).map_err(io)?;
    read_numbered(BufReader::new(file)).map_err(|source| in_file(path, source))
}

/// Bytes of the longest line: a thousand times those of any record. A device without line breaks ends here.
const LONGEST: u64 = 16 << 20;

fn next_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if io::Read::take(&mut *from, LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it is longer than {LONGEST} bytes")));
    }
    // Editors of Windows put a byte order mark in front.
    if line.starts_with("\u{feff}".as_bytes()) {
        line.drain(..'\u{feff}'.len_utf8());
    }
    let text = String::from_utf8(line);
    text.map(Some)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// The parser counts lines within the one line that it was given; only its column says anything.
fn syntax(line: usize, error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    Error::Syntax { line, what: format!("{what} (column {})", error.column()) }
}

fn in_file(path: &Path, source: Error) -> Error {
    Error::File { path: path.to_owned(), source: Box::new(source) }
}

/// Looks at a run's schema before its other fields, which another major version may have changed.
fn refuse_other_schema(number: usize, text: &str) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    struct Head {
        line: Option<String>,
        schema: Option<String>,
    }
    match serde_json::from_str::<Head>(text) {
        Ok(Head { line: Some(line), schema: Some(found) }) if line == "run" && !is_readable(&found) => {
            Err(Error::Schema { line: number, found })
        }
        _ => Ok(()), // What else may be wrong, parsing the whole line will say better.
    }
}

/// Our own major version or the one before, with or without a minor one after a dot.
fn is_readable(schema: &str) -> bool {
    let rest = schema.strip_prefix(SCHEMA).or_else(|| schema.strip_prefix(EARLIER));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn refuse_unknown_words(number: usize, line: &Line) -> Result<(), Error> {
    match line.unknown_word() {
        None => Ok(()),
        Some((field, found)) => Err(Error::Word { line: number, field, found: found.to_owned() }),
    }
}

fn words_of(field: &str) -> String {
    let known = WORDS.iter().find(|(name, _)| *name == field);
    known.map(|(_, words)| words.join(", ")).unwrap_or_default()
}

fn refuse_what_json_cannot_carry(number: usize, line: &Line) -> Result<(), Error> {
    let Line::Record(record) = line else { return Ok(()) };
    match record.numbers().find(|estimate| !estimate.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::NotANumber {
            line: number,
            algorithm: record.algorithm.clone(),
            operation: record.operation.clone(),
            value,
        }),
    }
}
