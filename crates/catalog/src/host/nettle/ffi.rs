//! The calls into `libnettle`, found at run time, behind types that are safe to use.
//!
//! Nettle describes its functions by structures of pointers (`nettle-meta.h`), which name the size of the context that the
//! caller has to bring. All is declared as in 3.5, which later releases of this file name keep.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::plain::{Memory, Plain};

type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
/// `struct nettle_hash`.
#[repr(C)]
struct Hash {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    block_size: c_uint,
    init: unsafe extern "C" fn(*mut c_void),
    update: Update,
    digest: Digest,
}

functions! {
    fn nettle_version_major() -> c_int;
    fn nettle_version_minor() -> c_int;
    fn nettle_hmac_set_key(*mut c_void, *mut c_void, *mut c_void, *const Hash, usize, *const u8);
    fn nettle_hmac_update(*mut c_void, *const Hash, usize, *const u8);
    fn nettle_hmac_digest(*const c_void, *const c_void, *mut c_void, *const Hash, usize, *mut u8);
}

/// More than the largest context of a hash function in 3.10, in bytes: that of SHA-3.
const ROOM: usize = 768;

pub(crate) struct Nettle {
    functions: Functions,
    library: &'static Library,
}

impl Nettle {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        let functions = Functions::load(library).map_err(too_old)?;
        // SAFETY: takes nothing, and returns a number.
        let major = unsafe { (functions.nettle_version_major)() };
        if major != 3 {
            return Err(format!("is Nettle {major}, and 3 is needed"));
        }
        Ok(Nettle { functions, library })
    }

    pub(super) fn version(&self) -> String {
        // SAFETY: both take nothing, and return a number.
        let (major, minor) =
            unsafe { ((self.functions.nettle_version_major)(), (self.functions.nettle_version_minor)()) };
        format!("{major}.{minor}")
    }

    /// Whether it has a function of that name.
    pub(super) fn has(&self, symbol: &[u8]) -> bool {
        // SAFETY: the symbol is looked for, and neither called nor read.
        unsafe { self.library.get::<unsafe extern "C" fn()>(symbol) }.is_ok()
    }

    pub(super) fn hash(&self, symbol: &[u8], digest: usize) -> Option<HashCode> {
        // SAFETY: only called for symbols that nettle-meta.h declares as constants of that type; the library stays loaded.
        let code = unsafe { self.library.get::<*const Hash>(symbol).ok().and_then(|it| (*it).as_ref()) }?;
        let fits = code.context_size as usize <= ROOM && code.digest_size as usize == digest;
        fits.then_some(HashCode(code))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct HashCode(&'static Hash);

// SAFETY: a description is constant, and so is what it points to.
unsafe impl Send for HashCode {}
// SAFETY: as above.
unsafe impl Sync for HashCode {}

impl Plain for HashCode {
    type State = Memory<ROOM>;

    fn output(&self) -> usize {
        self.0.digest_size as usize
    }

    fn begin(&self) -> Memory<ROOM> {
        let mut state = Memory::new();
        // SAFETY: the memory has room for the context: that was looked at before there was a `HashCode`.
        unsafe { (self.0.init)(state.at()) };
        state
    }

    fn update(&self, state: &mut Memory<ROOM>, piece: &[u8]) {
        // SAFETY: the state was begun, and the piece is as long as stated.
        unsafe { (self.0.update)(state.at(), piece.len(), piece.as_ptr()) };
    }

    fn finish(&self, state: &mut Memory<ROOM>, output: &mut [u8]) {
        // SAFETY: as above; a digest has at least as many bytes as are asked for.
        unsafe { (self.0.digest)(state.at(), output.len().min(self.output()), output.as_mut_ptr()) };
    }
}

/// A key of HMAC: the states behind both padded keys.
pub(crate) struct HmacKey {
    nettle: &'static Nettle,
    hash: HashCode,
    outer: Memory<ROOM>,
    inner: Memory<ROOM>,
}

impl HmacKey {
    pub(super) fn new(nettle: &'static Nettle, hash: HashCode, key: &[u8]) -> Self {
        let (mut outer, mut inner, mut state) = (Memory::new(), Memory::new(), Memory::<ROOM>::new());
        // SAFETY: each has room for a context of the hash function; the key is as long as stated.
        unsafe {
            (nettle.functions.nettle_hmac_set_key)(
                outer.at(),
                inner.at(),
                state.at(),
                hash.0,
                key.len(),
                key.as_ptr(),
            );
        }
        state.wipe();
        HmacKey { nettle, hash, outer, inner }
    }
}

impl Drop for HmacKey {
    fn drop(&mut self) {
        self.outer.wipe();
        self.inner.wipe();
    }
}

impl Plain for HmacKey {
    type State = Memory<ROOM>;

    fn output(&self) -> usize {
        self.hash.output()
    }

    fn begin(&self) -> Memory<ROOM> {
        self.inner.copy(self.hash.0.context_size as usize)
    }

    fn update(&self, state: &mut Memory<ROOM>, piece: &[u8]) {
        // SAFETY: the state is a copy of one that was begun; the piece is as long as stated.
        unsafe {
            (self.nettle.functions.nettle_hmac_update)(state.at(), self.hash.0, piece.len(), piece.as_ptr());
        }
    }

    fn finish(&self, state: &mut Memory<ROOM>, output: &mut [u8]) {
        let length = output.len().min(self.output());
        // SAFETY: as above; both keys are only read, and a digest has at least as many bytes as are asked for.
        unsafe {
            (self.nettle.functions.nettle_hmac_digest)(
                self.outer.read(),
                self.inner.read(),
                state.at(),
                self.hash.0,
                length,
                output.as_mut_ptr(),
            );
        }
    }
}
