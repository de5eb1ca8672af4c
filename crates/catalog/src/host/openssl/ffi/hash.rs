//! `EVP_DigestInit_ex2` and what follows it: hashing messages that come in pieces.

use std::ptr::null;
use std::sync::Arc;

use fieldtest_kinds::Error;

use super::context::MessageContext;
use super::{Digest, Libcrypto};

/// Who says how long a digest is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// The function, which has digests of so many bytes.
    Fixed(usize),
    /// The caller: the function's output is as long as one likes (SHAKE), and so many bytes are wanted.
    Chosen(usize),
}

impl Length {
    /// Bytes of a digest.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Length::Fixed(bytes) | Length::Chosen(bytes) => bytes,
        }
    }
}

/// An `EVP_MD_CTX` that hashes any number of messages, one after another.
pub(crate) struct HashContext {
    context: MessageContext,
    digest: Arc<Digest>,
}

// SAFETY: a context may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for HashContext {}

impl HashContext {
    pub(crate) fn new(digest: Arc<Digest>) -> Result<Self, Error> {
        Ok(HashContext { context: MessageContext::new(digest.libcrypto)?, digest })
    }

    fn libcrypto(&self) -> &'static Libcrypto {
        self.digest.libcrypto
    }

    /// Begins a message; what was there of another one is dropped.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        let libcrypto = self.libcrypto();
        // SAFETY: context and method are alive, and `&mut self` makes the context this call's own.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_DigestInit_ex2)(
                self.context.at.as_ptr(),
                self.digest.method.as_ptr(),
                null(),
            )
        })
    }

    /// Appends to the message that was begun.
    pub(crate) fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let libcrypto = self.libcrypto();
        // SAFETY: as in `begin`; the piece is as long as stated.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_DigestUpdate)(self.context.at.as_ptr(), piece.as_ptr(), piece.len())
        })
    }

    /// Ends the message and overwrites `digest`.
    ///
    /// # Errors
    /// [`Error::Library`] if `digest` is not as long as `length` says.
    pub(crate) fn finish(&mut self, length: Length, digest: &mut [u8]) -> Result<(), Error> {
        let libcrypto = self.libcrypto();
        let at = self.context.at.as_ptr();
        if digest.len() != length.bytes() {
            return Err(crate::hash::wrong_length(length.bytes(), digest.len()));
        }
        match length {
            Length::Chosen(_) => {
                // SAFETY: as in `begin`; the buffer is as long as stated.
                libcrypto.expect(unsafe {
                    (libcrypto.functions.EVP_DigestFinalXOF)(at, digest.as_mut_ptr(), digest.len())
                })
            }
            Length::Fixed(_) => {
                // EVP_MAX_MD_SIZE: what the function writes is its own affair until it has said how much.
                let mut whole = [0; 64];
                let mut written = 0;
                // SAFETY: as in `begin`; the buffer is as long as the longest digest.
                libcrypto.expect(unsafe {
                    (libcrypto.functions.EVP_DigestFinal_ex)(at, whole.as_mut_ptr(), &mut written)
                })?;
                let whole = whole.get(..written as usize).unwrap_or(&whole);
                crate::hash::write(whole, digest)
            }
        }
    }
}
