//! What can be wrong with keys, signatures and signing.

/// Bytes that are no key of the parameter set.
///
/// The length is all that can be wrong: every string of a public or secret key's length is a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {set} {what} of {given} bytes was given: give {expected} bytes")]
pub struct InvalidKey {
    /// The parameter set's name.
    pub set: &'static str,
    /// Which kind of key.
    pub what: &'static str,
    /// Bytes that were given.
    pub given: usize,
    /// Bytes that such a key has.
    pub expected: usize,
}

/// Bytes that are not a signature of the message under the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum InvalidSignature {
    /// There are more or fewer bytes than a signature has.
    #[error("a {set} signature of {given} bytes was given: give {expected} bytes")]
    Length { set: &'static str, given: usize, expected: usize },
    /// The signature is another key's or another message's.
    #[error("the {set} signature does not match: the message, the signature or the key is another one")]
    Mismatch { set: &'static str },
}

/// A message could not be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum SigningError {
    /// The randomiser has another length than the parameter set's salt.
    #[error(
        "a randomiser of {given} bytes was given for {set}: give {expected} bytes, zeros to sign deterministically"
    )]
    Randomizer { set: &'static str, given: usize, expected: usize },
    /// The signature does not fit where it was to be written.
    #[error("{given} bytes were given for a {set} signature: give {expected}")]
    SignatureLength { set: &'static str, given: usize, expected: usize },
    /// None of the 256 linear systems that the specification allows had full rank, which does not happen by chance.
    #[error("no {set} signature was found in 256 attempts: sign with another randomiser")]
    Exhausted { set: &'static str },
}
