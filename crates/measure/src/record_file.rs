//! Reading and writing a records file: JSON Lines, one [`Line`] each, the run first.

use crate::record::{Line, SCHEMA, WORDS};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Write},
    path::{Path, PathBuf},
};

/// Why records could not be read or written. Line numbers count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Error {
    #[error("line {line}: {source}")]
    Read { line: usize, source: io::Error },
    #[error("line {line} is not a record: {what}; docs/FORMAT.md describes all lines")]
    Syntax { line: usize, what: String },
    #[error("line {line}: '{field}' is '{found}'; expected one of {}", words_of(field))]
    Word { line: usize, field: &'static str, found: String },
    /// The file was written for another major version of the format.
    #[error(
        "line {line} declares the schema '{found}', but this program reads '{SCHEMA}'; use the \
         version of fieldtest that wrote it, or measure again"
    )]
    Schema { line: usize, found: String },
    #[error(
        "line {line}: the run line is missing before it; a records file begins with one (docs/FORMAT.md)"
    )]
    NoRun { line: usize },
    #[error("there are no records in it; give a file that a study wrote")]
    Empty,
    /// It is an inventory in CycloneDX.
    #[error("it is a CycloneDX inventory, not records; `fieldtest advise --cbom FILE` reads those")]
    Inventory,
    /// It is HTML.
    #[error("it is a web page, not records; of a report, give the records.jsonl next to it")]
    Page,
    /// The last line is not whole.
    #[error("the file ends within line {line}; copy it again")]
    Truncated { line: usize },
    /// A result is not a number, which JSON cannot carry.
    #[error(
        "line {line}: the result of '{algorithm}' '{operation}' is {value}, which is not a finite number; measure it again"
    )]
    NotANumber { line: usize, algorithm: String, operation: String, value: f64 },
    #[error("cannot write line {line}: {source}")]
    Write { line: usize, source: io::Error },
    /// Something was wrong with a line of a file, or with the file as a whole.
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: Box<Error> },
    /// A file could not be opened.
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
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
/// unknown kind are errors, since leaving them out would change what the file says.
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
        // Behind a line break, the parser would count columns anew.
        let line = match parsed(number, text.trim_end()) {
            Err(Error::Syntax { .. }) if text.trim_start().starts_with('<') => return Err(Error::Page),
            Err(Error::Syntax { .. }) if lines.is_empty() && is_inventory(&text, &mut from) => {
                return Err(Error::Inventory);
            }
            Err(Error::Syntax { .. }) if !lines.is_empty() && is_truncated(&text) => {
                return Err(Error::Truncated { line: number });
            }
            line => line?,
        };
        if lines.is_empty() && !matches!(line, Line::Run(_)) {
            return Err(Error::NoRun { line: number });
        }
        refuse_unknown_words(number, &line)?;
        if let Some(field) = line.nameless() {
            return Err(Error::Syntax { line: number, what: format!("'{field}' is empty") });
        }
        lines.push((number, line));
    }
    if lines.is_empty() { Err(Error::Empty) } else { Ok(lines) }
}

/// Reads a file.
///
/// # Errors
/// [`Error::Io`] and [`Error::File`], both of which name the file.
pub fn load(path: &Path) -> Result<Vec<Line>, Error> {
    let file = File::open(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    read_lines(BufReader::new(file))
        .map_err(|source| Error::File { path: path.to_owned(), source: Box::new(source) })
}

/// Bytes of the longest line: a thousand times those of any record. A device without line breaks ends here.
const LONGEST: u64 = 16 << 20;

fn next_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if io::Read::take(&mut *from, LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it is longer than {LONGEST} bytes; check the path"),
        ));
    }
    // Editors of Windows put a byte order mark in front.
    if line.starts_with("\u{feff}".as_bytes()) {
        line.drain(..'\u{feff}'.len_utf8());
    }
    let text = fieldtest_text::decoded(&line).map(str::to_owned);
    text.map(Some).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

/// Whether a document in JSON begins as those of CycloneDX do.
fn is_inventory(start: &str, from: &mut impl BufRead) -> bool {
    let mut start = start.to_owned();
    // What is no text is not one either.
    let _ = from.take(4096).read_to_string(&mut start);
    start.contains("\"bomFormat\"")
}

/// Whether a line ends before its document does, and has no line break.
fn is_truncated(text: &str) -> bool {
    let parsed = serde_json::from_str::<serde::de::IgnoredAny>(text);
    !text.ends_with('\n') && parsed.is_err_and(|error| error.is_eof())
}

/// Parses by the kind of the line, which serde's tagged enums would do too, but without the place of an error.
fn parsed(number: usize, text: &str) -> Result<Line, Error> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Run,
        Candidate,
        Record,
    }
    #[derive(serde::Deserialize)]
    struct Head {
        line: Kind,
    }
    #[derive(serde::Deserialize)]
    struct HeadOfRun {
        schema: String,
    }
    fn parse<T: serde::de::DeserializeOwned>(number: usize, text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|error| syntax(number, text, &error))
    }
    Ok(match parse::<Head>(number, text)?.line {
        Kind::Run => {
            // Another major version may have changed the other fields.
            let found = parse::<HeadOfRun>(number, text)?.schema;
            if !is_readable(&found) {
                return Err(Error::Schema { line: number, found });
            }
            Line::Run(parse(number, text)?)
        }
        Kind::Candidate => Line::Candidate(parse(number, text)?),
        Kind::Record => Line::Record(parse(number, text)?),
    })
}

/// The field is the last that is named before the place, unless the words name one. The parser counts lines within the
/// one line that it was given; only its column says anything.
fn syntax(line: usize, text: &str, error: &serde_json::Error) -> Error {
    let json = serde_json::from_str::<serde_json::Value>(text);
    let (is_json, json) = (json.is_ok(), json.unwrap_or_default());
    let shown = |name: &str| fieldtest_text::shortened(&json[name].to_string()).into_owned();
    let what = match error.is_data() || !is_json {
        true => fieldtest_text::json_fault(&error.to_string(), error.is_data()),
        false => format!("'line' is {}; expected one of \"run\", \"candidate\", \"record\"", shown("line")),
    };
    // The parser takes the members of an object from a list too, and complains about the first.
    let listed = ["host", "input"].into_iter().find(|name| json[*name].is_array());
    if let Some(name) = listed {
        return Error::Syntax { line, what: format!("'{name}' is {}; expected an object", shown(name)) };
    }
    let before = text.as_bytes().get(..error.column()).and_then(|before| str::from_utf8(before).ok());
    let field =
        before.and_then(|before| before.rsplit_once("\":")?.0.rsplit_once('"')).map(|(_, field)| field);
    let field = field.filter(|_| what.starts_with("expected")).map(|field| format!("'{field}': "));
    Error::Syntax { line, what: format!("{}{what} (column {})", field.unwrap_or_default(), error.column()) }
}

/// Our own major version, with or without a minor one after a dot.
fn is_readable(schema: &str) -> bool {
    schema.strip_prefix(SCHEMA).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
