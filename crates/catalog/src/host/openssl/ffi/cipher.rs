//! `EVP_CipherInit_ex2` and what follows it: encryption without authentication.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};

use fieldtest_kinds::Error;

use super::Libcrypto;
use crate::host::pooled::Direction;

/// A cipher with its mode that was looked up once.
pub(crate) struct CipherMethod {
    pub(super) libcrypto: &'static Libcrypto,
    pub(super) method: NonNull<c_void>,
}

// SAFETY: a fetched method is immutable and reference-counted atomically.
unsafe impl Send for CipherMethod {}
// SAFETY: as above.
unsafe impl Sync for CipherMethod {}

impl CipherMethod {
    pub(crate) fn named(libcrypto: &'static Libcrypto, name: &CStr) -> Result<Self, Error> {
        // SAFETY: the name is a C string; the result is freed when this value is dropped.
        let method = unsafe { (libcrypto.functions.EVP_CIPHER_fetch)(null_mut(), name.as_ptr(), null()) };
        NonNull::new(method)
            .map(|method| CipherMethod { libcrypto, method })
            .ok_or_else(|| libcrypto.failed())
    }

    /// A context with the key, for one direction. The key must be as long as this method's keys: OpenSSL is not told
    /// how long it is, and asks the method.
    pub(crate) fn context(&self, key: &[u8], direction: Direction) -> Result<CipherContext, Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: the method is alive, and a number is returned.
        let key_length = unsafe { (functions.EVP_CIPHER_get_key_length)(self.method.as_ptr()) };
        if usize::try_from(key_length) != Ok(key.len()) {
            return Err(Error::MalformedKey(format!(
                "it has {} bytes, and OpenSSL's keys of this cipher have {key_length}",
                key.len()
            )));
        }
        let context = CipherContext::new(self.libcrypto)?;
        let encrypting = match direction {
            Direction::Encryption => 1,
            Direction::Decryption => 0,
        };
        // SAFETY: the context is this function's alone, and the key is as long as the method expects.
        self.libcrypto.expect(unsafe {
            (functions.EVP_CipherInit_ex2)(
                context.at(),
                self.method.as_ptr(),
                key.as_ptr(),
                null(),
                encrypting,
                null(),
            )
        })?;
        // SAFETY: as above. Sectors are whole blocks, and keep their length.
        self.libcrypto.expect(unsafe { (functions.EVP_CIPHER_CTX_set_padding)(context.at(), 0) })?;
        Ok(context)
    }
}

impl Drop for CipherMethod {
    fn drop(&mut self) {
        // SAFETY: fetched by `named`, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_CIPHER_free)(self.method.as_ptr()) };
    }
}

/// An `EVP_CIPHER_CTX` that has its key. OpenSSL erases it when it is freed.
pub(crate) struct CipherContext {
    libcrypto: &'static Libcrypto,
    context: NonNull<c_void>,
}

// SAFETY: a context may move between threads.
unsafe impl Send for CipherContext {}
// SAFETY: a shared one is only copied, by a function that takes a pointer to const; all else wants `&mut`.
unsafe impl Sync for CipherContext {}

impl CipherContext {
    pub(super) fn new(libcrypto: &'static Libcrypto) -> Result<Self, Error> {
        // SAFETY: takes nothing; the result is freed when the value is dropped.
        let context = unsafe { (libcrypto.functions.EVP_CIPHER_CTX_new)() };
        NonNull::new(context)
            .map(|context| CipherContext { libcrypto, context })
            .ok_or_else(|| libcrypto.failed())
    }

    pub(super) fn at(&self) -> *mut c_void {
        self.context.as_ptr()
    }

    /// Another one with the same key and direction.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        let copy = Self::new(self.libcrypto)?;
        let functions = &self.libcrypto.functions;
        // SAFETY: both are alive, and the target is this function's alone.
        self.libcrypto.expect(unsafe { (functions.EVP_CIPHER_CTX_copy)(copy.at(), self.at()) })?;
        Ok(copy)
    }

    /// Sets the initialisation vector, the first counter or the tweak; the key stays.
    pub(crate) fn restart(&mut self, iv: &[u8; 16]) -> Result<(), Error> {
        let libcrypto = self.libcrypto;
        // SAFETY: `&mut self` makes the context this call's own. No method of ours has an IV longer than 16 bytes,
        // which is EVP_MAX_IV_LENGTH; -1 keeps the direction.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_CipherInit_ex2)(self.at(), null(), null(), iv.as_ptr(), -1, null())
        })
    }

    /// Encrypts or decrypts in place.
    ///
    /// # Errors
    /// [`Error::Library`], also if the context holds back a part of a block or the data is 2 GiB or longer.
    pub(crate) fn update(&mut self, data: &mut [u8]) -> Result<(), Error> {
        let libcrypto = self.libcrypto;
        let length = c_int::try_from(data.len())
            .map_err(|_| Error::Library("OpenSSL takes less than 2 GiB at once".to_owned()))?;
        let mut written = 0;
        // SAFETY: as in `restart`; input and output are the same bytes, which `man 3 EVP_EncryptUpdate` allows, and as
        // many are written as read, since padding is off and nothing was left over from before.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_CipherUpdate)(
                self.at(),
                data.as_mut_ptr(),
                &mut written,
                data.as_ptr(),
                length,
            )
        })?;
        if written == length {
            return Ok(());
        }
        Err(Error::Library(format!("OpenSSL encrypted {written} of {length} bytes; pass whole blocks")))
    }
}

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_CIPHER_CTX_free)(self.context.as_ptr()) };
    }
}
