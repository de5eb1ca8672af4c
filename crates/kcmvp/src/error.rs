//! Why a request is not answered.

use std::fmt;

/// What was wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The request's line, from 1 on; none where it is about the whole.
    pub line: Option<usize>,
    what: String,
}

impl Error {
    pub(crate) fn at(line: usize, what: impl Into<String>) -> Error {
        Error { line: Some(line), what: what.into() }
    }

    pub(crate) fn of_all(what: impl Into<String>) -> Error {
        Error { line: None, what: what.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Error {}
