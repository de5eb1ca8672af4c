//! What the modes that authenticate have in common.

use crate::Error;

/// A mode that encrypts a message in place and authenticates it together with associated data, which stays as it is (AEAD,
/// RFC 5116).
///
/// A nonce must never be used for two messages under one key: with GCM that gives away the hash key, and with it every tag.
pub trait AeadMode {
    /// Encrypts `message` and overwrites `tag`, which has the length that is wanted.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::TagLength`] or [`Error::MessageLength`] if the mode has none of that length; the message
    /// is as it was then.
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error>;

    /// Decrypts `message` if `tag` is right. The comparison takes the same time wherever they differ.
    ///
    /// # Errors
    /// As [`seal`](Self::seal), and [`Error::WrongTag`]; the message is still encrypted then.
    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}
