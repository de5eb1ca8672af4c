//! The calls into `libgcrypt`, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in `gcrypt.h` of 1.8, which later releases of this file name keep. A handle is
//! owned by one call at a time.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod aead;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::cipher::Mode;
use crate::host::library::{functions, too_old};
use crate::host::pooled::{Direction, SectorWorker, Worker};

pub(super) use aead::AeadHandle;

functions! {
    fn gcry_check_version(*const c_char) -> *const c_char;
    fn gcry_strerror(c_uint) -> *const c_char;
    fn gcry_md_map_name(*const c_char) -> c_int;
    fn gcry_md_open(*mut *mut c_void, c_int, c_uint) -> c_uint;
    fn gcry_md_close(*mut c_void);
    fn gcry_md_reset(*mut c_void);
    fn gcry_md_write(*mut c_void, *const u8, usize);
    fn gcry_md_read(*mut c_void, c_int) -> *const u8;
    fn gcry_md_extract(*mut c_void, c_int, *mut u8, usize) -> c_uint;
    fn gcry_md_get_algo_dlen(c_int) -> c_uint;
    fn gcry_mac_map_name(*const c_char) -> c_int;
    fn gcry_mac_open(*mut *mut c_void, c_int, c_uint, *mut c_void) -> c_uint;
    fn gcry_mac_close(*mut c_void);
    fn gcry_mac_ctl(*mut c_void, c_int, *mut c_void, usize) -> c_uint;
    fn gcry_mac_setkey(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_mac_setiv(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_mac_write(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_mac_read(*mut c_void, *mut u8, *mut usize) -> c_uint;
    fn gcry_cipher_map_name(*const c_char) -> c_int;
    fn gcry_cipher_open(*mut *mut c_void, c_int, c_int, c_uint) -> c_uint;
    fn gcry_cipher_close(*mut c_void);
    fn gcry_cipher_setkey(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_cipher_setiv(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_cipher_setctr(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_cipher_encrypt(*mut c_void, *mut u8, usize, *const u8, usize) -> c_uint;
    fn gcry_cipher_decrypt(*mut c_void, *mut u8, usize, *const u8, usize) -> c_uint;
    fn gcry_cipher_ctl(*mut c_void, c_int, *mut c_void, usize) -> c_uint;
    fn gcry_cipher_authenticate(*mut c_void, *const u8, usize) -> c_uint;
    fn gcry_cipher_gettag(*mut c_void, *mut u8, usize) -> c_uint;
    fn gcry_cipher_checktag(*mut c_void, *const u8, usize) -> c_uint;
}

/// `enum gcry_ctl_cmds`.
const RESET: c_int = 4;
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;

/// A function by the library's number for it.
pub(super) type Algorithm = c_int;

/// The loaded library, initialised.
pub(super) struct Libgcrypt {
    functions: Functions,
    version: String,
}

impl Libgcrypt {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        let functions = Functions::load(library).map_err(too_old)?;
        // SAFETY: `gcry_error_t gcry_control(enum gcry_ctl_cmds, ...)` in every release.
        let control: unsafe extern "C" fn(c_int, ...) -> c_uint =
            unsafe { *library.get(b"gcry_control\0").map_err(too_old)? };
        // SAFETY: the first call of all initialises the library; it returns a string that lives as long as it, or NULL.
        let version = unsafe { (functions.gcry_check_version)(null()) };
        if version.is_null() {
            return Err("refuses to be initialised".to_owned());
        }
        // SAFETY: checked just now.
        let version = unsafe { CStr::from_ptr(version) }.to_string_lossy().into_owned();
        // SAFETY: as the manual has it, "Initializing the library": both commands are given an integer 0, before any other
        // thread knows of the library. Keys are not in memory that is locked, as those of all other implementations here.
        unsafe {
            control(DISABLE_SECMEM, 0 as c_int);
            control(INITIALIZATION_FINISHED, 0 as c_int);
        }
        Ok(Libgcrypt { functions, version })
    }

    pub(super) fn version(&self) -> String {
        self.version.clone()
    }

    pub(super) fn hash_function(&self, name: &CStr) -> Option<Algorithm> {
        // SAFETY: takes a C string, and returns a number.
        known(unsafe { (self.functions.gcry_md_map_name)(name.as_ptr()) })
    }

    pub(super) fn mac(&self, name: &CStr) -> Option<Algorithm> {
        // SAFETY: as above.
        known(unsafe { (self.functions.gcry_mac_map_name)(name.as_ptr()) })
    }

    pub(super) fn block_cipher(&self, name: &CStr) -> Option<Algorithm> {
        // SAFETY: as above.
        known(unsafe { (self.functions.gcry_cipher_map_name)(name.as_ptr()) })
    }

    fn expect(&self, outcome: c_uint) -> Result<(), Error> {
        if outcome == 0 {
            return Ok(());
        }
        // SAFETY: takes a number, and returns a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr((self.functions.gcry_strerror)(outcome)) };
        Err(Error::Library(format!("libgcrypt: {}", text.to_string_lossy())))
    }

    /// The handle that `open` wrote, if it succeeded.
    fn opened(&self, open: impl FnOnce(*mut *mut c_void) -> c_uint) -> Result<NonNull<c_void>, Error> {
        let mut handle = null_mut();
        self.expect(open(&mut handle))?;
        NonNull::new(handle).ok_or_else(|| Error::Library("libgcrypt opened nothing".to_owned()))
    }
}

/// 0 is what no function has.
fn known(number: c_int) -> Option<Algorithm> {
    (number != 0).then_some(number)
}

/// How a hash function's output is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// It has one length.
    Fixed,
    /// It has any length (SHAKE).
    Extendable,
}

/// A `gcry_md_hd_t`.
pub(super) struct MdHandle {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
    algorithm: Algorithm,
    output: Output,
}

// SAFETY: a handle may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for MdHandle {}

impl MdHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        output: Output,
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        // SAFETY: writes a handle where it is told to; it is closed when this value is dropped.
        let at = library.opened(|at| unsafe { (functions.gcry_md_open)(at, algorithm, 0) })?;
        Ok(MdHandle { library, at, algorithm, output })
    }
}

impl Worker for MdHandle {
    fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the handle is open, and `&mut self` makes it this call's own.
        unsafe { (self.library.functions.gcry_md_reset)(self.at.as_ptr()) };
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        // SAFETY: as in `begin`; the piece is as long as stated.
        unsafe { (self.library.functions.gcry_md_write)(self.at.as_ptr(), piece.as_ptr(), piece.len()) };
        Ok(())
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        if self.output == Output::Extendable {
            // SAFETY: as in `begin`; the buffer is as long as stated.
            return self.library.expect(unsafe {
                (functions.gcry_md_extract)(
                    self.at.as_ptr(),
                    self.algorithm,
                    output.as_mut_ptr(),
                    output.len(),
                )
            });
        }
        // SAFETY: takes a number and returns one.
        let length = unsafe { (functions.gcry_md_get_algo_dlen)(self.algorithm) };
        // SAFETY: as in `begin`; it ends the message and returns the digest within the handle, of that many bytes.
        let digest = unsafe { (functions.gcry_md_read)(self.at.as_ptr(), self.algorithm) };
        if digest.is_null() || length as usize != output.len() {
            return Err(Error::Library("libgcrypt has no digest of this length".to_owned()));
        }
        // SAFETY: not NULL, and as long as was asked; nothing is written to it while it is read.
        output.copy_from_slice(unsafe { std::slice::from_raw_parts(digest, output.len()) });
        Ok(())
    }
}

impl Drop for MdHandle {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, and closed here only.
        unsafe { (self.library.functions.gcry_md_close)(self.at.as_ptr()) };
    }
}

