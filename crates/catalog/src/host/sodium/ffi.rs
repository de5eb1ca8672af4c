//! The calls into `libsodium`, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in the headers of 1.0.18, which later releases keep. Where they return a number, it
//! is 0 unless stated otherwise: hashing cannot fail.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;
use zeroize::Zeroizing;

use crate::host::keyed::Keyed;
use crate::host::library::{functions, too_old};
use crate::host::plain::{Memory, Plain};

functions! {
    fn sodium_init() -> c_int;
    fn sodium_version_string() -> *const c_char;
    fn crypto_hash_sha256_statebytes() -> usize;
    fn crypto_hash_sha256_init(*mut c_void) -> c_int;
    fn crypto_hash_sha256_update(*mut c_void, *const u8, c_ulonglong) -> c_int;
    fn crypto_hash_sha256_final(*mut c_void, *mut u8) -> c_int;
    fn crypto_generichash_blake2b_statebytes() -> usize;
    fn crypto_generichash_blake2b_init(*mut c_void, *const u8, usize, usize) -> c_int;
    fn crypto_generichash_blake2b_update(*mut c_void, *const u8, c_ulonglong) -> c_int;
    fn crypto_generichash_blake2b_final(*mut c_void, *mut u8, usize) -> c_int;
    fn crypto_auth_hmacsha256_statebytes() -> usize;
    fn crypto_auth_hmacsha256_init(*mut c_void, *const u8, usize) -> c_int;
    fn crypto_auth_hmacsha256_update(*mut c_void, *const u8, c_ulonglong) -> c_int;
    fn crypto_auth_hmacsha256_final(*mut c_void, *mut u8) -> c_int;
    fn crypto_auth_hmacsha512_statebytes() -> usize;
    fn crypto_auth_hmacsha512_init(*mut c_void, *const u8, usize) -> c_int;
    fn crypto_auth_hmacsha512_update(*mut c_void, *const u8, c_ulonglong) -> c_int;
    fn crypto_auth_hmacsha512_final(*mut c_void, *mut u8) -> c_int;
    fn crypto_shorthash_siphashx24(*mut u8, *const u8, c_ulonglong, *const u8) -> c_int;
    fn crypto_sign_ed25519_seed_keypair(*mut u8, *mut u8, *const u8) -> c_int;
    fn crypto_sign_ed25519_detached(*mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8) -> c_int;
    fn crypto_sign_ed25519_verify_detached(*const u8, *const u8, c_ulonglong, *const u8) -> c_int;
}

/// At least the largest state of any function here, in bytes; that is looked at when the library is loaded.
const ROOM: usize = 512;

/// The loaded library, initialised.
pub(crate) struct Sodium {
    functions: Functions,
}

