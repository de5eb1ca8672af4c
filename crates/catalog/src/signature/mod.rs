//! Signature algorithms: their own facts, and the adapters, one module per family.

mod wycheproof;

pub(crate) mod facts;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::signature::Signature;

pub use self::rsa::rsa_sha512;
pub use facts::{Dnssec, Ima, Randomness, SignatureFacts, Varying};

pub(crate) use crate::adapt::{exactly, failed, hex, put, random, wrong_length};
use crate::kind::{self, Kind};
use crate::{Proof, ProofError, UnknownName, join};

/// Declares the module of each family and lists what it offers.
macro_rules! families {
    ($($(#[$only:meta])? $family:ident),* $(,)?) => {
        $($(#[$only])? pub(crate) mod $family;)*

        const FAMILIES: &[fn() -> Family] = &[$($(#[$only])? $family::family),*];
    };
}

// Every family of signature algorithms: one word each.
families![
    rsa,
    ecdsa,
    ed25519,
    ml_dsa,
    composite,
    slh_dsa,
    falcon,
    #[cfg(feature = "sqisign")]
    sqisign,
    mayo,
    hawk,
    antrag
];

/// The files under `facts/signature/`: name and text.
pub(crate) const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/signature.rs"));

/// A signature algorithm.
pub type Algorithm = crate::Algorithm<kind::Signature>;
/// Code for a signature algorithm.
pub type Implementation = crate::Implementation<kind::Signature>;
/// A family's algorithms, each with its implementations.
type Family = join::Family<kind::Signature>;

impl Kind for kind::Signature {
    type Code = dyn fieldtest_kinds::signature::Signature;
    type Facts = SignatureFacts;
    const WORD: &'static str = "signature";
    const TITLE: &'static str = "Signature algorithms";

    fn all() -> &'static [Algorithm] {
        all()
    }
}

/// Every signature algorithm: classic ones first, then by status. What is to be [attached](crate::attach) has to be before this is asked.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub fn all() -> &'static [Algorithm] {
    static ALL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| join::algorithms(FACTS, FAMILIES));
    &ALL
}

/// The signature algorithm of that name, or an error that suggests the nearest ones.
pub fn find(name: &str) -> Result<&'static Algorithm, UnknownName> {
    crate::find::<kind::Signature>(name)
}

/// One implementation, from the adapter and the function that proves it.
pub(crate) fn implementation(
    name: &'static str,
    version: String,
    signature: impl Signature + 'static,
    prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
) -> Implementation {
    Implementation { name, version, code: Arc::new(signature), prove: crate::Prove::Own(prove) }
}
