//! The calls into `libnss3`, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in `nss.h`, `pk11pub.h` and NSPR's `prerror.h` of 3.35, which later releases keep. A
//! context is a session of its own with NSS's own software token, and is owned by one call at a time; a key may be used by
//! several threads. NSS is initialised once, and never shut down.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::{NonNull, null, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::pooled::{Direction, Worker};

functions! {
    fn NSS_GetVersion() -> *const c_char;
    fn NSS_NoDB_Init(*const c_char) -> c_int;
    fn PR_GetError() -> i32;
    fn PR_ErrorToString(i32, u32) -> *const c_char;
    fn PK11_GetInternalSlot() -> *mut c_void;
    fn PK11_ImportSymKey(*mut c_void, c_ulong, c_int, c_ulong, *mut Item, *mut c_void) -> *mut c_void;
    fn PK11_FreeSymKey(*mut c_void);
    fn PK11_CreateDigestContext(c_int) -> *mut c_void;
    fn PK11_CreateContextBySymKey(c_ulong, c_ulong, *mut c_void, *const Item) -> *mut c_void;
    fn PK11_DestroyContext(*mut c_void, c_int);
    fn PK11_DigestBegin(*mut c_void) -> c_int;
    fn PK11_DigestOp(*mut c_void, *const u8, c_uint) -> c_int;
    fn PK11_DigestFinal(*mut c_void, *mut u8, *mut c_uint, c_uint) -> c_int;
    fn PK11_CipherOp(*mut c_void, *mut u8, *mut c_int, c_int, *const u8, c_int) -> c_int;
}

/// `SECItem` of `seccomon.h`, whose type 0 is a buffer.
#[repr(C)]
struct Item {
    kind: c_int,
    data: *mut u8,
    length: c_uint,
}

impl Item {
    /// What the library reads.
    fn of(bytes: &[u8]) -> Result<Item, Error> {
        let length = c_uint::try_from(bytes.len())
            .map_err(|_| Error::Library("NSS takes less than 4 GiB at once".to_owned()))?;
        Ok(Item { kind: 0, data: bytes.as_ptr().cast_mut(), length })
    }
}

/// `CK_AES_CTR_PARAMS` of `pkcs11t.h`.
#[repr(C)]
struct Counter {
    bits: c_ulong,
    block: [u8; 16],
}

/// A hash function: `SECOidTag` of `secoidt.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digest {
    Sha1 = 4,
    Sha256 = 191,
}

/// What is done with a key: `CK_MECHANISM_TYPE` of `pkcs11t.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mechanism {
    HmacSha1 = 0x221,
    HmacSha256 = 0x251,
    HmacSha384 = 0x261,
    HmacSha512 = 0x271,
    AesEcb = 0x1081,
    AesCbc = 0x1082,
    AesCtr = 0x1086,
    AesCmac = 0x108a,
}

/// What a key is for: `CK_ATTRIBUTE_TYPE` of `pkcs11t.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Encryption = 0x104,
    Decryption = 0x105,
    Tags = 0x108,
}

impl From<Direction> for Purpose {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Encryption => Purpose::Encryption,
            Direction::Decryption => Purpose::Decryption,
        }
    }
}

/// `PK11_OriginUnwrap`: a key that came from outside.
const FROM_OUTSIDE: c_int = 4;
/// `PR_TRUE`.
const TRUE: c_int = 1;
/// Most bytes that one call is given.
const MOST: usize = 1 << 30;

/// The loaded library, initialised.
pub(super) struct Nss {
    functions: Functions,
    /// The `PK11SlotInfo` of NSS's own software token.
    slot: NonNull<c_void>,
    version: String,
}

// SAFETY: the slot is the library's own, which locks what changes of it.
unsafe impl Send for Nss {}
// SAFETY: as above.
unsafe impl Sync for Nss {}

impl Nss {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        let functions = Functions::load(library).map_err(too_old)?;
        // SAFETY: takes nothing; returns a string that lives as long as the library.
        let version = unsafe { CStr::from_ptr((functions.NSS_GetVersion)()) }.to_string_lossy().into_owned();
        // SAFETY: no directory is named, so that no database is opened and no module beside the library's own is loaded. It
        // may be called again where somebody else in this process did.
        if unsafe { (functions.NSS_NoDB_Init)(null()) } != 0 {
            return Err(format!("cannot be initialised: {}", error(&functions)));
        }
        // SAFETY: the library is initialised.
        let slot = NonNull::new(unsafe { (functions.PK11_GetInternalSlot)() });
        let slot = slot.ok_or_else(|| format!("has no token of its own: {}", error(&functions)))?;
        Ok(Nss { functions, slot, version })
    }

    pub(super) fn version(&self) -> String {
        self.version.clone()
    }

    fn failed(&self) -> Error {
        Error::Library(format!("NSS: {}", error(&self.functions)))
    }

    fn expect(&self, outcome: c_int) -> Result<(), Error> {
        if outcome == 0 { Ok(()) } else { Err(self.failed()) }
    }
}

