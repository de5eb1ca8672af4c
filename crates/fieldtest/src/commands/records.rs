//! Records files that are named on the command line.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fieldtest_frame::text;
use fieldtest_measure::lines::{self, Error};
use fieldtest_measure::record::Line;
use fieldtest_report::{Error as Refused, Report};

use crate::carriers::chapters;

/// The name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// Reads a file, or standard input; each line with its number.
fn load(path: &Path) -> Result<Vec<(usize, Line)>, Error> {
    if path != Path::new(STDIN) {
        return lines::load_numbered(path);
    }
    lines::read_numbered(io::stdin().lock())
        .map_err(|source| Error::File { path: "standard input".into(), source: Box::new(source) })
}

/// Reads several as if they were one.
pub(super) fn load_all(paths: &[PathBuf]) -> Result<Vec<Line>, Error> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(load(path)?.into_iter().map(|(_, line)| line));
    }
    Ok(all)
}

/// The report of several files as if they were one. A record that cannot be is named with its file and line.
pub(super) fn report(paths: &[PathBuf]) -> Result<Report> {
    let mut all = Vec::new();
    let mut places = Vec::new();
    for path in paths {
        for (number, line) in load(path)? {
            if matches!(line, Line::Record(_)) {
                places.push((path, number));
            }
            all.push(line);
        }
    }
    let place = |number: usize| {
        let (path, line) = places.get(number.checked_sub(1)?)?;
        Some(format!("{}: line {line}", name(path)))
    };
    match Report::from_lines(all, chapters()) {
        Err(error @ Refused::Figure { number, .. }) => {
            Err(error).with_context(|| place(number).unwrap_or_default())
        }
        // Of several files nobody knows which is to blame.
        Err(error) if paths.len() == 1 => Err(error).with_context(|| name(&paths[0])),
        made => Ok(made?),
    }
}

/// What a file is called in messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { text::path(path) }
}
