//! The calls into `libgcrypt`, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in `gcrypt.h` of 1.8, which later releases of this file name keep. A handle is
//! owned by one call at a time.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod aead;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::cipher::Mode;
use crate::host::extensions;
use crate::host::keyed::Output;
use crate::host::library::{Free, Object, functions, too_old};
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
const DISABLE_HWF: c_int = 63;

/// A function by the library's number for it.
pub(super) type Algorithm = c_int;

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
        for name in extensions::libgcrypt() {
            // SAFETY: "Disabling hardware features" in the manual: before anything else, with a C string and NULL. What it returns
            // is about names that it does not know.
            unsafe { control(DISABLE_HWF, name.as_ptr(), null::<c_void>()) };
        }
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
    ///
    /// # Safety
    /// It is `close` that closes what `open` writes.
    unsafe fn opened(
        &self,
        close: Free,
        open: impl FnOnce(*mut *mut c_void) -> c_uint,
    ) -> Result<Object, Error> {
        let mut handle = null_mut();
        self.expect(open(&mut handle))?;
        // SAFETY: the handle was opened just now, and is nobody else's.
        let handle = unsafe { Object::owned(handle, close) };
        handle.ok_or_else(|| Error::Library("libgcrypt opened nothing".to_owned()))
    }

    /// A `gcry_cipher_hd_t` with its key, in one of `enum gcry_cipher_modes`. libgcrypt wipes it when it is closed.
    fn cipher(&self, algorithm: Algorithm, mode: c_int, key: &[u8]) -> Result<Object, Error> {
        let functions = &self.functions;
        // SAFETY: writes a handle where it is told to, for the function that closes it.
        let handle = unsafe {
            self.opened(functions.gcry_cipher_close, |at| {
                (functions.gcry_cipher_open)(at, algorithm, mode, 0)
            })
        }?;
        // SAFETY: the handle is open and this function's alone; the key is as long as stated.
        self.expect(unsafe { (functions.gcry_cipher_setkey)(handle.at(), key.as_ptr(), key.len()) })?;
        Ok(handle)
    }

    /// Encrypts or decrypts in place.
    ///
    /// # Safety
    /// The handle of a cipher is the caller's own.
    unsafe fn crypt(&self, handle: &Object, direction: Direction, data: &mut [u8]) -> Result<(), Error> {
        let crypt = match direction {
            Direction::Encryption => self.functions.gcry_cipher_encrypt,
            Direction::Decryption => self.functions.gcry_cipher_decrypt,
        };
        // SAFETY: as for this function; without an input, the output is worked on in place, and is as long as stated.
        self.expect(unsafe { crypt(handle.at(), data.as_mut_ptr(), data.len(), null(), 0) })
    }
}

/// 0 is what no function has.
fn known(number: c_int) -> Option<Algorithm> {
    (number != 0).then_some(number)
}

/// A `gcry_md_hd_t`.
pub(super) struct MdHandle {
    library: &'static Libgcrypt,
    handle: Object,
    algorithm: Algorithm,
    output: Output,
}

impl MdHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        output: Output,
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        // SAFETY: writes a handle where it is told to, for the function that closes it.
        let handle = unsafe {
            library.opened(functions.gcry_md_close, |at| (functions.gcry_md_open)(at, algorithm, 0))
        }?;
        Ok(MdHandle { library, handle, algorithm, output })
    }
}

impl Worker for MdHandle {
    fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the handle is open, and `&mut self` makes it this call's own.
        unsafe { (self.library.functions.gcry_md_reset)(self.handle.at()) };
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        // SAFETY: as in `begin`; the piece is as long as stated.
        unsafe { (self.library.functions.gcry_md_write)(self.handle.at(), piece.as_ptr(), piece.len()) };
        Ok(())
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        if self.output == Output::Extendable {
            // SAFETY: as in `begin`; the buffer is as long as stated.
            return self.library.expect(unsafe {
                (functions.gcry_md_extract)(
                    self.handle.at(),
                    self.algorithm,
                    output.as_mut_ptr(),
                    output.len(),
                )
            });
        }
        // SAFETY: takes a number and returns one.
        let length = unsafe { (functions.gcry_md_get_algo_dlen)(self.algorithm) };
        // SAFETY: as in `begin`; it ends the message and returns the digest within the handle, of that many bytes.
        let digest = unsafe { (functions.gcry_md_read)(self.handle.at(), self.algorithm) };
        if digest.is_null() || length as usize != output.len() {
            return Err(Error::Library("libgcrypt has no digest of this length".to_owned()));
        }
        // SAFETY: not NULL, and as long as was asked; nothing is written to it while it is read.
        output.copy_from_slice(unsafe { std::slice::from_raw_parts(digest, output.len()) });
        Ok(())
    }
}

