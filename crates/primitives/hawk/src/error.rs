//! What can be wrong with keys, signatures and requests.

/// A key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// Not as many bytes as keys of this parameter set have.
    #[error("a key of {given} bytes, where this parameter set has {expected}")]
    Length {
        /// Bytes that were given.
        given: usize,
        /// Bytes that such a key has.
        expected: usize,
    },
    /// A public key that is not the encoding of any (algorithm 9).
    #[error(
        "the public key is not one that is encoded as HAWK does; it is damaged, or of another parameter set"
    )]
    Encoding,
    /// A public key whose q00 is not positive at every root of unity, or not invertible modulo the two primes of
    /// verification, as key generation makes them (algorithms 13 and 18). No signature belongs to it.
    #[error("the public key is not one that key generation makes; it is damaged")]
    NotPositive,
    /// A private key whose parts do not belong together.
    #[error(
        "the parts of the private key do not belong together; it is damaged, or of another parameter set"
    )]
    Inconsistent,
}

/// Why nothing was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// A place for a signature that has not its length.
    #[error("a place of {given} bytes for a signature of {expected}")]
    Place {
        /// Bytes that were given.
        given: usize,
        /// Bytes of a signature of this parameter set.
        expected: usize,
    },
    /// No attempt gave a signature, which does not happen by chance: the key or the memory is damaged.
    #[error("no signature after 4096 attempts; the key or the memory is damaged")]
    Exhausted,
}

/// The signature is not one of this message under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not belong to this message and key")]
pub struct InvalidSignature;