impl Sodium {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        let functions = Functions::load(library).map_err(too_old)?;
        // SAFETY: may be called at any time; it chooses the code for this processor. 1 says that it was called before.
        if unsafe { (functions.sodium_init)() } < 0 {
            return Err("cannot be initialised".to_owned());
        }
        // SAFETY: these take nothing, and return a number.
        let states = unsafe {
            [
                (functions.crypto_hash_sha256_statebytes)(),
                (functions.crypto_generichash_blake2b_statebytes)(),
                (functions.crypto_auth_hmacsha256_statebytes)(),
                (functions.crypto_auth_hmacsha512_statebytes)(),
            ]
        };
        if states.iter().any(|bytes| *bytes > ROOM) {
            return Err(format!("has states of {states:?} bytes, and there is room for {ROOM}"));
        }
        Ok(Sodium { functions })
    }

    pub(super) fn version(&self) -> String {
        // SAFETY: returns a string that lives as long as the library.
        unsafe { CStr::from_ptr((self.functions.sodium_version_string)()) }.to_string_lossy().into_owned()
    }

    /// SipHash-2-4 with 16 bytes of output.
    pub(super) fn siphash(&self, key: &[u8; 16], message: &[u8]) -> [u8; 16] {
        let mut output = [0; 16];
        // SAFETY: key and output are as long as the function has them, the message as long as stated.
        unsafe {
            (self.functions.crypto_shorthash_siphashx24)(
                output.as_mut_ptr(),
                message.as_ptr(),
                message.len() as c_ulonglong,
                key.as_ptr(),
            );
        }
        output
    }

    /// The public key of a seed, and the secret key as the library has it.
    pub(super) fn ed25519_pair(&self, seed: &[u8; 32]) -> ([u8; 32], Zeroizing<[u8; 64]>) {
        let (mut public, mut secret) = ([0; 32], Zeroizing::new([0; 64]));
        // SAFETY: all three are as long as the function has them.
        unsafe {
            (self.functions.crypto_sign_ed25519_seed_keypair)(
                public.as_mut_ptr(),
                secret.as_mut_ptr(),
                seed.as_ptr(),
            );
        }
        (public, secret)
    }

    pub(super) fn ed25519_sign(&self, secret: &[u8; 64], message: &[u8]) -> Result<[u8; 64], Error> {
        let mut signature = [0; 64];
        // SAFETY: key and signature are as long as the function has them, the message as long as stated; NULL asks for no
        // length.
        let outcome = unsafe {
            (self.functions.crypto_sign_ed25519_detached)(
                signature.as_mut_ptr(),
                null_mut(),
                message.as_ptr(),
                message.len() as c_ulonglong,
                secret.as_ptr(),
            )
        };
        if outcome == 0 { Ok(signature) } else { Err(crate::adapt::failed("signing")) }
    }

    pub(super) fn ed25519_verify(&self, public: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
        // SAFETY: as of signing. 0 is a good signature, and anything else is not.
        let outcome = unsafe {
            (self.functions.crypto_sign_ed25519_verify_detached)(
                signature.as_ptr(),
                message.as_ptr(),
                message.len() as c_ulonglong,
                public.as_ptr(),
            )
        };
        outcome == 0
    }
}

