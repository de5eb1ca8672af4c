//! Ciphers of storage: their own facts, and the adapters, one module per family.

pub mod availability;
#[cfg(feature = "aws-lc")]
mod aws_lc;
mod facts;
mod mode;
mod own;
mod proofs;
mod published_lea;
mod rustcrypto;
mod sectors;
mod standing;
#[cfg(test)]
mod tests;
mod timing;
mod unmeasured;
mod wide;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::cipher::Cipher;

pub use facts::{CipherFacts, Width};
pub(crate) use mode::Mode;
pub(crate) use own::Portable;
pub(crate) use sectors::{OneByOne, SectorKey, Sizes, check_key, xts_halves};
pub use standing::Standing;
pub use timing::{Instructions, Timing};
pub use unmeasured::{Unmeasured, unmeasured, unmeasured_keys};

use crate::kind::{self, Kind};
use crate::{Proof, ProofError, UnknownName, host, join, version};

/// Declares the module of each family and lists what it offers.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(mod $family;)*

        const FAMILIES: &[fn() -> Family] = &[$($family::family),*];
    };
}

// Every family of ciphers: one word each.
families![aes, lea, aria, others, adiantum, hctr2];

/// The files under `facts/cipher/`: name and text.
pub(crate) const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cipher.rs"));

/// A cipher of storage.
pub type Algorithm = crate::Algorithm<kind::Cipher>;
/// Code for a cipher of storage.
pub type Implementation = crate::Implementation<kind::Cipher>;
/// A family's ciphers, each with its implementations.
type Family = join::Family<kind::Cipher>;
/// What reproduces a cipher's known answers.
pub(crate) type Prove = fn(&dyn Cipher) -> Result<Proof, ProofError>;

impl Kind for kind::Cipher {
    type Code = dyn fieldtest_kinds::cipher::Cipher;
    type Facts = CipherFacts;
    const WORD: &'static str = "cipher";
    const TITLE: &'static str = "Ciphers of storage";

    fn all() -> &'static [Algorithm] {
        all()
    }
}

/// Every cipher of storage: those for disks with narrow blocks, those with wide blocks, and last the modes that are no
/// protection for a disk; within these by status.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub fn all() -> &'static [Algorithm] {
    static ALL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| join::algorithms(FACTS, FAMILIES));
    &ALL
}

/// The cipher of that name, or an error that suggests the nearest ones.
pub fn find(name: &str) -> Result<&'static Algorithm, UnknownName> {
    crate::find::<kind::Cipher>(name)
}

/// The implementations of one cipher while they are gathered.
struct List {
    prove: Prove,
    all: Vec<Implementation>,
}

impl List {
    fn proven_by(prove: Prove) -> Self {
        List { prove, all: Vec::new() }
    }

    /// Adds code of the library that `package` names.
    fn add(&mut self, name: &'static str, package: &str, code: Arc<dyn Cipher>) {
        let version = version::of(package);
        self.all.push(Implementation { name, version, code, prove: crate::Prove::Own(self.prove) });
    }

    /// Adds what of the host has the cipher that the catalog calls so.
    fn add_hosts(&mut self, name: &str) {
        self.all.extend(host::ciphers(name, self.prove));
    }
}
