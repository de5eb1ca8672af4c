//! Algorithms by name: their facts, their implementations, and the proof of each.
//!
//! To add an algorithm is one adapter file under `src/signature/`, one entry under `facts/`, and one set of vectors;
//! CONTRIBUTING.md shows it with a real example.

pub mod facts;
pub mod proof;
pub mod signature;

use std::sync::Arc;

use fieldtest_kinds::signature::Signature;

pub use facts::Facts;
pub use proof::{Proof, ProofError};

/// An algorithm: its facts and whatever implements it.
#[derive(Clone)]
pub struct Algorithm {
    /// What is known of it without running it.
    pub facts: &'static Facts,
    /// The code for it; empty for an algorithm of which only sizes are known.
    pub implementations: Vec<Implementation>,
}

/// Code for one signature algorithm.
#[derive(Clone)]
pub struct Implementation {
    /// `aws-lc`, `graviola`, `openssl-host`, ….
    pub name: &'static str,
    /// The version it states of itself.
    pub version: String,
    /// The code.
    pub signature: Arc<dyn Signature>,
    /// Reproduces the algorithm's known answers with this very code.
    pub prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
}
