//! Authenticated encryption with associated data (AEAD, RFC 5116), as LUKS2 with integrity, TLS and many others carry it.
//!
//! A message is encrypted in place, and its tag stands beside it. A *nonce* must never be used twice under one key; where it is
//! kept, and how it is chosen, is the business of the carrier.

use crate::Error;

/// One implementation of one AEAD algorithm.
pub trait Aead: Send + Sync {
    /// Bytes of a key.
    fn key_len(&self) -> usize;

    /// Prepares a key for many messages.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the key is not [`key_len`](Self::key_len) bytes long.
    fn prepare(&self, key: &[u8]) -> Result<Box<dyn AeadKey>, Error>;
}

/// A prepared key.
pub trait AeadKey: Send + Sync {
    /// Encrypts `message` in place and overwrites `tag`, whose length is the one that is wanted.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if this implementation has no nonces or tags of that length, [`Error::Library`] if the message is too
    /// long for the algorithm or the library underneath fails; nothing of `message` may be used then.
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error>;

    /// Decrypts `message` in place if `tag` is right.
    ///
    /// # Errors
    /// As [`seal`](Self::seal), and [`Error::InvalidTag`]; nothing of `message` may be used then.
    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}
