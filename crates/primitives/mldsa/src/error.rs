//! What can be wrong with keys, signatures and requests.

/// A key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// Not as many bytes as keys of this form have.
    #[error("a key of {given} bytes, where this form of this parameter set has {expected}")]
    Length {
        /// Bytes that were given.
        given: usize,
        /// Bytes that such a key has.
        expected: usize,
    },
    /// A coefficient of a secret polynomial that is out of range (FIPS 204, algorithm 25).
    #[error(
        "the private key has a coefficient that is out of range; it is damaged, or of another parameter set"
    )]
    Coefficient,
    /// An expanded private key whose parts do not belong together.
    #[error("the parts of the private key do not belong together; it is damaged")]
    Inconsistent,
}

/// Why nothing was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// A context may have 255 bytes (FIPS 204, algorithm 2).
    #[error("a context of {0} bytes, where 255 are allowed")]
    Context(usize),
    /// A place for a signature that has not its length.
    #[error("a place of {given} bytes for a signature of {expected}")]
    Place {
        /// Bytes that were given.
        given: usize,
        /// Bytes of a signature of this parameter set.
        expected: usize,
    },
    /// None of the more than nine thousand masks gave a signature, which does not happen by chance: the key or the
    /// memory is damaged.
    #[error("no signature after 65,536 polynomials of masks; the key or the memory is damaged")]
    Exhausted,
}

/// The signature is not one of this message in this context under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not belong to this message, context and key")]
pub struct InvalidSignature;