/// A `gcry_mac_hd_t` that has its key. libgcrypt wipes it when it is closed.
pub(crate) struct MacHandle {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
    /// Bytes of the nonce, with which messages begin where the function wants one.
    nonce: usize,
    /// Whether a message was there before: Poly1305 refuses to be reset without.
    used: bool,
}

// SAFETY: as of `MdHandle`.
unsafe impl Send for MacHandle {}

impl MacHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        nonce: usize,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        // SAFETY: writes a handle where it is told to; it is closed when this value is dropped. NULL is no context.
        let at = library.opened(|at| unsafe { (functions.gcry_mac_open)(at, algorithm, 0, null_mut()) })?;
        let handle = MacHandle { library, at, nonce, used: false };
        // SAFETY: the handle is open and this function's alone; the key is as long as stated.
        library.expect(unsafe { (functions.gcry_mac_setkey)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(handle)
    }
}

impl Worker for MacHandle {
    fn begin(&mut self) -> Result<(), Error> {
        if !std::mem::replace(&mut self.used, true) {
            return Ok(());
        }
        // SAFETY: the handle is open, and `&mut self` makes it this call's own; the command takes no argument.
        self.library
            .expect(unsafe { (self.library.functions.gcry_mac_ctl)(self.at.as_ptr(), RESET, null_mut(), 0) })
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        let (nonce, piece) = piece.split_at_checked(self.nonce).ok_or_else(|| {
            Error::Library(format!("the message begins with a nonce of {} bytes; it is shorter", self.nonce))
        })?;
        if !nonce.is_empty() {
            // SAFETY: as in `begin`; the nonce is as long as stated.
            self.library.expect(unsafe {
                (functions.gcry_mac_setiv)(self.at.as_ptr(), nonce.as_ptr(), nonce.len())
            })?;
        }
        // SAFETY: as in `begin`; the piece is as long as stated.
        self.library
            .expect(unsafe { (functions.gcry_mac_write)(self.at.as_ptr(), piece.as_ptr(), piece.len()) })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let mut length = output.len();
        // SAFETY: as in `begin`; the buffer is as long as stated, and no more is written.
        self.library.expect(unsafe {
            (self.library.functions.gcry_mac_read)(self.at.as_ptr(), output.as_mut_ptr(), &mut length)
        })?;
        if length == output.len() {
            return Ok(());
        }
        Err(Error::Library(format!("libgcrypt has {length} bytes of a tag, and {} are wanted", output.len())))
    }
}

