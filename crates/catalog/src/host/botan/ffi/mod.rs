//! The calls into Botan's C interface, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in `botan/ffi.h` of 2.19 and 3. An object is owned by one call at a time.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod aead;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

pub(super) use aead::AeadObjects;

use crate::host::library::{functions, too_old};
use crate::host::pooled::{Direction, SectorWorker, Worker};

functions! {
    fn botan_version_string() -> *const c_char;
    fn botan_error_description(c_int) -> *const c_char;
    fn botan_hash_init(*mut *mut c_void, *const c_char, u32) -> c_int;
    fn botan_hash_output_length(*mut c_void, *mut usize) -> c_int;
    fn botan_hash_update(*mut c_void, *const u8, usize) -> c_int;
    fn botan_hash_final(*mut c_void, *mut u8) -> c_int;
    fn botan_hash_clear(*mut c_void) -> c_int;
    fn botan_hash_destroy(*mut c_void) -> c_int;
    fn botan_mac_init(*mut *mut c_void, *const c_char, u32) -> c_int;
    fn botan_mac_output_length(*mut c_void, *mut usize) -> c_int;
    fn botan_mac_set_key(*mut c_void, *const u8, usize) -> c_int;
    fn botan_mac_update(*mut c_void, *const u8, usize) -> c_int;
    fn botan_mac_final(*mut c_void, *mut u8) -> c_int;
    fn botan_mac_destroy(*mut c_void) -> c_int;
    fn botan_cipher_init(*mut *mut c_void, *const c_char, u32) -> c_int;
    fn botan_cipher_set_key(*mut c_void, *const u8, usize) -> c_int;
    fn botan_cipher_start(*mut c_void, *const u8, usize) -> c_int;
    fn botan_cipher_update(*mut c_void, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int;
    fn botan_cipher_set_associated_data(*mut c_void, *const u8, usize) -> c_int;
    fn botan_cipher_reset(*mut c_void) -> c_int;
    fn botan_cipher_destroy(*mut c_void) -> c_int;
}

/// `BOTAN_CIPHER_INIT_FLAG_ENCRYPT`, `…_DECRYPT` and `BOTAN_CIPHER_UPDATE_FLAG_FINAL`.
const ENCRYPT: u32 = 0;
const DECRYPT: u32 = 1;
const FINAL: u32 = 1;

/// The loaded library.
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

    /// What a call that may fail in more than one way gave.
    fn done(&self, outcome: Result<usize, c_int>) -> Result<usize, Error> {
        outcome.or_else(|error| self.expect(error).map(|()| 0))
    }

    /// The object that `init` wrote, if it succeeded.
    fn object(&self, init: impl FnOnce(*mut *mut c_void) -> c_int) -> Result<NonNull<c_void>, Error> {
        let mut object = null_mut();
        self.expect(init(&mut object))?;
        NonNull::new(object).ok_or_else(|| Error::Library("Botan made nothing".to_owned()))
    }
}

/// Refuses an object whose outputs have another length than will be made room for.
fn check_output(found: usize, wanted: usize) -> Result<(), Error> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::Library(format!("Botan's output has {found} bytes, and {wanted} are expected")))
}

/// A `botan_hash_t`.
pub(super) struct HashObject {
    botan: &'static Botan,
    at: NonNull<c_void>,
    output: usize,
}

// SAFETY: an object may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for HashObject {}

impl HashObject {
    /// The hash function of that name, which has digests of so many bytes.
    pub(super) fn new(botan: &'static Botan, name: &CStr, output: usize) -> Result<Self, Error> {
        let functions = &botan.functions;
        // SAFETY: writes an object where it is told to; it is destroyed when this value is dropped.
        let at = botan.object(|at| unsafe { (functions.botan_hash_init)(at, name.as_ptr(), 0) })?;
        let object = HashObject { botan, at, output };
        let mut length = 0;
        // SAFETY: the object is alive, and a number is written.
        botan.expect(unsafe { (functions.botan_hash_output_length)(at.as_ptr(), &mut length) })?;
        check_output(length, output)?;
        Ok(object)
    }
}

impl Worker for HashObject {
    fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the object is alive, and `&mut self` makes it this call's own.
        self.botan.expect(unsafe { (self.botan.functions.botan_hash_clear)(self.at.as_ptr()) })
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let update = self.botan.functions.botan_hash_update;
        // SAFETY: as in `begin`; the piece is as long as stated.
        self.botan.expect(unsafe { update(self.at.as_ptr(), piece.as_ptr(), piece.len()) })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        check_output(self.output, output.len())?;
        // SAFETY: as in `begin`; the buffer is as long as the output.
        self.botan
            .expect(unsafe { (self.botan.functions.botan_hash_final)(self.at.as_ptr(), output.as_mut_ptr()) })
    }
}

