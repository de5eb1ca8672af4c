use std::fmt;

/// Why an implementation could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a key of this algorithm; the text says what was expected and what was found.
    MalformedKey(String),
    /// The signature is well formed but wrong, or not a signature at all.
    InvalidSignature,
    /// The tag is not that of the nonce, the associated data and the ciphertext under this key.
    InvalidTag,
    /// The message was made to collide with another one under this hash function, which notices that.
    CollisionAttack,
    /// This implementation has no such operation (a verifier that cannot sign, say).
    Unsupported(&'static str),
    /// The library underneath failed for a reason of its own, in its own words.
    Library(String),
    /// An engine failed; the text names it.
    Engine(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::MalformedKey(what) => write!(f, "malformed key: {what}"),
            Error::InvalidSignature => f.write_str("the signature does not verify"),
            Error::InvalidTag => f.write_str("the tag does not verify"),
            Error::CollisionAttack => f.write_str("the message is one of a pair that was made to collide"),
            Error::Unsupported(operation) => write!(f, "this implementation does not offer {operation}"),
            Error::Library(text) => write!(f, "the library failed: {text}"),
            Error::Engine(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}
