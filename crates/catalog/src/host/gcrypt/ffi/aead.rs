//! `gcry_cipher_authenticate` and what stands around it: GCM and CCM.

use std::ffi::c_int;

use fieldtest_kinds::Error;

use super::{Algorithm, Libgcrypt};
use crate::aead::Mode;
use crate::host::library::Object;
use crate::host::pooled::Direction;
use crate::host::pooled_aead::AeadWorker;

/// `enum gcry_cipher_modes`.
const CCM: c_int = 8;
const GCM: c_int = 9;
/// `enum gcry_ctl_cmds`.
const SET_CCM_LENGTHS: c_int = 69;

/// A `gcry_cipher_hd_t` that has its key, for tags of 16 bytes.
pub(crate) struct AeadHandle {
    library: &'static Libgcrypt,
    handle: Object,
    mode: Mode,
    direction: Direction,
}

impl AeadHandle {
    pub(crate) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        mode: Mode,
        direction: Direction,
        key: &[u8],
    ) -> Result<Self, Error> {
        let number = if mode == Mode::Ccm { CCM } else { GCM };
        Ok(AeadHandle { library, handle: library.cipher(algorithm, number, key)?, mode, direction })
    }

    fn crypt(&mut self, nonce: &[u8; 12], associated: &[u8], message: &mut [u8]) -> Result<(), Error> {
        let (functions, at) = (&self.library.functions, self.handle.at());
        // SAFETY: the handle is open, and `&mut self` makes it this call's own; the nonce is as long as stated.
        self.library.expect(unsafe { (functions.gcry_cipher_setiv)(at, nonce.as_ptr(), nonce.len()) })?;
        if self.mode == Mode::Ccm {
            let mut lengths = [message.len() as u64, associated.len() as u64, 16];
            let size = size_of_val(&lengths);
            // SAFETY: as above; the command takes three numbers of 64 bits.
            self.library.expect(unsafe {
                (functions.gcry_cipher_ctl)(at, SET_CCM_LENGTHS, lengths.as_mut_ptr().cast(), size)
            })?;
        }
        if !associated.is_empty() {
            // SAFETY: as above; the associated data is as long as stated, and only read.
            self.library.expect(unsafe {
                (functions.gcry_cipher_authenticate)(at, associated.as_ptr(), associated.len())
            })?;
        }
        // SAFETY: as above.
        unsafe { self.library.crypt(&self.handle, self.direction, message) }
    }
}

impl AeadWorker for AeadHandle {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        self.crypt(nonce, associated, message)?;
        // SAFETY: as in `crypt`; the buffer is as long as stated.
        self.library.expect(unsafe {
            (self.library.functions.gcry_cipher_gettag)(self.handle.at(), tag.as_mut_ptr(), tag.len())
        })
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        self.crypt(nonce, associated, message)?;
        // SAFETY: as in `crypt`; the tag is as long as stated.
        let outcome = unsafe {
            (self.library.functions.gcry_cipher_checktag)(self.handle.at(), tag.as_ptr(), tag.len())
        };
        if outcome == 0 { Ok(()) } else { Err(Error::InvalidTag) }
    }
}