impl Drop for HashObject {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed here only.
        unsafe { (self.botan.functions.botan_hash_destroy)(self.at.as_ptr()) };
    }
}

/// A `botan_mac_t` that has its key. Botan wipes it when it is destroyed.
pub(crate) struct MacObject {
    botan: &'static Botan,
    at: NonNull<c_void>,
    output: usize,
}

// SAFETY: as of `HashObject`.
unsafe impl Send for MacObject {}

impl MacObject {
    /// The MAC of that name, which has tags of so many bytes.
    pub(super) fn new(botan: &'static Botan, name: &CStr, output: usize, key: &[u8]) -> Result<Self, Error> {
        let functions = &botan.functions;
        // SAFETY: writes an object where it is told to; it is destroyed when this value is dropped.
        let at = botan.object(|at| unsafe { (functions.botan_mac_init)(at, name.as_ptr(), 0) })?;
        let object = MacObject { botan, at, output };
        let mut length = 0;
        // SAFETY: the object is alive, and a number is written.
        botan.expect(unsafe { (functions.botan_mac_output_length)(at.as_ptr(), &mut length) })?;
        check_output(length, output)?;
        // SAFETY: the object is alive, and the key is as long as stated.
        botan.expect(unsafe { (functions.botan_mac_set_key)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(object)
    }
}

impl Worker for MacObject {
    /// The last message's end began this one; a context that failed on the way is not used again.
    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let update = self.botan.functions.botan_mac_update;
        // SAFETY: the object is alive, and `&mut self` makes it this call's own; the piece is as long as stated.
        self.botan.expect(unsafe { update(self.at.as_ptr(), piece.as_ptr(), piece.len()) })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        check_output(self.output, output.len())?;
        // SAFETY: as above; the buffer is as long as the output.
        self.botan
            .expect(unsafe { (self.botan.functions.botan_mac_final)(self.at.as_ptr(), output.as_mut_ptr()) })
    }
}

impl Drop for MacObject {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed here only.
        unsafe { (self.botan.functions.botan_mac_destroy)(self.at.as_ptr()) };
    }
}

/// A `botan_cipher_t` that has its key. Botan wipes it when it is destroyed.
pub(super) struct CipherObject {
    botan: &'static Botan,
    at: NonNull<c_void>,
}

// SAFETY: as of `HashObject`.
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
        // SAFETY: writes an object where it is told to; it is destroyed when this value is dropped.
        let at = botan.object(|at| unsafe { (functions.botan_cipher_init)(at, name.as_ptr(), flag) })?;
        let object = CipherObject { botan, at };
        // SAFETY: the object is alive, and the key is as long as stated.
        botan.expect(unsafe { (functions.botan_cipher_set_key)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(object)
    }
}

impl CipherObject {
    /// Works on one message as a whole: how many bytes were written, or Botan's number of the error.
    ///
    /// # Safety
    /// Input and output, which may be the same, have so many bytes.
    unsafe fn whole(
        &mut self,
        nonce: &[u8],
        (input, input_len): (*const u8, usize),
        (output, output_len): (*mut u8, usize),
    ) -> Result<Result<usize, c_int>, Error> {
        let functions = &self.botan.functions;
        // SAFETY: the object is alive, and `&mut self` makes it this call's own; the nonce is as long as stated.
        self.botan.expect(unsafe {
            (functions.botan_cipher_start)(self.at.as_ptr(), nonce.as_ptr(), nonce.len())
        })?;
        let (mut written, mut read) = (0, 0);
        // SAFETY: as above; with the last part of a message all input is copied before any output is written.
        let outcome = unsafe {
            (functions.botan_cipher_update)(
                self.at.as_ptr(),
                FINAL,
                output,
                output_len,
                &mut written,
                input,
                input_len,
                &mut read,
            )
        };
        Ok(if outcome == 0 { Ok(written) } else { Err(outcome) })
    }
}

impl SectorWorker for CipherObject {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let (at, length) = (sector.as_mut_ptr(), sector.len());
        // SAFETY: both are the sector.
        let outcome =
            unsafe { self.whole(tweak.map_or(&[], |tweak| tweak), (at.cast_const(), length), (at, length))? };
        check_output(self.botan.done(outcome)?, length)
    }
}

impl Drop for CipherObject {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed here only.
        unsafe { (self.botan.functions.botan_cipher_destroy)(self.at.as_ptr()) };
    }
}
