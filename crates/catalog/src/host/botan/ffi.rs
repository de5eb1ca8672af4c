//! The calls into Botan's C interface, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in `botan/ffi.h` of 2.19 and 3. An object is owned by one call at a time.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::pooled::{Direction, SectorWorker};

functions! {
    fn botan_version_string() -> *const c_char;
    fn botan_error_description(c_int) -> *const c_char;
    fn botan_cipher_init(*mut *mut c_void, *const c_char, u32) -> c_int;
    fn botan_cipher_set_key(*mut c_void, *const u8, usize) -> c_int;
    fn botan_cipher_start(*mut c_void, *const u8, usize) -> c_int;
    fn botan_cipher_update(*mut c_void, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int;
    fn botan_cipher_destroy(*mut c_void) -> c_int;
}

/// `BOTAN_CIPHER_INIT_FLAG_ENCRYPT`, `…_DECRYPT` and `BOTAN_CIPHER_UPDATE_FLAG_FINAL`.
const ENCRYPT: u32 = 0;
const DECRYPT: u32 = 1;
const FINAL: u32 = 1;

pub(crate) struct Botan {
    functions: Functions,
}

impl Botan {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        Ok(Botan { functions: Functions::load(library).map_err(too_old)? })
    }

    pub(super) fn version(&self) -> String {
        // SAFETY: returns a string that lives as long as the library, `2.19.3` or `Botan 3.0.0 (…)`.
        let text = unsafe { CStr::from_ptr((self.functions.botan_version_string)()) }.to_string_lossy();
        let number = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        number.unwrap_or(&text).to_owned()
    }

    fn expect(&self, outcome: c_int) -> Result<(), Error> {
        if outcome == 0 {
            return Ok(());
        }
        // SAFETY: takes a number, and returns a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr((self.functions.botan_error_description)(outcome)) };
        Err(Error::Library(format!("Botan: {}", text.to_string_lossy())))
    }
}

/// A `botan_cipher_t` that has its key. Botan wipes it when it is destroyed.
pub(super) struct CipherObject {
    botan: &'static Botan,
    at: NonNull<c_void>,
}

// SAFETY: an object may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for CipherObject {}

impl CipherObject {
    pub(super) fn new(
        botan: &'static Botan,
        name: &CStr,
        direction: Direction,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &botan.functions;
        let flag = if direction == Direction::Encryption { ENCRYPT } else { DECRYPT };
        let mut object = null_mut();
        // SAFETY: writes an object where it is told to; it is destroyed when this value is dropped.
        botan.expect(unsafe { (functions.botan_cipher_init)(&mut object, name.as_ptr(), flag) })?;
        let at = NonNull::new(object).ok_or_else(|| Error::Library("Botan made nothing".to_owned()))?;
        let object = CipherObject { botan, at };
        // SAFETY: the object is alive, and the key is as long as stated.
        botan.expect(unsafe { (functions.botan_cipher_set_key)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(object)
    }
}

impl SectorWorker for CipherObject {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let functions = &self.botan.functions;
        let nonce = tweak.map_or(&[][..], |tweak| tweak);
        // SAFETY: the object is alive, and `&mut self` makes it this call's own; the nonce is as long as stated.
        self.botan.expect(unsafe {
            (functions.botan_cipher_start)(self.at.as_ptr(), nonce.as_ptr(), nonce.len())
        })?;
        let (at, length, mut written, mut read) = (sector.as_mut_ptr(), sector.len(), 0, 0);
        // SAFETY: as above; with the last part of a message all input is copied before any output is written.
        self.botan.expect(unsafe {
            (functions.botan_cipher_update)(
                self.at.as_ptr(),
                FINAL,
                at,
                length,
                &mut written,
                at.cast_const(),
                length,
                &mut read,
            )
        })?;
        if written == length {
            return Ok(());
        }
        Err(Error::Library(format!("Botan's output has {written} bytes, and {length} are expected")))
    }
}

impl Drop for CipherObject {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed here only.
        unsafe { (self.botan.functions.botan_cipher_destroy)(self.at.as_ptr()) };
    }
}
