//! The functions of `shim.cc`, behind types that are safe to use.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::pooled::{Direction, SectorWorker};
use crate::host::pooled_aead::AeadWorker;

functions! {
    fn fieldtest_cryptopp_version() -> c_int;
    fn fieldtest_cryptopp_key(*const c_char, *const c_char, *const u8, usize) -> *mut c_void;
    fn fieldtest_cryptopp_free(*mut c_void);
    fn fieldtest_cryptopp_crypt(*mut c_void, c_int, *const u8, *mut u8, usize) -> c_int;
    fn fieldtest_cryptopp_seal(*mut c_void, *const u8, *const u8, usize, *mut u8, usize, *mut u8) -> c_int;
    fn fieldtest_cryptopp_open(*mut c_void, *const u8, *const u8, usize, *mut u8, usize, *const u8) -> c_int;
}

/// The loaded shared object.
pub(super) struct Cryptopp(Functions);

impl Cryptopp {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        Functions::load(library).map(Cryptopp).map_err(too_old)
    }

    /// `CRYPTOPP_VERSION`: 870 is 8.7.
    pub(super) fn version(&self) -> String {
        // SAFETY: takes nothing, and returns a number.
        let number = unsafe { (self.0.fieldtest_cryptopp_version)() };
        format!("{}.{}", number / 100, number / 10 % 10)
    }
}

/// A key, wiped by Crypto++ when it is freed.
pub(super) struct Key {
    library: &'static Cryptopp,
    at: NonNull<c_void>,
    direction: Direction,
}

// SAFETY: a key may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for Key {}

impl Key {
    pub(super) fn new(
        library: &'static Cryptopp,
        block: &CStr,
        mode: &CStr,
        direction: Direction,
        key: &[u8],
    ) -> Result<Key, Error> {
        // SAFETY: both names are C strings, and the key is as long as stated; the result is freed when this value is dropped.
        let at = unsafe {
            (library.0.fieldtest_cryptopp_key)(block.as_ptr(), mode.as_ptr(), key.as_ptr(), key.len())
        };
        let at = NonNull::new(at).ok_or_else(|| Error::Library("Crypto++ made no key".to_owned()))?;
        Ok(Key { library, at, direction })
    }
}

fn succeeded(outcome: c_int) -> Result<(), Error> {
    match outcome {
        0 => Ok(()),
        2 => Err(Error::InvalidTag),
        _ => Err(Error::Library("Crypto++ threw an exception".to_owned())),
    }
}

impl SectorWorker for Key {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let encrypts = c_int::from(self.direction == Direction::Encryption);
        let tweak = tweak.map_or(null(), |tweak| tweak.as_ptr());
        // SAFETY: `&mut self` makes the key this call's own; a tweak has 16 bytes, and the data, worked on in place, is as long as
        // stated.
        succeeded(unsafe {
            (self.library.0.fieldtest_cryptopp_crypt)(
                self.at.as_ptr(),
                encrypts,
                tweak,
                sector.as_mut_ptr(),
                sector.len(),
            )
        })
    }
}

impl AeadWorker for Key {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let tag: &mut [u8; 16] =
            tag.try_into().map_err(|_| Error::Unsupported("tags of other than 16 bytes"))?;
        // SAFETY: as in `crypt`; nonce and tag have the lengths that the function writes and reads.
        succeeded(unsafe {
            (self.library.0.fieldtest_cryptopp_seal)(
                self.at.as_ptr(),
                nonce.as_ptr(),
                associated.as_ptr(),
                associated.len(),
                message.as_mut_ptr(),
                message.len(),
                tag.as_mut_ptr(),
            )
        })
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let tag: &[u8; 16] = tag.try_into().map_err(|_| Error::Unsupported("tags of other than 16 bytes"))?;
        // SAFETY: as above.
        succeeded(unsafe {
            (self.library.0.fieldtest_cryptopp_open)(
                self.at.as_ptr(),
                nonce.as_ptr(),
                associated.as_ptr(),
                associated.len(),
                message.as_mut_ptr(),
                message.len(),
                tag.as_ptr(),
            )
        })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed here only.
        unsafe { (self.library.0.fieldtest_cryptopp_free)(self.at.as_ptr()) };
    }
}
