//! What adapters and proofs of every kind do with bytes.

use fieldtest_kinds::Error;
use zeroize::Zeroizing;

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
    fill_random(&mut *bytes)?;
    Ok(bytes)
}

pub(crate) fn fill_random(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|e| Error::Library(format!("no randomness from the system: {e}")))
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
