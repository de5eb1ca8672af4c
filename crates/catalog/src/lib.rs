//! Algorithms by name: their facts, their implementations, and the proof of each.
//!
//! To add an algorithm is one adapter file under its kind's directory, one entry under `facts/`, and one set of vectors;
//! CONTRIBUTING.md shows it with a real example.
//!
//! ```
//! let algorithm = fieldtest_catalog::signature::find("ed25519")?;
//! let implementation = algorithm.implementation("aws-lc")?;
//! let proof = implementation.kat()?;
//! assert!(proof.vectors > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Libraries that take long to build, or need a compiler for C, can be left out: each is a default feature (`aws-lc`, `graviola`,
//! `libcrux`, `ring`, `sqisign`). The catalog lists what was built in; every algorithm is there with its
//! facts. There is no feature for each kind: adapters of all kinds share the host's libraries, their proofs
//! and names.

mod adapt;
pub mod aead;
mod attach;
pub mod cipher;
mod declare;
mod der;
mod drbg;
mod entry;
mod experiment;
pub mod facts;
pub mod hash;
pub mod host;
mod join;
pub mod kat;
pub mod kind;
pub mod mac;
mod names;
pub mod places;
pub mod policies;
mod pool;
mod serve;
pub mod signature;
mod version;
mod waiting;

use std::sync::Arc;

pub use attach::{
    AttachError, ENGINE_LIBRARIES, ENGINE_LIBRARY, ENGINE_PIPE, ENGINES, attach, descriptions, free_number,
    is_attached,
};
pub use entry::{Called, Entry, Proven, attached, called, entries, entry, implementation_name, prove_all};
pub use facts::Facts;
pub use fieldtest_text::own::{OWN, OWN_PORTABLE};
pub use kat::{KatError, KatResult};
use kind::{Kind, Signature};
pub use names::{UnknownName, simplified};
pub use serve::{Unserved, Wanted};

/// An algorithm: its facts and whatever implements it.
pub struct Algorithm<K: Kind = Signature> {
    /// What is known of it without running it.
    pub facts: &'static Facts<K>,
    /// The code for it; empty for an algorithm of which only sizes are known.
    pub implementations: Vec<Implementation<K>>,
}

impl<K: Kind> Algorithm<K> {
    /// Whether its code is an [engine](attach()).
    pub fn is_attached(&self) -> bool {
        self.implementations.iter().any(|implementation| is_attached(implementation.name))
    }

    /// The implementation of that name, however it is spelled, or an error that offers the nearest ones.
    pub fn implementation(&self, name: &str) -> Result<&Implementation<K>, UnknownName> {
        let known: Vec<&str> = self.implementations.iter().map(|i| i.name).collect();
        let found = names::implementation(Some(&self.facts.name), name, &known);
        found.map(|at| &self.implementations[at]).map_err(host::explained)
    }
}

/// What puts code to the proof.
pub enum Prove<K: Kind> {
    /// With answers that are in the program.
    Own(fn(&K::Code) -> Result<KatResult, KatError>),
    /// With answers that came with the code, which it knows.
    Attached(Box<dyn Fn() -> Result<KatResult, KatError> + Send + Sync>),
}

/// Code for one algorithm.
pub struct Implementation<K: Kind = Signature> {
    /// `aws-lc`, `graviola`, `openssl-host`, …; [`host::HOSTS`] has those that are found on a host.
    pub name: &'static str,
    /// The version it states of itself.
    pub version: String,
    /// The code.
    pub code: Arc<K::Code>,
    /// Reproduces the algorithm's known answers with this very code.
    pub prove: Prove<K>,
}

impl<K: Kind> Implementation<K> {
    /// Whether it takes part in studies that ask for no implementation by name: all do but some that are found on a host.
    pub fn is_usual(&self) -> bool {
        host::Host::named(self.name).is_none_or(|host| host.usual)
    }

    /// Whether its results hold the way into a kernel and back. It is then never held against a library.
    pub fn with_system_call(&self) -> bool {
        host::Host::named(self.name).is_some_and(|host| host.with_system_call)
    }

    /// Why it is an experiment and nothing to be installed, with where that is said; `None` where it is none.
    pub fn experiment(&self) -> Option<&'static str> {
        experiment::why(self.name)
    }

    /// Reproduces the algorithm's known answers, now, in this process, with the code that will be used.
    pub fn kat(&self) -> Result<KatResult, KatError> {
        match &self.prove {
            Prove::Own(prove) => prove(self.code.as_ref()),
            Prove::Attached(prove) => prove(),
        }
    }
}

/// The algorithm of that name and kind, however it is spelled, or an error that says its kind or offers the nearest ones.
pub fn find<K: Kind>(name: &str) -> Result<&'static Algorithm<K>, UnknownName> {
    let all = K::all();
    let known = |it: &'static Algorithm<K>| names::Known {
        name: &it.facts.name,
        title: &it.facts.title,
        other: &it.facts.names,
    };
    let known: Vec<names::Known<'_>> = all.iter().map(known).collect();
    names::algorithm(name, &known).map(|at| &all[at]).map_err(|unknown| match entry::entry(name) {
        Ok(other) => unknown.of_other_kind(other.kind(), K::WORD),
        Err(_) => unknown,
    })
}
