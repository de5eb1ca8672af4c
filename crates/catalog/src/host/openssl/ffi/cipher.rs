//! `EVP_CipherInit_ex2` and what follows it: encryption without authentication.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;

use fieldtest_kinds::Error;

use super::{Libcrypto, Method};
use crate::host::library::Object;
use crate::host::pooled::{Direction, SectorWorker};

/// A cipher with its mode that was looked up once.
pub(crate) struct CipherMethod(pub(super) Method);

impl CipherMethod {
    pub(crate) fn named(libcrypto: &'static Libcrypto, name: &CStr) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        Method::named(libcrypto, functions.EVP_CIPHER_fetch, functions.EVP_CIPHER_free, name)
            .map(CipherMethod)
    }

    /// OpenSSL is not told how long a key is, and asks the method.
    pub(super) fn check_key(&self, key: &[u8]) -> Result<(), Error> {
        // SAFETY: the method is alive, and a number is returned.
        let length = unsafe { (self.0.libcrypto.functions.EVP_CIPHER_get_key_length)(self.0.object.at()) };
        if usize::try_from(length) == Ok(key.len()) {
            return Ok(());
        }
        let found = key.len();
        Err(Error::MalformedKey(format!(
            "it has {found} bytes, and OpenSSL's keys of this cipher have {length}"
        )))
    }

    pub(crate) fn context(&self, key: &[u8], direction: Direction) -> Result<CipherContext, Error> {
        self.check_key(key)?;
        let libcrypto = self.0.libcrypto;
        let functions = &libcrypto.functions;
        let context = CipherContext::new(libcrypto)?;
        let encrypting = c_int::from(direction == Direction::Encryption);
        let method = self.0.object.at();
        // SAFETY: the context is this function's alone, and the key is as long as the method expects.
        libcrypto.expect(unsafe {
            (functions.EVP_CipherInit_ex2)(context.at(), method, key.as_ptr(), null(), encrypting, null())
        })?;
        // SAFETY: as above. Sectors are whole blocks, and keep their length.
        libcrypto.expect(unsafe { (functions.EVP_CIPHER_CTX_set_padding)(context.at(), 0) })?;
        Ok(context)
    }
}

/// An `EVP_CIPHER_CTX` that has its key. OpenSSL erases it when it is freed.
pub(crate) struct CipherContext {
    libcrypto: &'static Libcrypto,
    context: Object,
}

// SAFETY: a shared one is only copied, by a function that takes a pointer to const; all else wants `&mut`.
unsafe impl Sync for CipherContext {}

impl CipherContext {
    pub(super) fn new(libcrypto: &'static Libcrypto) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        // SAFETY: takes nothing; the result is nobody else's.
        let context =
            unsafe { libcrypto.owned((functions.EVP_CIPHER_CTX_new)(), functions.EVP_CIPHER_CTX_free) }?;
        Ok(CipherContext { libcrypto, context })
    }

    pub(super) fn at(&self) -> *mut c_void {
        self.context.at()
    }

    /// Another one with the same key and direction.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        let copy = Self::new(self.libcrypto)?;
        let functions = &self.libcrypto.functions;
        // SAFETY: both are alive, and the target is this function's alone.
        self.libcrypto.expect(unsafe { (functions.EVP_CIPHER_CTX_copy)(copy.at(), self.at()) })?;
        Ok(copy)
    }
}

impl SectorWorker for CipherContext {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let functions = &self.libcrypto.functions;
        if let Some(iv) = tweak {
            // SAFETY: `&mut self` makes the context this call's own. No method of ours has an IV longer than 16 bytes,
            // which is EVP_MAX_IV_LENGTH; -1 keeps the direction.
            self.libcrypto.expect(unsafe {
                (functions.EVP_CipherInit_ex2)(self.at(), null(), null(), iv.as_ptr(), -1, null())
            })?;
        }
        let (length, mut written) = (length(sector.len())?, 0);
        // SAFETY: as above; input and output are the same bytes, which `man 3 EVP_EncryptUpdate` allows, and as
        // many are written as read, since padding is off and nothing was left over from before.
        self.libcrypto.expect(unsafe {
            let (to, from) = (sector.as_mut_ptr(), sector.as_ptr());
            (functions.EVP_CipherUpdate)(self.at(), to, &mut written, from, length)
        })?;
        if written == length {
            return Ok(());
        }
        Err(Error::Library(format!("OpenSSL encrypted {written} of {length} bytes; pass whole blocks")))
    }
}

/// A length as OpenSSL takes it.
pub(super) fn length(bytes: usize) -> Result<c_int, Error> {
    c_int::try_from(bytes).map_err(|_| Error::Library("OpenSSL takes less than 2 GiB at once".to_owned()))
}
