//! Why a request is not answered.

use std::fmt;

/// What was wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The request's line, from 1 on; none where it is about the whole.
    pub line: Option<usize>,
    what: String,
    /// Whether it is a question that ends too early.
    is_unfinished: bool,
}

impl Error {
    pub(crate) fn at(line: usize, what: impl Into<String>) -> Error {
        Error { line: Some(line), what: what.into(), is_unfinished: false }
    }

    pub(crate) fn unfinished(line: usize, what: impl Into<String>) -> Error {
        Error { is_unfinished: true, ..Error::at(line, what) }
    }

    pub(crate) fn is_unfinished(&self) -> bool {
        self.is_unfinished
    }

    pub(crate) fn of_all(what: impl Into<String>) -> Error {
        Error { line: None, what: what.into(), is_unfinished: false }
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
