//! `botan_cipher_set_associated_data` and what follows it: ciphers that authenticate.

use std::ffi::CStr;

use fieldtest_kinds::Error;

use super::{Botan, CipherObject, check_output};
use crate::host::pooled::Direction;
use crate::host::pooled_aead::AeadWorker;

/// `BOTAN_FFI_ERROR_BAD_MAC`.
const WRONG_TAG: std::ffi::c_int = -2;
const TAG: usize = 16;

/// An object for each direction, both with the key, for tags of 16 bytes.
pub(crate) struct AeadObjects {
    sealing: CipherObject,
    opening: CipherObject,
    /// A ciphertext with its tag behind it, as Botan has them.
    sealed: Vec<u8>,
}

impl AeadObjects {
    pub(crate) fn new(botan: &'static Botan, name: &CStr, key: &[u8]) -> Result<Self, Error> {
        let object = |direction| CipherObject::new(botan, name, direction, key);
        Ok(AeadObjects {
            sealing: object(Direction::Encryption)?,
            opening: object(Direction::Decryption)?,
            sealed: Vec::new(),
        })
    }
}

impl CipherObject {
    fn associate(&mut self, associated: &[u8]) -> Result<(), Error> {
        let set = self.botan.functions.botan_cipher_set_associated_data;
        // SAFETY: the object is alive, and `&mut self` makes it this call's own; the data is as long as stated, and copied.
        self.botan.expect(unsafe { set(self.at.as_ptr(), associated.as_ptr(), associated.len()) })
    }

    /// Forgets a message that did not come to its end.
    fn reset(&mut self) -> Result<(), Error> {
        // SAFETY: as in `associate`.
        self.botan.expect(unsafe { (self.botan.functions.botan_cipher_reset)(self.at.as_ptr()) })
    }
}

impl AeadWorker for AeadObjects {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let length = message.len();
        self.sealed.resize(length + TAG, 0);
        self.sealing.associate(associated)?;
        // SAFETY: both are as long as stated.
        let outcome = unsafe {
            self.sealing.whole(nonce, (message.as_ptr(), length), (self.sealed.as_mut_ptr(), length + TAG))?
        };
        check_output(self.sealing.botan.done(outcome)?, length + TAG)?;
        let (ciphertext, found) = self.sealed.split_at(length);
        message.copy_from_slice(ciphertext);
        tag.copy_from_slice(found);
        Ok(())
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.sealed.clear();
        self.sealed.extend_from_slice(message);
        self.sealed.extend_from_slice(tag);
        self.opening.associate(associated)?;
        // SAFETY: both are as long as stated.
        let outcome = unsafe {
            let input = (self.sealed.as_ptr(), self.sealed.len());
            self.opening.whole(nonce, input, (message.as_mut_ptr(), message.len()))?
        };
        if outcome == Err(WRONG_TAG) {
            self.opening.reset()?;
            return Err(Error::InvalidTag);
        }
        check_output(self.opening.botan.done(outcome)?, message.len())
    }
}
