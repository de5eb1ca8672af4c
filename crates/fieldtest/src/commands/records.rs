//! Records files that are named on the command line.

use std::io;
use std::path::Path;

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