/// A `gcry_mac_hd_t` that has its key. libgcrypt wipes it when it is closed.
pub(super) struct MacHandle {
    library: &'static Libgcrypt,
    handle: Object,
    /// Bytes of the nonce, with which messages begin where the function wants one.
    nonce: usize,
    /// Whether a message was there before: Poly1305 refuses to be reset without.
    used: bool,
}

impl MacHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        nonce: usize,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        // SAFETY: writes a handle where it is told to, for the function that closes it. NULL is no context.
        let handle = unsafe {
            let open = |at| (functions.gcry_mac_open)(at, algorithm, 0, null_mut());
            library.opened(functions.gcry_mac_close, open)
        }?;
        // SAFETY: the handle is open and this function's alone; the key is as long as stated.
        library.expect(unsafe { (functions.gcry_mac_setkey)(handle.at(), key.as_ptr(), key.len()) })?;
        Ok(MacHandle { library, handle, nonce, used: false })
    }
}

impl Worker for MacHandle {
    fn begin(&mut self) -> Result<(), Error> {
        if !std::mem::replace(&mut self.used, true) {
            return Ok(());
        }
        // SAFETY: the handle is open, and `&mut self` makes it this call's own; the command takes no argument.
        self.library
            .expect(unsafe { (self.library.functions.gcry_mac_ctl)(self.handle.at(), RESET, null_mut(), 0) })
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        let (nonce, piece) = piece.split_at_checked(self.nonce).ok_or_else(|| {
            Error::Library(format!("the message begins with a nonce of {} bytes; it is shorter", self.nonce))
        })?;
        if !nonce.is_empty() {
            // SAFETY: as in `begin`; the nonce is as long as stated.
            self.library.expect(unsafe {
                (functions.gcry_mac_setiv)(self.handle.at(), nonce.as_ptr(), nonce.len())
            })?;
        }
        // SAFETY: as in `begin`; the piece is as long as stated.
        self.library
            .expect(unsafe { (functions.gcry_mac_write)(self.handle.at(), piece.as_ptr(), piece.len()) })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let mut length = output.len();
        // SAFETY: as in `begin`; the buffer is as long as stated, and no more is written.
        self.library.expect(unsafe {
            (self.library.functions.gcry_mac_read)(self.handle.at(), output.as_mut_ptr(), &mut length)
        })?;
        if length == output.len() {
            return Ok(());
        }
        Err(Error::Library(format!("libgcrypt has {length} bytes of a tag, and {} are wanted", output.len())))
    }
}

/// A `gcry_cipher_hd_t` that has its key.
pub(super) struct CipherHandle {
    library: &'static Libgcrypt,
    handle: Object,
    mode: Mode,
    direction: Direction,
}

impl CipherHandle {
    pub(super) fn open(
        library: &'static Libgcrypt,
        algorithm: Algorithm,
        mode: Mode,
        direction: Direction,
        key: &[u8],
    ) -> Result<Self, Error> {
        let handle = library.cipher(algorithm, super::number(mode), key)?;
        Ok(CipherHandle { library, handle, mode, direction })
    }
}

impl SectorWorker for CipherHandle {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        let functions = &self.library.functions;
        if let Some(tweak) = tweak {
            let set = if self.mode == Mode::Ctr {
                functions.gcry_cipher_setctr
            } else {
                functions.gcry_cipher_setiv
            };
            // SAFETY: the handle is open, and `&mut self` makes it this call's own; the tweak is as long as stated.
            self.library.expect(unsafe { set(self.handle.at(), tweak.as_ptr(), tweak.len()) })?;
        }
        // SAFETY: as above.
        unsafe { self.library.crypt(&self.handle, self.direction, sector) }
    }
}
