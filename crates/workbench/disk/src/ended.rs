//! An end of a command that is neither success nor an error of its input.

use std::fmt;

use crate::outcome::Outcome;

/// An end that has an exit code of its own, on its way up.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    words: String,
}

impl Ended {
    pub(crate) fn interrupted(words: impl Into<String>) -> Ended {
        Ended { outcome: Outcome::Interrupted, words: words.into() }
    }

    pub(crate) fn unproven(words: impl Into<String>) -> Ended {
        Ended { outcome: Outcome::ProofFailed, words: words.into() }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for Ended {}
