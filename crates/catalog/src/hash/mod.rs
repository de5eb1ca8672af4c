//! Hash functions: their own facts, and the adapters, one module per family.

pub mod availability;
#[cfg(feature = "aws-lc")]
mod aws_lc;
mod facts;
mod function;
#[cfg(feature = "graviola")]
mod graviola;
mod own;
mod proofs;
#[cfg(feature = "ring")]
mod ring;
mod rustcrypto;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::hash::Hash;

pub use facts::{GitFormat, HashFacts};
pub(crate) use function::{Function, State, write, wrong_length};

use crate::kind::{self, Kind};
use crate::{Proof, ProofError, UnknownName, host, join, version};

/// Declares the module of each family and lists what it offers.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(mod $family;)*

        const FAMILIES: &[fn() -> Family] = &[$($family::family),*];
    };
}

// Every family of hash functions: one word each.
families![sha1, sha2, keccak, blake2, blake3];

/// The files under `facts/hash/`: name and text.
pub(crate) const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/hash.rs"));

/// A hash function.
pub type Algorithm = crate::Algorithm<kind::Hash>;
/// Code for a hash function.
pub type Implementation = crate::Implementation<kind::Hash>;
/// A family's functions, each with its implementations.
type Family = join::Family<kind::Hash>;
/// What reproduces a function's known answers.
pub(crate) type Prove = fn(&dyn Hash) -> Result<Proof, ProofError>;

impl Kind for kind::Hash {
    type Code = dyn fieldtest_kinds::hash::Hash;
    type Facts = HashFacts;
    const WORD: &'static str = "hash";
    const TITLE: &'static str = "Hash functions";

    fn all() -> &'static [Algorithm] {
        all()
    }
}

/// Every hash function, by status.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub fn all() -> &'static [Algorithm] {
    static ALL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| join::algorithms(FACTS, FAMILIES));
    &ALL
}

/// The hash function of that name, or an error that suggests the nearest ones.
pub fn find(name: &str) -> Result<&'static Algorithm, UnknownName> {
    crate::find::<kind::Hash>(name)
}

/// The implementations of one function while they are gathered.
struct List {
    prove: Prove,
    all: Vec<Implementation>,
}

impl List {
    fn proven_by(prove: Prove) -> Self {
        List { prove, all: Vec::new() }
    }

    /// Adds a function of the library that `package` names.
    fn add(&mut self, name: &'static str, package: &str, function: impl Function) {
        self.all.push(implementation(name, version::of(package), function, self.prove));
    }

    /// Adds what of the host has the function that the catalog calls so.
    fn add_hosts(&mut self, function: &str) {
        self.all.extend(host::hashes(function, self.prove));
    }
}

/// One implementation, from the adapter and the function that proves it.
pub(crate) fn implementation(
    name: &'static str,
    version: String,
    function: impl Function,
    prove: Prove,
) -> Implementation {
    Implementation {
        name,
        version,
        code: Arc::new(function::Adapter(function)),
        prove: crate::Prove::Own(prove),
    }
}
