//! The calls into `libcrypto`, found at run time, behind types that are safe to use.
//!
//! Every function here is declared as in the manual pages of OpenSSL 3.0 (`man 3 EVP_PKEY_sign` and so on). An
//! `EVP_PKEY` may be used by several threads once it is complete; a context may not, and is owned by one call at a
//! time.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod aead;
mod cipher;
mod context;
mod hash;
mod key;
mod mac;

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr::{null, null_mut};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::host::library::{Free, Object, functions, too_old};

pub(super) use aead::AeadContext;
pub(super) use cipher::{CipherContext, CipherMethod};
pub(super) use context::{Prepared, Signs, Verifies};
pub(super) use hash::HashContext;
pub(super) use key::{Key, Of};
pub(super) use mac::{KeyedContext, LONGEST, MacMethod, Setting};

functions! {
    fn OpenSSL_version(c_int) -> *const c_char;
    fn OPENSSL_version_major() -> c_uint;
    fn ERR_get_error() -> c_ulong;
    fn ERR_error_string_n(c_ulong, *mut c_char, usize);
    fn ERR_clear_error();
    fn EVP_KEYMGMT_fetch(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    fn EVP_KEYMGMT_free(*mut c_void);
    fn EVP_MD_fetch(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    fn EVP_MD_free(*mut c_void);
    fn EVP_Digest(*const u8, usize, *mut u8, *mut c_uint, *const c_void, *mut c_void) -> c_int;
    fn EVP_PKEY_free(*mut c_void);
    fn EVP_PKEY_get_size(*const c_void) -> c_int;
    fn EVP_PKEY_get_raw_private_key(*const c_void, *mut u8, *mut usize) -> c_int;
    fn EVP_PKEY_get_raw_public_key(*const c_void, *mut u8, *mut usize) -> c_int;
    fn EVP_PKEY_get_octet_string_param(*const c_void, *const c_char, *mut u8, usize, *mut usize) -> c_int;
    fn EVP_PKEY_get_bn_param(*const c_void, *const c_char, *mut *mut c_void) -> c_int;
    fn EVP_PKEY_new_raw_public_key_ex(*mut c_void, *const c_char, *const c_char, *const u8, usize) -> *mut c_void;
    fn EVP_PKEY_fromdata_init(*mut c_void) -> c_int;
    fn EVP_PKEY_fromdata(*mut c_void, *mut *mut c_void, c_int, *const Parameter) -> c_int;
    fn BN_bn2binpad(*const c_void, *mut u8, c_int) -> c_int;
    fn BN_clear_free(*mut c_void);
    fn d2i_AutoPrivateKey(*mut *mut c_void, *mut *const u8, c_long) -> *mut c_void;
    fn i2d_PrivateKey(*const c_void, *mut *mut u8) -> c_int;
    fn i2d_PUBKEY(*const c_void, *mut *mut u8) -> c_int;
    fn EVP_PKEY_CTX_new_from_name(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_new_from_pkey(*mut c_void, *mut c_void, *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_free(*mut c_void);
    fn EVP_PKEY_CTX_set_group_name(*mut c_void, *const c_char) -> c_int;
    fn EVP_PKEY_CTX_set_rsa_keygen_bits(*mut c_void, c_int) -> c_int;
    fn EVP_PKEY_CTX_set_rsa_padding(*mut c_void, c_int) -> c_int;
    fn EVP_PKEY_CTX_set_signature_md(*mut c_void, *const c_void) -> c_int;
    fn EVP_PKEY_private_check(*mut c_void) -> c_int;
    fn EVP_PKEY_keygen_init(*mut c_void) -> c_int;
    fn EVP_PKEY_generate(*mut c_void, *mut *mut c_void) -> c_int;
    fn EVP_PKEY_sign_init(*mut c_void) -> c_int;
    fn EVP_PKEY_sign(*mut c_void, *mut u8, *mut usize, *const u8, usize) -> c_int;
    fn EVP_PKEY_verify_init(*mut c_void) -> c_int;
    fn EVP_PKEY_verify(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;
    fn EVP_MD_CTX_new() -> *mut c_void;
    fn EVP_MD_CTX_free(*mut c_void);
    fn EVP_DigestInit_ex2(*mut c_void, *const c_void, *const Parameter) -> c_int;
    fn EVP_DigestUpdate(*mut c_void, *const u8, usize) -> c_int;
    fn EVP_DigestFinal_ex(*mut c_void, *mut u8, *mut c_uint) -> c_int;
    fn EVP_DigestFinalXOF(*mut c_void, *mut u8, usize) -> c_int;
    fn EVP_DigestSignInit_ex(*mut c_void, *mut *mut c_void, *const c_char, *mut c_void, *const c_char, *mut c_void, *const Parameter) -> c_int;
    fn EVP_DigestSign(*mut c_void, *mut u8, *mut usize, *const u8, usize) -> c_int;
    fn EVP_DigestVerifyInit_ex(*mut c_void, *mut *mut c_void, *const c_char, *mut c_void, *const c_char, *mut c_void, *const Parameter) -> c_int;
    fn EVP_DigestVerify(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;
    fn EVP_CIPHER_fetch(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    fn EVP_CIPHER_free(*mut c_void);
    fn EVP_CIPHER_get_key_length(*const c_void) -> c_int;
    fn EVP_CIPHER_CTX_new() -> *mut c_void;
    fn EVP_CIPHER_CTX_copy(*mut c_void, *const c_void) -> c_int;
    fn EVP_CIPHER_CTX_free(*mut c_void);
    fn EVP_CIPHER_CTX_set_padding(*mut c_void, c_int) -> c_int;
    fn EVP_CipherInit_ex2(*mut c_void, *const c_void, *const u8, *const u8, c_int, *const Parameter) -> c_int;
    fn EVP_CIPHER_CTX_ctrl(*mut c_void, c_int, c_int, *mut c_void) -> c_int;
    fn EVP_CipherFinal_ex(*mut c_void, *mut u8, *mut c_int) -> c_int;
    fn EVP_CipherUpdate(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    fn EVP_MAC_fetch(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    fn EVP_MAC_free(*mut c_void);
    fn EVP_MAC_CTX_new(*mut c_void) -> *mut c_void;
    fn EVP_MAC_CTX_dup(*const c_void) -> *mut c_void;
    fn EVP_MAC_CTX_free(*mut c_void);
    fn EVP_MAC_CTX_set_params(*mut c_void, *const Parameter) -> c_int;
    fn EVP_MAC_init(*mut c_void, *const u8, usize, *const Parameter) -> c_int;
    fn EVP_MAC_update(*mut c_void, *const u8, usize) -> c_int;
    fn EVP_MAC_final(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
}

/// `OSSL_PARAM` of `man 3 OSSL_PARAM`.
#[repr(C)]
struct Parameter {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

impl Parameter {
    const END: Parameter =
        Parameter { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

    /// Of bytes that outlive it and are only read.
    const fn of(key: &'static CStr, data_type: c_uint, data: &[u8]) -> Parameter {
        Parameter {
            key: key.as_ptr(),
            data_type,
            data: data.as_ptr().cast_mut().cast(),
            data_size: data.len(),
            return_size: 0,
        }
    }
}

pub(super) struct Libcrypto {
    functions: Functions,
}

impl Libcrypto {
    /// The library's functions, if it has all; else why it is not usable.
    pub(super) fn of(library: &Library) -> Result<Self, String> {
        let libcrypto = Libcrypto { functions: Functions::load(library).map_err(too_old)? };
        // SAFETY: takes nothing, and returns a number.
        let major = unsafe { (libcrypto.functions.OPENSSL_version_major)() };
        if major >= 3 { Ok(libcrypto) } else { Err(format!("is OpenSSL {major}, and 3 is needed")) }
    }

    /// The version, `3.0.19`.
    pub(super) fn version(&self) -> String {
        // SAFETY: returns a string that lives as long as the library, `OpenSSL 3.0.19 27 Jan 2026`.
        let text = unsafe { CStr::from_ptr((self.functions.OpenSSL_version)(0)) }.to_string_lossy();
        text.split_whitespace().nth(1).unwrap_or(&text).to_string()
    }

    /// Whether its providers know keys of this type.
    pub(super) fn offers(&'static self, key_type: &CStr) -> bool {
        let (fetch, free) = (self.functions.EVP_KEYMGMT_fetch, self.functions.EVP_KEYMGMT_free);
        Method::named(self, fetch, free, key_type).is_ok()
    }

    /// An `EVP_MD_CTX`.
    fn message_context(&self) -> Result<Object, Error> {
        // SAFETY: takes nothing; the result is nobody else's.
        unsafe { self.owned((self.functions.EVP_MD_CTX_new)(), self.functions.EVP_MD_CTX_free) }
    }

    /// The object that a call returned.
    ///
    /// # Safety
    /// As [`Object::owned`].
    unsafe fn owned(&self, at: *mut c_void, free: Free) -> Result<Object, Error> {
        // SAFETY: as for this function.
        unsafe { Object::owned(at, free) }.ok_or_else(|| self.failed())
    }

    /// The oldest error of this thread in OpenSSL's words; the others are forgotten.
    fn error(&self) -> String {
        let mut text = [0_u8; 256];
        // SAFETY: the buffer is as long as stated, and the function ends what it writes with a NUL.
        unsafe {
            let code = (self.functions.ERR_get_error)();
            (self.functions.ERR_error_string_n)(code, text.as_mut_ptr().cast(), text.len());
        }
        self.forget_errors();
        CStr::from_bytes_until_nul(&text).map_or_else(|_| String::new(), |t| t.to_string_lossy().into_owned())
    }

    fn failed(&self) -> Error {
        Error::Library(self.error())
    }

    fn expect(&self, outcome: c_int) -> Result<(), Error> {
        if outcome == 1 { Ok(()) } else { Err(self.failed()) }
    }

    /// 1 is a good signature; anything else is not, and OpenSSL's reasons are dropped.
    fn verdict(&self, outcome: c_int) -> Result<(), Error> {
        if outcome == 1 {
            return Ok(());
        }
        self.forget_errors();
        Err(Error::InvalidSignature)
    }

    fn forget_errors(&self) {
        // SAFETY: takes nothing, and touches this thread's queue only.
        unsafe { (self.functions.ERR_clear_error)() };
    }
}

/// What looks for a method in the default library context.
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// A method that was looked up once.
struct Method {
    libcrypto: &'static Libcrypto,
    object: Object,
}

// SAFETY: a fetched method is immutable and reference-counted atomically.
unsafe impl Sync for Method {}

impl Method {
    fn named(libcrypto: &'static Libcrypto, fetch: Fetch, free: Free, name: &CStr) -> Result<Self, Error> {
        // SAFETY: the name is a C string, and NULL stands for what is the default; the result is nobody else's.
        let object = unsafe { libcrypto.owned(fetch(null_mut(), name.as_ptr(), null()), free) }?;
        Ok(Method { libcrypto, object })
    }
}

pub(super) struct Digest(Method);

impl Digest {
    pub(super) fn named(libcrypto: &'static Libcrypto, name: &CStr) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        Method::named(libcrypto, functions.EVP_MD_fetch, functions.EVP_MD_free, name).map(Digest)
    }

    fn of<'a>(&self, message: &[u8], buffer: &'a mut [u8; 64]) -> Result<&'a [u8], Error> {
        let libcrypto = self.0.libcrypto;
        let mut length = 0;
        // SAFETY: 64 bytes are EVP_MAX_MD_SIZE; the message is as long as stated.
        libcrypto.expect(unsafe {
            (libcrypto.functions.EVP_Digest)(
                message.as_ptr(),
                message.len(),
                buffer.as_mut_ptr(),
                &mut length,
                self.0.object.at(),
                null_mut(),
            )
        })?;
        Ok(&buffer[..length as usize])
    }
}
