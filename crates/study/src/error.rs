//! Why a study has no result.

use std::path::PathBuf;

/// Why a study could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A name is not in the catalog.
    #[error(transparent)]
    Unknown(#[from] fieldtest_catalog::UnknownName),
    /// A study file cannot be read.
    #[error("cannot read the study {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A study file is not one.
    #[error("{}: {text}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, with line and column.
        text: String,
    },
    /// Nothing was selected.
    #[error(
        "none of the algorithms asked for has an implementation here; `fieldtest list` shows those that have"
    )]
    Nothing,
    /// An implementation did not do what its proof asks; nothing of it is timed.
    #[error("{algorithm}, {implementation} fails its proof: {source}")]
    Proof {
        /// The algorithm.
        algorithm: String,
        /// The implementation.
        implementation: &'static str,
        /// The case that failed.
        source: fieldtest_catalog::ProofError,
    },
    /// An implementation failed outside of the timed windows.
    #[error("{algorithm}, {implementation}, {what}: {source}")]
    Implementation {
        /// The algorithm.
        algorithm: String,
        /// The implementation.
        implementation: &'static str,
        /// What it was asked.
        what: &'static str,
        /// What it said.
        source: fieldtest_kinds::Error,
    },
    /// The rounds could not be run.
    #[error(transparent)]
    Measure(#[from] fieldtest_measure::Error),
    /// A process that was to measure did not.
    #[error("measuring in a process of its own: {0}")]
    Visit(String),
    /// A carrier refused.
    #[error("{carrier}: {text}")]
    Carrier {
        /// The carrier's name.
        carrier: &'static str,
        /// Why.
        text: String,
    },
}

impl StudyError {
    /// What a carrier of this name refused.
    pub fn of(carrier: &'static str, error: impl std::fmt::Display) -> StudyError {
        StudyError::Carrier { carrier, text: error.to_string() }
    }
}
