//! `EVP_DigestInit_ex2` and what follows it: hashing messages that come in pieces.

use std::ptr::null;
use std::sync::Arc;

use fieldtest_kinds::Error;

use super::Digest;
use crate::host::keyed::Output;
use crate::host::library::Object;
use crate::host::pooled::Worker;

/// An `EVP_MD_CTX` that hashes any number of messages, one after another.
pub(crate) struct HashContext {
    context: Object,
    digest: Arc<Digest>,
    output: Output,
}

impl HashContext {
    pub(crate) fn new(digest: Arc<Digest>, output: Output) -> Result<Self, Error> {
        Ok(HashContext { context: digest.0.libcrypto.message_context()?, digest, output })
    }
}

impl Worker for HashContext {
    fn begin(&mut self) -> Result<(), Error> {
        let libcrypto = self.digest.0.libcrypto;
        // SAFETY: context and method are alive, and `&mut self` makes the context this call's own.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_DigestInit_ex2)(self.context.at(), self.digest.0.object.at(), null())
        })
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let libcrypto = self.digest.0.libcrypto;
        // SAFETY: as in `begin`; the piece is as long as stated.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_DigestUpdate)(self.context.at(), piece.as_ptr(), piece.len())
        })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let (libcrypto, at) = (self.digest.0.libcrypto, self.context.at());
        if self.output == Output::Extendable {
            // SAFETY: as in `begin`; the buffer is as long as stated.
            return libcrypto.expect(unsafe {
                (libcrypto.functions.EVP_DigestFinalXOF)(at, output.as_mut_ptr(), output.len())
            });
        }
        // EVP_MAX_MD_SIZE: what the function writes is its own affair until it has said how much.
        let (mut whole, mut written) = ([0; 64], 0);
        // SAFETY: as in `begin`; the buffer is as long as the longest digest.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_DigestFinal_ex)(at, whole.as_mut_ptr(), &mut written)
        })?;
        crate::hash::write(whole.get(..written as usize).unwrap_or(&whole), output)
    }
}
