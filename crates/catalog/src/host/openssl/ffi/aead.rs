//! `EVP_CipherInit_ex2` and what follows it: encryption with authentication (`man 3 EVP_EncryptInit`, “AEAD interface”).

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use fieldtest_kinds::Error;

use super::cipher::length;
use super::{CipherContext, CipherMethod, Libcrypto};
use crate::aead::Mode;
use crate::host::pooled::Direction;
use crate::host::pooled_aead::AeadWorker;

/// `EVP_CTRL_AEAD_SET_IVLEN` and the others of `openssl/evp.h`.
const SET_NONCE_LENGTH: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

/// A context that has its key and its direction, for nonces of 12 bytes and tags of 16.
pub(crate) struct AeadContext {
    libcrypto: &'static Libcrypto,
    context: CipherContext,
    mode: Mode,
}

impl AeadContext {
    pub(crate) fn new(
        method: &CipherMethod,
        mode: Mode,
        key: &[u8],
        direction: Direction,
    ) -> Result<Self, Error> {
        method.check_key(key)?;
        let libcrypto = method.0.libcrypto;
        let functions = &libcrypto.functions;
        let mut this = AeadContext { libcrypto, context: CipherContext::new(libcrypto)?, mode };
        let encrypting = c_int::from(direction == Direction::Encryption);
        // CCM wants its lengths before the key.
        // SAFETY: the context is this function's alone, and the key is as long as the method expects.
        libcrypto.expect(unsafe {
            let method = method.0.object.at();
            (functions.EVP_CipherInit_ex2)(this.context.at(), method, null(), null(), encrypting, null())
        })?;
        this.control(SET_NONCE_LENGTH, 12, null_mut())?;
        if mode == Mode::Ccm {
            this.control(SET_TAG, 16, null_mut())?;
        }
        // SAFETY: as above.
        libcrypto.expect(unsafe {
            (functions.EVP_CipherInit_ex2)(this.context.at(), null(), key.as_ptr(), null(), -1, null())
        })?;
        Ok(this)
    }

    fn begin(&mut self, nonce: &[u8; 12], associated: &[u8], message: usize) -> Result<(), Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: `&mut self` makes the context this call's own; the nonce has the length that was set.
        self.libcrypto.expect(unsafe {
            (functions.EVP_CipherInit_ex2)(self.context.at(), null(), null(), nonce.as_ptr(), -1, null())
        })?;
        if self.mode == Mode::Ccm {
            // SAFETY: as above; without input and output the call takes the message's length.
            unsafe { self.take(null_mut(), null(), length(message)?)? };
        }
        if !associated.is_empty() {
            // SAFETY: as above; without output the call takes associated data, which it only reads.
            unsafe { self.take(null_mut(), associated.as_ptr(), length(associated.len())?)? };
        }
        Ok(())
    }

    fn update(&mut self, message: &mut [u8]) -> Result<(), Error> {
        // SAFETY: as in `begin`; input and output are the same bytes, and as many are written as read.
        unsafe { self.take(message.as_mut_ptr(), message.as_ptr(), length(message.len())?) }
    }

    /// # Safety
    /// What the pointers are for has so many bytes, or is NULL where the call allows it.
    unsafe fn take(&mut self, to: *mut u8, from: *const u8, length: c_int) -> Result<(), Error> {
        let mut written = 0;
        // SAFETY: as for this function.
        self.libcrypto.expect(unsafe {
            (self.libcrypto.functions.EVP_CipherUpdate)(self.context.at(), to, &mut written, from, length)
        })
    }

    fn finish(&mut self) -> Result<(), Error> {
        let (mut nothing, mut written) = ([0; 16], 0);
        // SAFETY: as in `begin`; no mode of these has anything left to write.
        self.libcrypto.expect(unsafe {
            (self.libcrypto.functions.EVP_CipherFinal_ex)(
                self.context.at(),
                nothing.as_mut_ptr(),
                &mut written,
            )
        })
    }

    fn control(&mut self, what: c_int, number: c_int, bytes: *mut c_void) -> Result<(), Error> {
        // SAFETY: as in `begin`; whoever passes bytes has as many as the number says.
        self.libcrypto.expect(unsafe {
            (self.libcrypto.functions.EVP_CIPHER_CTX_ctrl)(self.context.at(), what, number, bytes)
        })
    }
}

impl AeadWorker for AeadContext {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        self.begin(nonce, associated, message.len())?;
        self.update(message)?;
        self.finish()?;
        self.control(GET_TAG, 16, tag.as_mut_ptr().cast())
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        let mut tag = *tag;
        if self.mode == Mode::Ccm {
            self.control(SET_TAG, 16, tag.as_mut_ptr().cast())?;
            self.begin(nonce, associated, message.len())?;
            // The one call that decrypts also compares.
            return self.update(message).map_err(|_| Error::InvalidTag);
        }
        self.begin(nonce, associated, message.len())?;
        self.update(message)?;
        self.control(SET_TAG, 16, tag.as_mut_ptr().cast())?;
        self.finish().map_err(|_| Error::InvalidTag)
    }
}