impl Drop for MacHandle {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, and closed here only.
        unsafe { (self.library.functions.gcry_mac_close)(self.at.as_ptr()) };
    }
}

/// A `gcry_cipher_hd_t` that has its key. libgcrypt wipes it when it is closed.
pub(super) struct CipherHandle {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
    mode: Mode,
    direction: Direction,
}

// SAFETY: as of `MdHandle`.
unsafe impl Send for CipherHandle {}

impl CipherHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        mode: Mode,
        direction: Direction,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        let number = super::number(mode);
        // SAFETY: writes a handle where it is told to; it is closed when this value is dropped.
        let at = library.opened(|at| unsafe { (functions.gcry_cipher_open)(at, algorithm, number, 0) })?;
        let handle = CipherHandle { library, at, mode, direction };
        // SAFETY: the handle is open and this function's alone; the key is as long as stated.
        library.expect(unsafe { (functions.gcry_cipher_setkey)(at.as_ptr(), key.as_ptr(), key.len()) })?;
        Ok(handle)
    }
}

impl SectorWorker for CipherHandle {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        let at = self.at.as_ptr();
        if let Some(tweak) = tweak {
            let set = if self.mode == Mode::Ctr {
                functions.gcry_cipher_setctr
            } else {
                functions.gcry_cipher_setiv
            };
            // SAFETY: the handle is open, and `&mut self` makes it this call's own; the tweak is as long as stated.
            self.library.expect(unsafe { set(at, tweak.as_ptr(), tweak.len()) })?;
        }
        let crypt = match self.direction {
            Direction::Encryption => functions.gcry_cipher_encrypt,
            Direction::Decryption => functions.gcry_cipher_decrypt,
        };
        // SAFETY: as above; without an input, the output is worked on in place, and is as long as stated.
        self.library.expect(unsafe { crypt(at, sector.as_mut_ptr(), sector.len(), null(), 0) })
    }
}

impl Drop for CipherHandle {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, and closed here only.
        unsafe { (self.library.functions.gcry_cipher_close)(self.at.as_ptr()) };
    }
}
