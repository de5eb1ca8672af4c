//! Contexts in which digests are signed and verified.

use std::marker::PhantomData;

use fieldtest_kinds::Error;

use super::{Digest, Libcrypto};
use crate::host::library::Object;

/// The purpose of a [`Prepared`] context that signs.
pub(crate) struct Signs;
/// The purpose of a [`Prepared`] context that verifies.
pub(crate) struct Verifies;

/// A context that is ready for any number of digests, one at a time.
pub(crate) struct Prepared<Purpose> {
    pub(super) libcrypto: &'static Libcrypto,
    /// An `EVP_PKEY_CTX`.
    pub(super) context: Object,
    pub(super) longest: usize,
    pub(super) purpose: PhantomData<Purpose>,
}

impl Prepared<Signs> {
    /// Signs one message; `signature` is overwritten.
    pub(crate) fn sign(
        &mut self,
        digest: &Digest,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut buffer = [0; 64];
        let digest = digest.of(message, &mut buffer)?;
        let libcrypto = self.libcrypto;
        signature.resize(self.longest, 0);
        let mut length = signature.len();
        // SAFETY: `&mut self` makes the context this call's own; the buffers are as long as stated.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_PKEY_sign)(
                self.context.at(),
                signature.as_mut_ptr(),
                &mut length,
                digest.as_ptr(),
                digest.len(),
            )
        })?;
        signature.truncate(length);
        Ok(())
    }
}

impl Prepared<Verifies> {
    pub(crate) fn verify(&mut self, digest: &Digest, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let mut buffer = [0; 64];
        let digest = digest.of(message, &mut buffer)?;
        let libcrypto = self.libcrypto;
        // SAFETY: as in `sign`.
        libcrypto.verdict(unsafe {
            (libcrypto.functions.EVP_PKEY_verify)(
                self.context.at(),
                signature.as_ptr(),
                signature.len(),
                digest.as_ptr(),
                digest.len(),
            )
        })
    }
}
