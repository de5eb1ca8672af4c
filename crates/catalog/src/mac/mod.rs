//! MAC algorithms with their key derivation: their own facts, and the adapters, one module per family.

pub(crate) mod derivation;
mod facts;
pub(crate) mod keyed;
mod nonce;
mod proofs;
mod rfc5925;
mod rustcrypto;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::mac::Mac;

pub use facts::MacFacts;

use crate::kind::{self, Kind};
use crate::{Proof, ProofError, UnknownName, join};

/// Declares the module of each family and lists what it offers.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(pub(crate) mod $family;)*

        const FAMILIES: &[fn() -> Family] = &[$($family::family),*];
    };
}

// Every family of MAC algorithms: one word each.
families![hmac, cmac, kmac, blake2, blake3, siphash, gmac, poly1305, tcp_md5];

/// The files under `facts/mac/`: name and text.
pub(crate) const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/mac.rs"));

/// A MAC algorithm.
pub type Algorithm = crate::Algorithm<kind::Mac>;
/// Code for a MAC algorithm.
pub type Implementation = crate::Implementation<kind::Mac>;
/// A family's algorithms, each with its implementations.
type Family = join::Family<kind::Mac>;

impl Kind for kind::Mac {
    type Code = dyn fieldtest_kinds::mac::Mac;
    type Facts = MacFacts;
    const WORD: &'static str = "mac";
    const TITLE: &'static str = "Message authentication codes";

    fn all() -> &'static [Algorithm] {
        all()
    }
}

/// Every MAC algorithm, by status.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub fn all() -> &'static [Algorithm] {
    static ALL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| join::algorithms(FACTS, FAMILIES));
    &ALL
}

/// The MAC algorithm of that name, or an error that suggests the nearest ones.
pub fn find(name: &str) -> Result<&'static Algorithm, UnknownName> {
    crate::find::<kind::Mac>(name)
}

/// One implementation, from the adapter and the function that proves it.
pub(crate) fn implementation(
    name: &'static str,
    version: String,
    mac: impl Mac + 'static,
    prove: fn(&dyn Mac) -> Result<Proof, ProofError>,
) -> Implementation {
    Implementation { name, version, code: Arc::new(mac), prove: crate::Prove::Own(prove) }
}
