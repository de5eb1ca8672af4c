//! Contexts: what an operation with a key happens in.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use fieldtest_kinds::Error;

use super::{Digest, Libcrypto};

/// An `EVP_PKEY_CTX`.
pub(super) struct Context {
    libcrypto: &'static Libcrypto,
    context: NonNull<c_void>,
}

// SAFETY: a context may move between threads; it is not `Sync`, so no two use it at once.
unsafe impl Send for Context {}

impl Context {
    pub(super) fn new(libcrypto: &'static Libcrypto, context: *mut c_void) -> Result<Self, Error> {
        let context = NonNull::new(context).ok_or_else(|| libcrypto.failed())?;
        Ok(Context { libcrypto, context })
    }

    pub(super) fn at(&self) -> *mut c_void {
        self.context.as_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_PKEY_CTX_free)(self.context.as_ptr()) };
    }
}

/// The purpose of a [`Prepared`] context that signs.
pub(crate) struct Signs;
/// The purpose of a [`Prepared`] context that verifies.
pub(crate) struct Verifies;

/// A context that is ready for any number of digests, one at a time.
pub(crate) struct Prepared<Purpose> {
    context: Context,
    longest: usize,
    purpose: PhantomData<Purpose>,
}

impl<Purpose> Prepared<Purpose> {
    pub(super) fn new(context: Context, longest: usize) -> Self {
        Prepared { context, longest, purpose: PhantomData }
    }
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
        let libcrypto = self.context.libcrypto;
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
    /// Verifies one signature.
    pub(crate) fn verify(&mut self, digest: &Digest, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let mut buffer = [0; 64];
        let digest = digest.of(message, &mut buffer)?;
        let libcrypto = self.context.libcrypto;
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

/// An `EVP_MD_CTX`, for one message.
pub(super) struct MessageContext {
    libcrypto: &'static Libcrypto,
    pub(super) at: NonNull<c_void>,
}

impl MessageContext {
    pub(super) fn new(libcrypto: &'static Libcrypto) -> Result<Self, Error> {
        // SAFETY: takes nothing; the result is freed when the value is dropped.
        let at = unsafe { (libcrypto.functions.EVP_MD_CTX_new)() };
        NonNull::new(at).map(|at| MessageContext { libcrypto, at }).ok_or_else(|| libcrypto.failed())
    }
}

impl Drop for MessageContext {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_MD_CTX_free)(self.at.as_ptr()) };
    }
}
