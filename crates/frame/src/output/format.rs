//! The form in which a command answers.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use fieldtest_report as report;

use super::place::is_standard;
use crate::outcome::{coded, usage};
use crate::text;

/// The form of what goes to standard output. The names say it all, and without doc comments the help of every command
/// stays short.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum Format {
    #[default]
    Human,
    Json,
    Csv,
    Md,
}

/// Refuses a name that promises another form than the file has: `report.pdf` for a page of HTML. `what` says what the
/// file is, `own` are its extensions, of which the first is the remedy. Names without an extension, or with one that is nobody's, are fine.
///
/// # Errors
///
/// A [`usage`] error.
pub fn check_extension(path: &Path, what: &str, own: &[&str]) -> Result<()> {
    const KNOWN: [&str; 12] =
        ["csv", "gz", "htm", "html", "json", "jsonl", "md", "pdf", "png", "svg", "txt", "xml"];
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    if own.contains(&&*extension) || !KNOWN.contains(&&*extension) {
        return Ok(());
    }
    let (shown, remedy) = (text::path(path), own.first().unwrap_or(&""));
    Err(coded(
        "other-extension",
        usage(format!("cannot write {shown}: it would be {what}; choose a name that ends in .{remedy}")),
    ))
}

impl Format {
    /// The report crate's form, with what is known of the terminal.
    pub fn for_stdout(self) -> report::Format {
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

    /// Refuses every form but the command's own: who asks for JSON and gets something else finds out too late. `what`
    /// says what it writes: `fieldtest man writes manual pages`.
    ///
    /// # Errors
    ///
    /// A [`usage`] error.
    pub fn only_human(self, what: &str) -> Result<()> {
        self.one_of(&[Format::Human], what)
    }

    /// Refuses a report in another form than that for people where the command's own file, `thing`, goes to standard
    /// output: neither could be read any more. `forms` are those that it has if a file is named with `option`.
    ///
    /// # Errors
    ///
    /// A [`usage`] error, and as [`check_place`](super::check_place).
    pub fn apart_from(self, file: Option<&Path>, thing: &str, forms: &[Format], option: &str) -> Result<()> {
        if self == Format::Human || !file.map_or(Ok(true), is_standard)? {
            return Ok(());
        }
        let remedy = match forms.contains(&self) {
            true => format!("give a file with {option}"),
            false => "leave --format out".to_owned(),
        };
        let name = self.name();
        Err(coded(
            "one-stream",
            usage(format!("{thing} and a report in {name} cannot both go to standard output; {remedy}")),
        ))
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Refuses forms that the command does not have.
    ///
    /// # Errors
    ///
    /// A [`usage`] error.
    pub fn one_of(self, forms: &[Format], what: &str) -> Result<()> {
        if forms.contains(&self) {
            return Ok(());
        }
        let others = forms.iter().filter(|form| **form != Format::Human);
        let others: Vec<String> = others.map(|form| form.name()).collect();
        let remedy = match others.as_slice() {
            [] => "leave --format out".to_owned(),
            others => format!("omit --format, or choose {}", others.join(" or ")),
        };
        Err(coded("no-such-format", usage(format!("{what}, not {}; {remedy}", self.name()))))
    }
}
