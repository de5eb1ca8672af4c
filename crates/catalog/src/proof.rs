//! Proofs: the known answers an implementation must reproduce before anything of it is timed.

use fieldtest_kinds::Error;

/// What an implementation reproduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// How many official known answers; 0 where none exist for the algorithm.
    pub vectors: u64,
    /// Their origins, one each; with 0 vectors, what the code was cross-checked against instead.
    pub origins: Vec<String>,
}

/// The first known answer that an implementation did not reproduce.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}, {case}: {what}")]
pub struct ProofError {
    /// The set the case belongs to.
    pub origin: String,
    /// The case, by its number in that set.
    pub case: String,
    /// What was expected and what came.
    pub what: String,
}

impl ProofError {
    /// For a case in which the implementation itself failed.
    pub fn failed(origin: &str, case: impl ToString, error: Error) -> Self {
        ProofError { origin: origin.to_string(), case: case.to_string(), what: error.to_string() }
    }
}
