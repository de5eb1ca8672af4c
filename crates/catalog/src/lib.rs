//! Algorithms by name: their facts, their implementations, and the proof of each.
//!
//! To add an algorithm is one adapter file under its kind's folder, one entry under `facts/`, and one set of vectors;
//! CONTRIBUTING.md shows it with a real example.
//!
//! ```
//! let algorithm = fieldtest_catalog::signature::find("ed25519")?;
//! let implementation = algorithm.implementation("aws-lc")?;
//! let proof = implementation.proof()?;
//! assert!(proof.vectors > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cipher;
mod der;
mod drbg;
mod entry;
pub mod facts;
pub mod hash;
pub mod host_openssl;
mod join;
pub mod kind;
pub mod mac;
mod names;
mod pool;
pub mod proof;
pub mod signature;
mod version;

use std::sync::Arc;

pub use entry::{Entry, Proven, entries, entry, prove_all};
pub use facts::Facts;
use kind::{Kind, Signature};
pub use names::UnknownName;
pub use proof::{Proof, ProofError};

/// An algorithm: its facts and whatever implements it.
pub struct Algorithm<K: Kind = Signature> {
    /// What is known of it without running it.
    pub facts: &'static Facts<K>,
    /// The code for it; empty for an algorithm of which only sizes are known.
    pub implementations: Vec<Implementation<K>>,
}

impl<K: Kind> Algorithm<K> {
    /// The implementation of that name, or an error that lists those there are.
    pub fn implementation(&self, name: &str) -> Result<&Implementation<K>, UnknownName> {
        self.implementations.iter().find(|i| i.name == name).ok_or_else(|| {
            let what = format!("implementation of {}", self.facts.name);
            UnknownName::new(what, name, self.implementations.iter().map(|i| i.name))
        })
    }
}

/// Code for one algorithm.
pub struct Implementation<K: Kind = Signature> {
    /// `aws-lc`, `graviola`, `openssl-host`, ….
    pub name: &'static str,
    /// The version it states of itself.
    pub version: String,
    /// The code.
    pub code: Arc<K::Code>,
    /// Reproduces the algorithm's known answers with this very code.
    pub prove: fn(&K::Code) -> Result<Proof, ProofError>,
}

impl<K: Kind> Implementation<K> {
    /// Reproduces the algorithm's known answers, now, in this process, with the code that will be used.
    pub fn proof(&self) -> Result<Proof, ProofError> {
        (self.prove)(self.code.as_ref())
    }
}

/// The algorithm of that name and kind, or an error that suggests the nearest ones.
pub fn find<K: Kind>(name: &str) -> Result<&'static Algorithm<K>, UnknownName> {
    let all = K::all();
    all.iter()
        .find(|algorithm| algorithm.facts.name == name)
        .ok_or_else(|| UnknownName::new("algorithm", name, all.iter().map(|a| a.facts.name.as_str())))
}
