//! What can be wrong with keys, signatures and requests.

/// A key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// Not as many bytes as keys of this kind have.
    #[error("a key of {given} bytes, where {expected} are needed")]
    Length {
        /// Bytes that were given.
        given: usize,
        /// Bytes that such a key has.
        expected: usize,
    },
    /// A coefficient that no key has: of a public key one that is not below q, of a secret key -32 in f or g, or -128 in F.
    #[error("the key has a coefficient that is out of range; it is damaged, or of another scheme")]
    Coefficient,
    /// A secret key with which signatures of the right length cannot be made: f and g leave the annulus.
    #[error("f and g of the secret key are not short enough in every embedding; it is damaged")]
    Quality,
    /// A secret key of which f is not invertible, or which has no short G so that f G - g F = q.
    #[error("the parts of the secret key do not belong together; it is damaged")]
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
        /// Bytes of a signature.
        expected: usize,
    },
    /// No attempt gave a signature that is short enough, which does not happen by chance: the key or the memory is damaged.
    #[error("no signature after {0} attempts; the key or the memory is damaged")]
    Exhausted(u32),
}

/// The signature is not one of this message under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not belong to this message and key")]
pub struct InvalidSignature;
