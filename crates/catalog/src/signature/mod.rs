//! Signature algorithms: their own facts, and the adapters, one module per family.

mod wycheproof;

pub(crate) mod facts;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;
use zeroize::Zeroizing;

pub use self::rsa::rsa_sha512;
pub use facts::{Dnssec, Ima, Randomness, SignatureFacts, Varying};

use crate::kind;
use crate::{Proof, ProofError, UnknownName, join};

/// Declares the module of each family and lists what it offers.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(pub(crate) mod $family;)*

        const FAMILIES: &[fn() -> Family] = &[$($family::family),*];
    };
}

// Every family of signature algorithms: one word each.
families![rsa, ecdsa, ed25519, ml_dsa, slh_dsa, falcon, sqisign, mayo, hawk, antrag];

/// The files under `facts/signature/`: name and text.
const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/signature.rs"));

/// A signature algorithm.
pub type Algorithm = crate::Algorithm<kind::Signature>;
/// Code for a signature algorithm.
pub type Implementation = crate::Implementation<kind::Signature>;
/// A family's algorithms, each with its implementations.
type Family = join::Family<kind::Signature>;

/// Every signature algorithm: classic ones first, then by status.
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
    Implementation { name, version, code: Arc::new(signature), prove }
}

/// The error for a key of the wrong length.
pub(crate) fn wrong_length(what: &str, expected: usize, found: usize) -> Error {
    Error::MalformedKey(format!("{what} has {expected} bytes, and these are {found}"))
}

/// Bytes as an array, or the error that says what they should have been. A reference, so that no copy of a secret stays
/// behind.
pub(crate) fn exactly<'a, const N: usize>(what: &str, bytes: &'a [u8]) -> Result<&'a [u8; N], Error> {
    bytes.try_into().map_err(|_| wrong_length(what, N, bytes.len()))
}

/// Replaces what `signature` held.
pub(crate) fn put(signature: &mut Vec<u8>, bytes: &[u8]) {
    signature.clear();
    signature.extend_from_slice(bytes);
}

/// The error of a library that says nothing about its reasons, with what it was asked to do.
pub(crate) fn failed(what: &str) -> Error {
    Error::Library(format!("{what} failed, without a reason given"))
}

/// Fresh bytes from the operating system, for libraries that leave randomness to their caller.
pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, Error> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes)
        .map_err(|e| Error::Library(format!("no randomness from the system: {e}")))?;
    Ok(bytes)
}

/// Reads the hexadecimal constants of a vector file, which are this crate's own text.
///
/// # Panics
/// If the constant is not hexadecimal, which the first proof that uses it shows.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "an odd number of digits: {text}");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits in a vector constant"))
        .collect()
}