/// This thread's last error in the library's words.
fn error(functions: &Functions) -> String {
    // SAFETY: takes nothing and returns a number, of which the other makes a string that lives as long as the library; 0 is
    // the language that is always there.
    let (number, text) = unsafe {
        let number = (functions.PR_GetError)();
        (number, (functions.PR_ErrorToString)(number, 0))
    };
    if text.is_null() {
        return format!("error {number}");
    }
    // SAFETY: not NULL, and a string of the library's.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A `PK11SymKey`. NSS wipes it when the last context with it is gone.
pub(super) struct Key {
    nss: &'static Nss,
    at: NonNull<c_void>,
    mechanism: Mechanism,
    purpose: Purpose,
}

// SAFETY: a key is only read, counted atomically, and freed once.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

impl Key {
    pub(super) fn import(
        nss: &'static Nss,
        mechanism: Mechanism,
        purpose: Purpose,
        key: &[u8],
    ) -> Result<Self, Error> {
        let mut item = Item::of(key)?;
        // SAFETY: the slot is alive, the item as long as stated and only read, and nobody is asked for a password.
        let at = unsafe {
            (nss.functions.PK11_ImportSymKey)(
                nss.slot.as_ptr(),
                mechanism as c_ulong,
                FROM_OUTSIDE,
                purpose as c_ulong,
                &mut item,
                null_mut(),
            )
        };
        NonNull::new(at).map(|at| Key { nss, at, mechanism, purpose }).ok_or_else(|| nss.failed())
    }

    /// A context with these parameters of its mechanism.
    fn context(&self, parameters: &Item) -> Result<Context, Error> {
        // SAFETY: the key is alive, and the context counts it; the parameters are what the mechanism has, as long as stated,
        // and copied.
        let at = unsafe {
            (self.nss.functions.PK11_CreateContextBySymKey)(
                self.mechanism as c_ulong,
                self.purpose as c_ulong,
                self.at.as_ptr(),
                parameters,
            )
        };
        Context::made(self.nss, at)
    }

    /// A context that tags, or encrypts blocks one by one.
    pub(super) fn plain_context(&self) -> Result<Context, Error> {
        self.context(&Item::of(&[])?)
    }

    /// A context that encrypts with this initialisation vector, or first counter.
    pub(super) fn context_from(&self, iv: &[u8; 16]) -> Result<Context, Error> {
        if self.mechanism != Mechanism::AesCtr {
            return self.context(&Item::of(iv)?);
        }
        let mut counter = Counter { bits: 128, block: *iv };
        let data = (&raw mut counter).cast();
        self.context(&Item { kind: 0, data, length: size_of::<Counter>() as c_uint })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.nss.functions.PK11_FreeSymKey)(self.at.as_ptr()) };
    }
}

/// A `PK11Context`.
pub(crate) struct Context {
    nss: &'static Nss,
    at: NonNull<c_void>,
}

// SAFETY: a context may move between threads; it is not `Sync`, and every call takes it by `&mut`.
unsafe impl Send for Context {}

impl Context {
    fn made(nss: &'static Nss, at: *mut c_void) -> Result<Self, Error> {
        NonNull::new(at).map(|at| Context { nss, at }).ok_or_else(|| nss.failed())
    }

    /// A context that hashes.
    pub(super) fn hashing(nss: &'static Nss, digest: Digest) -> Result<Self, Error> {
        // SAFETY: takes a number; the result is destroyed when the value is dropped.
        Context::made(nss, unsafe { (nss.functions.PK11_CreateDigestContext)(digest as c_int) })
    }

    /// Encrypts or decrypts whole blocks in place.
    pub(super) fn crypt(&mut self, data: &mut [u8]) -> Result<(), Error> {
        let length = c_int::try_from(data.len())
            .map_err(|_| Error::Library("NSS takes less than 2 GiB at once".to_owned()))?;
        let (at, mut written) = (data.as_mut_ptr(), 0);
        // SAFETY: `&mut self` makes the context this call's own; input and output are the same bytes, as many as stated, which
        // the token's AES allows.
        self.nss.expect(unsafe {
            (self.nss.functions.PK11_CipherOp)(self.at.as_ptr(), at, &mut written, length, at, length)
        })?;
        if written == length {
            return Ok(());
        }
        Err(Error::Library(format!("NSS encrypted {written} of {length} bytes; pass whole blocks")))
    }
}

impl Worker for Context {
    fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the context is alive, and `&mut self` makes it this call's own. What was there of a message is dropped.
        self.nss.expect(unsafe { (self.nss.functions.PK11_DigestBegin)(self.at.as_ptr()) })
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        piece.chunks(MOST).try_for_each(|part| {
            // SAFETY: as in `begin`; the part is as long as stated.
            self.nss.expect(unsafe {
                (self.nss.functions.PK11_DigestOp)(self.at.as_ptr(), part.as_ptr(), part.len() as c_uint)
            })
        })
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        let (mut length, room) = (0, output.len() as c_uint);
        // SAFETY: as in `begin`; the output is as long as stated, and no more is written.
        self.nss.expect(unsafe {
            (self.nss.functions.PK11_DigestFinal)(self.at.as_ptr(), output.as_mut_ptr(), &mut length, room)
        })?;
        if length == room {
            return Ok(());
        }
        Err(Error::Library(format!("NSS has {length} bytes of output, and {room} are wanted")))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and destroyed here only, with all that is the context's own.
        unsafe { (self.nss.functions.PK11_DestroyContext)(self.at.as_ptr(), TRUE) };
    }
}
