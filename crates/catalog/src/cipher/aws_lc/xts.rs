//! XTS, which AWS-LC has and `aws-lc-rs` does not wrap. The key is set once for each direction; a call borrows a context with it,
//! and sets nothing but the tweak of each sector.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use aws_lc_sys::{
    EVP_CIPHER_CTX, EVP_CIPHER_CTX_copy, EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_new, EVP_CipherInit_ex,
    EVP_CipherUpdate, EVP_aes_256_xts,
};
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use crate::cipher::Mode;
use crate::host::pooled::{Direction, Maker, PooledCipher, SectorWorker};

/// AES in XTS with 64 bytes of both keys; AWS-LC has no other.
pub(super) fn aes(key_len: usize) -> Option<Arc<dyn Cipher>> {
    let prepare = |key: &[u8], direction: Direction| {
        let keyed = Context::new(key, direction)?;
        Ok(Box::new(move || keyed.copy()) as Maker<Context>)
    };
    (key_len == 64)
        .then(|| PooledCipher::new(Mode::Xts, key_len, prepare))
        .flatten()
        .map(|it| Arc::new(it) as Arc<dyn Cipher>)
}

/// A context with a key and a direction.
struct Context(NonNull<EVP_CIPHER_CTX>);

// SAFETY: nothing in a context belongs to a thread.
unsafe impl Send for Context {}
// SAFETY: whatever changes a context takes `&mut self`; one that is shared is only copied.
unsafe impl Sync for Context {}

impl Context {
    fn empty() -> Result<Context, Error> {
        // SAFETY: it takes nothing, and what it gives is freed by `drop`.
        NonNull::new(unsafe { EVP_CIPHER_CTX_new() }).map(Context).ok_or_else(failed)
    }

    fn new(key: &[u8], direction: Direction) -> Result<Context, Error> {
        let context = Context::empty()?;
        let encrypts = c_int::from(direction == Direction::Encryption);
        // SAFETY: the key is as long as the method's, which `PooledCipher` checks; there is no tweak yet.
        let done = unsafe {
            EVP_CipherInit_ex(
                context.0.as_ptr(),
                EVP_aes_256_xts(),
                null_mut(),
                key.as_ptr(),
                null(),
                encrypts,
            )
        };
        expect(done).map(|()| context)
    }

    fn copy(&self) -> Result<Context, Error> {
        let copy = Context::empty()?;
        // SAFETY: both are contexts, and the one that is read is not changed.
        expect(unsafe { EVP_CIPHER_CTX_copy(copy.0.as_ptr(), self.0.as_ptr()) }).map(|()| copy)
    }
}

impl SectorWorker for Context {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let tweak = tweak.map_or(null(), |tweak| tweak.as_ptr());
        let length = c_int::try_from(sector.len()).map_err(|_| failed())?;
        let mut written = 0;
        // SAFETY: `&mut self` makes the context this call's own. The tweak has 16 bytes; -1 keeps the direction, no method and no key
        // keep those. As many bytes are written as read, to where they were read, which evp.h allows.
        unsafe {
            expect(EVP_CipherInit_ex(self.0.as_ptr(), null(), null_mut(), null(), tweak, -1))?;
            expect(EVP_CipherUpdate(
                self.0.as_ptr(),
                sector.as_mut_ptr(),
                &raw mut written,
                sector.as_ptr(),
                length,
            ))?;
        }
        if written == length { Ok(()) } else { Err(failed()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only; the library wipes the key.
        unsafe { EVP_CIPHER_CTX_free(self.0.as_ptr()) };
    }
}

fn expect(done: c_int) -> Result<(), Error> {
    if done == 1 { Ok(()) } else { Err(failed()) }
}

fn failed() -> Error {
    Error::Library("AWS-LC gave no reason".to_owned())
}
