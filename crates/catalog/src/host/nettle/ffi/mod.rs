//! The calls into `libnettle`, found at run time, behind types that are safe to use.
//!
//! Nettle describes its functions by structures of pointers (`nettle-meta.h`), which name the size of the context that the
//! caller has to bring. All is declared as in 3.5, which later releases of this file name keep.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod aead;

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::plain::{Memory, Plain};

pub(super) use aead::{CcmContext, Gcm};

type Crypt = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);
type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
type CbcAes = unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8);

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

/// `struct nettle_mac`.
#[repr(C)]
struct Mac {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    key_size: c_uint,
    set_key: SetKey,
    update: Update,
    digest: Digest,
}

/// `struct nettle_cipher`.
#[repr(C)]
struct Cipher {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: Crypt,
    decrypt: Crypt,
}

functions! {
    fn nettle_version_major() -> c_int;
    fn nettle_version_minor() -> c_int;
    fn nettle_hmac_set_key(*mut c_void, *mut c_void, *mut c_void, *const Hash, usize, *const u8);
    fn nettle_hmac_update(*mut c_void, *const Hash, usize, *const u8);
    fn nettle_hmac_digest(*const c_void, *const c_void, *mut c_void, *const Hash, usize, *mut u8);
    fn nettle_cbc_encrypt(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
    fn nettle_cbc_decrypt(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
    fn nettle_ctr_crypt(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
    fn nettle_xts_encrypt_message(*const c_void, *const c_void, Crypt, *const u8, usize, *mut u8, *const u8);
    fn nettle_xts_decrypt_message(*const c_void, *const c_void, Crypt, Crypt, *const u8, usize, *mut u8, *const u8);
}

/// More than the largest context of 3.10, in bytes: that of SHA-3 for hash functions, CMAC with AES-256 for MACs, and
/// Serpent's for ciphers.
const ROOM: usize = 768;
const BLOCK: usize = 16;

/// The loaded library.
pub(crate) struct Nettle {
    functions: Functions,
    library: &'static Library,
    /// CBC has a chain that only a function of its own keeps short; it came with 3.8.
    cbc_aes256_encrypt: Option<CbcAes>,
}

impl Nettle {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        let functions = Functions::load(library).map_err(too_old)?;
        // SAFETY: takes nothing, and returns a number.
        let major = unsafe { (functions.nettle_version_major)() };
        if major != 3 {
            return Err(format!("is Nettle {major}, and 3 is needed"));
        }
        // SAFETY: the type is the function's declaration in cbc.h, for a context that `Keys` has under that name alone.
        let cbc_aes256_encrypt =
            unsafe { library.get::<CbcAes>(b"nettle_cbc_aes256_encrypt\0") }.ok().map(|it| *it);
        Ok(Nettle { functions, library, cbc_aes256_encrypt })
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

    /// What describes a function, if it is there.
    fn description<T>(&self, symbol: &[u8]) -> Option<&'static T> {
        // SAFETY: only called for symbols that nettle-meta.h declares as constants of type T; the library stays loaded.
        unsafe { self.library.get::<*const T>(symbol).ok().and_then(|it| (*it).as_ref()) }
    }

    /// The hash function with digests of so many bytes.
    pub(super) fn hash(&self, symbol: &[u8], digest: usize) -> Option<HashCode> {
        let code = self.description::<Hash>(symbol)?;
        let fits = code.context_size as usize <= ROOM && code.digest_size as usize == digest;
        fits.then_some(HashCode(code))
    }

    pub(super) fn mac(&self, symbol: &[u8], key: usize, output: usize) -> Option<MacCode> {
        let code = self.description::<Mac>(symbol)?;
        let fits = code.context_size as usize <= ROOM
            && code.key_size as usize == key
            && code.digest_size as usize == output;
        fits.then_some(MacCode(code))
    }

    pub(super) fn block_cipher(&'static self, symbol: &[u8], key: usize) -> Option<Block> {
        let code = self.description::<Cipher>(symbol)?;
        let fits = code.context_size as usize <= ROOM
            && code.key_size as usize == key
            && code.block_size as usize == BLOCK;
        let cbc_aes = self.cbc_aes256_encrypt.filter(|_| symbol == b"nettle_aes256\0");
        fits.then_some(Block { nettle: self, code, cbc_aes })
    }
}

/// A hash function.
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

/// A MAC that has a description of its own.
#[derive(Clone, Copy)]
pub(crate) struct MacCode(&'static Mac);

// SAFETY: a description is constant, and so is what it points to.
unsafe impl Send for MacCode {}
// SAFETY: as above.
unsafe impl Sync for MacCode {}

/// A key of such a MAC.
pub(crate) struct CmacKey {
    code: MacCode,
    keyed: Memory<ROOM>,
}

impl CmacKey {
    /// The key has as many bytes as the description says.
    pub(super) fn new(code: MacCode, key: &[u8]) -> Self {
        let mut keyed = Memory::new();
        assert_eq!(key.len(), code.0.key_size as usize, "the length was checked");
        // SAFETY: the memory has room for the context, and the key is as long as the function reads.
        unsafe { (code.0.set_key)(keyed.at(), key.as_ptr()) };
        CmacKey { code, keyed }
    }
}

impl Drop for CmacKey {
    fn drop(&mut self) {
        self.keyed.wipe();
    }
}

impl Plain for CmacKey {
    type State = Memory<ROOM>;

    fn output(&self) -> usize {
        self.code.0.digest_size as usize
    }

    fn begin(&self) -> Memory<ROOM> {
        self.keyed.copy(self.code.0.context_size as usize)
    }

    fn update(&self, state: &mut Memory<ROOM>, piece: &[u8]) {
        // SAFETY: the state is a copy of one that has its key; the piece is as long as stated.
        unsafe { (self.code.0.update)(state.at(), piece.len(), piece.as_ptr()) };
    }

    fn finish(&self, state: &mut Memory<ROOM>, output: &mut [u8]) {
        // SAFETY: as above; a tag has at least as many bytes as are asked for.
        unsafe { (self.code.0.digest)(state.at(), output.len().min(self.output()), output.as_mut_ptr()) };
    }
}

/// A block cipher with blocks of 16 bytes.
pub(super) struct Block {
    nettle: &'static Nettle,
    code: &'static Cipher,
    cbc_aes: Option<CbcAes>,
}

// SAFETY: a description is constant, and so is what it points to.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// The prepared keys. Both have as many bytes as the description says; `tweak` is that of XTS.
    pub(super) fn keys(&self, data: &[u8], tweak: &[u8]) -> Keys {
        let Block { nettle, code, cbc_aes } = *self;
        let set = |set: SetKey, key: &[u8]| {
            assert_eq!(key.len(), code.key_size as usize, "the length was checked");
            let mut context = Memory::new();
            // SAFETY: the memory has room for the context, and the key is as long as the function reads.
            unsafe { set(context.at(), key.as_ptr()) };
            context
        };
        Keys {
            nettle,
            code,
            cbc_aes,
            encrypting: set(code.set_encrypt_key, data),
            decrypting: set(code.set_decrypt_key, data),
            tweaking: set(code.set_encrypt_key, tweak),
        }
    }
}

/// Prepared keys in both directions.
pub(super) struct Keys {
    nettle: &'static Nettle,
    code: &'static Cipher,
    cbc_aes: Option<CbcAes>,
    encrypting: Memory<ROOM>,
    decrypting: Memory<ROOM>,
    tweaking: Memory<ROOM>,
}

// SAFETY: keys are only read once they are there, and a description is constant.
unsafe impl Send for Keys {}
// SAFETY: as above.
unsafe impl Sync for Keys {}

// The sectors that these methods are given are as `Mode::sizes` has them, and are worked on in place, which all functions
// of Nettle allow.
impl Keys {
    pub(super) fn encrypt_ecb(&self, data: &mut [u8]) {
        // SAFETY: the context has its key; the data is as long as stated, and whole blocks.
        unsafe { (self.code.encrypt)(self.encrypting.read(), data.len(), data.as_mut_ptr(), data.as_ptr()) };
    }

    pub(super) fn decrypt_ecb(&self, data: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.code.decrypt)(self.decrypting.read(), data.len(), data.as_mut_ptr(), data.as_ptr()) };
    }

    pub(super) fn encrypt_cbc(&self, mut iv: [u8; BLOCK], data: &mut [u8]) {
        let (context, iv) = (self.encrypting.read(), iv.as_mut_ptr());
        let (length, to, from) = (data.len(), data.as_mut_ptr(), data.as_ptr());
        // SAFETY: as above; the IV has the length of a block, and the function for AES-256 is there for its contexts alone.
        unsafe {
            match self.cbc_aes {
                Some(encrypt) => encrypt(context, iv, length, to, from),
                None => {
                    let encrypt = self.nettle.functions.nettle_cbc_encrypt;
                    encrypt(context, self.code.encrypt, BLOCK, iv, length, to, from);
                }
            }
        }
    }

    pub(super) fn decrypt_cbc(&self, mut iv: [u8; BLOCK], data: &mut [u8]) {
        // SAFETY: as above.
        unsafe {
            (self.nettle.functions.nettle_cbc_decrypt)(
                self.decrypting.read(),
                self.code.decrypt,
                BLOCK,
                iv.as_mut_ptr(),
                data.len(),
                data.as_mut_ptr(),
                data.as_ptr(),
            );
        }
    }

    pub(super) fn crypt_ctr(&self, mut counter: [u8; BLOCK], data: &mut [u8]) {
        // SAFETY: as above; a partial block may be the last.
        unsafe {
            (self.nettle.functions.nettle_ctr_crypt)(
                self.encrypting.read(),
                self.code.encrypt,
                BLOCK,
                counter.as_mut_ptr(),
                data.len(),
                data.as_mut_ptr(),
                data.as_ptr(),
            );
        }
    }

    pub(super) fn encrypt_xts(&self, tweak: &[u8; BLOCK], data: &mut [u8]) {
        // SAFETY: as above; there is at least one block.
        unsafe {
            (self.nettle.functions.nettle_xts_encrypt_message)(
                self.encrypting.read(),
                self.tweaking.read(),
                self.code.encrypt,
                tweak.as_ptr(),
                data.len(),
                data.as_mut_ptr(),
                data.as_ptr(),
            );
        }
    }

    pub(super) fn decrypt_xts(&self, tweak: &[u8; BLOCK], data: &mut [u8]) {
        // SAFETY: as above.
        unsafe {
            (self.nettle.functions.nettle_xts_decrypt_message)(
                self.decrypting.read(),
                self.tweaking.read(),
                self.code.decrypt,
                self.code.encrypt,
                tweak.as_ptr(),
                data.len(),
                data.as_mut_ptr(),
                data.as_ptr(),
            );
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.encrypting.wipe();
        self.decrypting.wipe();
        self.tweaking.wipe();
    }
}
