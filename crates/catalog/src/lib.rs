//! Algorithms by name: their facts, their implementations, and the proof of each.
//!
//! To add an algorithm is one adapter file under `src/signature/`, one entry under `facts/`, and one set of vectors;
//! CONTRIBUTING.md shows it with a real example.
//!
//! ```
//! let algorithm = fieldtest_catalog::find("ed25519")?;
//! let implementation = algorithm.implementation("aws-lc")?;
//! let proof = implementation.proof()?;
//! assert!(proof.vectors > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod der;
mod drbg;
pub mod facts;
pub mod host_openssl;
mod names;
mod pool;
pub mod proof;
pub mod signature;
mod version;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::signature::Signature;

pub use facts::Facts;
pub use names::UnknownName;
pub use proof::{Proof, ProofError};

/// An algorithm: its facts and whatever implements it.
#[derive(Clone)]
pub struct Algorithm {
    /// What is known of it without running it.
    pub facts: &'static Facts,
    /// The code for it; empty for an algorithm of which only sizes are known.
    pub implementations: Vec<Implementation>,
}

impl Algorithm {
    /// The implementation of that name, or an error that lists those there are.
    pub fn implementation(&self, name: &str) -> Result<&Implementation, UnknownName> {
        self.implementations.iter().find(|i| i.name == name).ok_or_else(|| {
            let what = format!("implementation of {}", self.facts.name);
            UnknownName::new(what, name, self.implementations.iter().map(|i| i.name))
        })
    }
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

impl Implementation {
    /// Reproduces the algorithm's known answers, now, in this process, with the code that will be used.
    pub fn proof(&self) -> Result<Proof, ProofError> {
        (self.prove)(self.signature.as_ref())
    }
}

/// Every algorithm: classic ones first, then by status.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub fn all() -> &'static [Algorithm] {
    static ALL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| match signature::algorithms() {
        Ok(algorithms) => algorithms,
        Err(error) => panic!("the catalog is defective: {error}"),
    });
    &ALL
}

/// The algorithm of that name, or an error that suggests the nearest ones.
pub fn find(name: &str) -> Result<&'static Algorithm, UnknownName> {
    all()
        .iter()
        .find(|algorithm| algorithm.facts.name == name)
        .ok_or_else(|| UnknownName::new("algorithm", name, all().iter().map(|a| a.facts.name.as_str())))
}

/// An implementation and the outcome of its proof.
pub struct Proven {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The implementation that was put to the proof.
    pub implementation: &'static Implementation,
    /// What it reproduced, or the first known answer that it did not.
    pub outcome: Result<Proof, ProofError>,
}

/// Proves every implementation that `wanted` selects; each is proved when the iterator reaches it.
pub fn prove_all(
    wanted: impl Fn(&Algorithm, &Implementation) -> bool + 'static,
) -> impl Iterator<Item = Proven> {
    all()
        .iter()
        .flat_map(|algorithm| algorithm.implementations.iter().map(move |i| (algorithm, i)))
        .filter(move |(algorithm, implementation)| wanted(algorithm, implementation))
        .map(|(algorithm, implementation)| Proven {
            algorithm,
            implementation,
            outcome: implementation.proof(),
        })
}
