//! What can be wrong with keys and signatures.

/// Bytes that are no key of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum InvalidKey {
    /// There are more or fewer bytes than a key has.
    #[error("a {curve} {what} of {given} bytes was given: give {expected} bytes, big-endian")]
    Length { curve: &'static str, what: &'static str, given: usize, expected: usize },
    #[error(
        "a coordinate of a {curve} public key is not below the curve's prime: the key is damaged or of another curve"
    )]
    Coordinate { curve: &'static str },
    /// The point does not fulfil the curve's equation.
    #[error("a public key is not a point of {curve}: the key is damaged or of another curve")]
    NotOnCurve { curve: &'static str },
    #[error("a {curve} private key is zero or not below the curve's order: generate another one")]
    Scalar { curve: &'static str },
}

/// Bytes that are not a signature of the digest under the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum InvalidSignature {
    /// There are more or fewer bytes than a signature has.
    #[error("a {curve} signature of {given} bytes was given: give r and s, {expected} bytes together")]
    Length { curve: &'static str, given: usize, expected: usize },
    #[error("r or s of a {curve} signature is zero or not below the curve's order: the signature is damaged")]
    Range { curve: &'static str },
    /// The signature is another key's or another digest's.
    #[error("the {curve} signature does not match: the data, the signature or the key is another one")]
    Mismatch { curve: &'static str },
}

/// A signature was to be written where it does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given} bytes were given for a {curve} signature: give {expected}")]
pub struct SignatureLength {
    /// The curve's name.
    pub curve: &'static str,
    /// Bytes that were given.
    pub given: usize,
    /// Bytes that a signature has.
    pub expected: usize,
}