/// A hash function of the library.
#[derive(Clone, Copy)]
pub(crate) enum HashCode {
    Sha256(&'static Sodium),
    /// BLAKE2b parametrised for 32 bytes.
    Blake2b256(&'static Sodium),
}

/// Bytes of a digest of either.
const DIGEST: usize = 32;

// SAFETY of every block: the memory has room for the state, which `begin` initialised, pieces are as long as stated, and
// outputs are as long as the functions have them.
impl Plain for HashCode {
    type State = Memory<ROOM>;

    fn output(&self) -> usize {
        DIGEST
    }

    fn begin(&self) -> Memory<ROOM> {
        let mut state = Memory::new();
        let at = state.at();
        match self {
            // SAFETY: see above.
            HashCode::Sha256(it) => unsafe { (it.functions.crypto_hash_sha256_init)(at) },
            // SAFETY: see above; there is no key.
            HashCode::Blake2b256(it) => unsafe {
                (it.functions.crypto_generichash_blake2b_init)(at, null(), 0, DIGEST)
            },
        };
        state
    }

    fn update(&self, state: &mut Memory<ROOM>, piece: &[u8]) {
        let (at, from, length) = (state.at(), piece.as_ptr(), piece.len() as c_ulonglong);
        match self {
            // SAFETY: see above.
            HashCode::Sha256(it) => unsafe { (it.functions.crypto_hash_sha256_update)(at, from, length) },
            // SAFETY: see above.
            HashCode::Blake2b256(it) => unsafe {
                (it.functions.crypto_generichash_blake2b_update)(at, from, length)
            },
        };
    }

    fn finish(&self, state: &mut Memory<ROOM>, output: &mut [u8]) {
        let mut whole = [0; DIGEST];
        let (at, to) = (state.at(), whole.as_mut_ptr());
        match self {
            // SAFETY: see above.
            HashCode::Sha256(it) => unsafe { (it.functions.crypto_hash_sha256_final)(at, to) },
            // SAFETY: see above.
            HashCode::Blake2b256(it) => unsafe {
                (it.functions.crypto_generichash_blake2b_final)(at, to, DIGEST)
            },
        };
        output.copy_from_slice(&whole);
    }
}

/// A keyed function that has a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stateful {
    HmacSha256,
    HmacSha512,
    Blake2b,
}

impl Stateful {
    pub(super) fn of(function: Keyed) -> Option<Stateful> {
        match function {
            Keyed::HmacSha256 => Some(Stateful::HmacSha256),
            Keyed::HmacSha512 => Some(Stateful::HmacSha512),
            Keyed::Blake2b => Some(Stateful::Blake2b),
            _ => None,
        }
    }
}

/// The state behind a key.
pub(crate) struct KeyedState {
    sodium: &'static Sodium,
    function: Stateful,
    keyed: Memory<ROOM>,
    used: usize,
}

// SAFETY of every block: as for `HashCode`.
impl KeyedState {
    /// A key of BLAKE2b has 1 to 64 bytes.
    pub(super) fn new(sodium: &'static Sodium, function: Stateful, key: &[u8]) -> Self {
        let (mut keyed, functions) = (Memory::new(), &sodium.functions);
        let (at, from, length) = (keyed.at(), key.as_ptr(), key.len());
        // SAFETY: see above.
        let used = unsafe {
            match function {
                Stateful::HmacSha256 => {
                    (functions.crypto_auth_hmacsha256_init)(at, from, length);
                    (functions.crypto_auth_hmacsha256_statebytes)()
                }
                Stateful::HmacSha512 => {
                    (functions.crypto_auth_hmacsha512_init)(at, from, length);
                    (functions.crypto_auth_hmacsha512_statebytes)()
                }
                Stateful::Blake2b => {
                    (functions.crypto_generichash_blake2b_init)(at, from, length, 64);
                    (functions.crypto_generichash_blake2b_statebytes)()
                }
            }
        };
        KeyedState { sodium, function, keyed, used }
    }
}

impl Drop for KeyedState {
    fn drop(&mut self) {
        self.keyed.wipe();
    }
}

// SAFETY of every block: as for `HashCode`.
impl Plain for KeyedState {
    type State = Memory<ROOM>;

    fn output(&self) -> usize {
        match self.function {
            Stateful::HmacSha256 => 32,
            Stateful::HmacSha512 | Stateful::Blake2b => 64,
        }
    }

    fn begin(&self) -> Memory<ROOM> {
        self.keyed.copy(self.used)
    }

    fn update(&self, state: &mut Memory<ROOM>, piece: &[u8]) {
        let functions = &self.sodium.functions;
        let update = match self.function {
            Stateful::HmacSha256 => functions.crypto_auth_hmacsha256_update,
            Stateful::HmacSha512 => functions.crypto_auth_hmacsha512_update,
            Stateful::Blake2b => functions.crypto_generichash_blake2b_update,
        };
        // SAFETY: see above.
        unsafe { update(state.at(), piece.as_ptr(), piece.len() as c_ulonglong) };
    }

    fn finish(&self, state: &mut Memory<ROOM>, output: &mut [u8]) {
        let functions = &self.sodium.functions;
        let mut whole = [0; 64];
        let (at, to) = (state.at(), whole.as_mut_ptr());
        // SAFETY: see above.
        unsafe {
            match self.function {
                Stateful::HmacSha256 => (functions.crypto_auth_hmacsha256_final)(at, to),
                Stateful::HmacSha512 => (functions.crypto_auth_hmacsha512_final)(at, to),
                Stateful::Blake2b => (functions.crypto_generichash_blake2b_final)(at, to, whole.len()),
            };
        }
        output.copy_from_slice(&whole[..self.output()]);
    }
}
