//! Records files that are named on the command line.

use std::io;
use std::path::{Path, PathBuf};

use fieldtest_measure::lines::{self, Error};
use fieldtest_measure::record::Line;

/// The name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// Reads a file, or standard input.
pub(super) fn load(path: &Path) -> Result<Vec<Line>, Error> {
    if path != Path::new(STDIN) {
        return lines::load(path);
    }
    lines::read_lines(io::stdin().lock())
        .map_err(|source| Error::File { path: "standard input".into(), source: Box::new(source) })
}

/// Reads several as if they were one.
pub(super) fn load_all(paths: &[PathBuf]) -> Result<Vec<Line>, Error> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(load(path)?);
    }
    Ok(all)
}
