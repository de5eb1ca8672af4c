//! `gcry_cipher_authenticate` and what stands around it: GCM and CCM.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null};

use fieldtest_kinds::Error;

use super::{Algorithm, Libgcrypt};
use crate::aead::Mode;
use crate::host::pooled::Direction;
use crate::host::pooled_aead::AeadWorker;

/// `enum gcry_cipher_modes`.
const CCM: c_int = 8;
const GCM: c_int = 9;
/// `enum gcry_ctl_cmds`.
const SET_CCM_LENGTHS: c_int = 69;

/// A `gcry_cipher_hd_t` that has its key, for tags of 16 bytes. libgcrypt wipes it when it is closed.
pub(crate) struct AeadHandle {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
    mode: Mode,
}

// SAFETY: a handle may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for AeadHandle {}

impl AeadHandle {
    pub(crate) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        mode: Mode,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        let number = if mode == Mode::Ccm { CCM } else { GCM };
        // SAFETY: writes a handle where it is told to; it is closed when this value is dropped.
        let at = library.opened(|at| unsafe { (functions.gcry_cipher_open)(at, algorithm, number, 0) })?;
        let handle = AeadHandle { library, at, mode };
        // SAFETY: the handle is open and this function's alone; the key is as long as stated.
        library.expect(unsafe { (functions.gcry_cipher_setkey)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(handle)
    }

    fn crypt(
        &mut self,
        direction: Direction,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
    ) -> Result<(), Error> {
        let (functions, at) = (&self.library.functions, self.at.as_ptr());
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
        let crypt = match direction {
            Direction::Encryption => functions.gcry_cipher_encrypt,
            Direction::Decryption => functions.gcry_cipher_decrypt,
        };
        // SAFETY: as above; without an input, the output is worked on in place, and is as long as stated.
        self.library.expect(unsafe { crypt(at, message.as_mut_ptr(), message.len(), null(), 0) })
    }
}

impl AeadWorker for AeadHandle {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.crypt(Direction::Encryption, nonce, associated, message)?;
        // SAFETY: as in `crypt`; the buffer is as long as stated.
        self.library.expect(unsafe {
            (self.library.functions.gcry_cipher_gettag)(self.at.as_ptr(), tag.as_mut_ptr(), tag.len())
        })
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.crypt(Direction::Decryption, nonce, associated, message)?;
        // SAFETY: as in `crypt`; the tag is as long as stated.
        let outcome = unsafe {
            (self.library.functions.gcry_cipher_checktag)(self.at.as_ptr(), tag.as_ptr(), tag.len())
        };
        if outcome == 0 { Ok(()) } else { Err(Error::InvalidTag) }
    }
}

impl Drop for AeadHandle {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, and closed here only.
        unsafe { (self.library.functions.gcry_cipher_close)(self.at.as_ptr()) };
    }
}
