//! `EVP_MAC`: message authentication codes.

use std::ffi::{CStr, c_uint};

use fieldtest_kinds::Error;

use super::{Libcrypto, Method, Parameter};
use crate::host::library::Object;

/// `OSSL_PARAM_UNSIGNED_INTEGER`, `OSSL_PARAM_UTF8_STRING` and `OSSL_PARAM_OCTET_STRING` of `man 3 OSSL_PARAM`.
const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;

/// Bytes of the longest output of any function here.
pub(crate) const LONGEST: usize = 64;

/// A setting of a context (`man 3 EVP_MAC`, "PARAMETERS").
#[derive(Debug, Clone, Copy)]
pub(crate) enum Setting {
    /// The hash function under an HMAC.
    Digest(&'static CStr),
    /// The block cipher under a CMAC.
    Cipher(&'static CStr),
    /// The customization string of a KMAC.
    Custom(&'static [u8]),
    /// Bytes of the output.
    Size(usize),
}

impl Setting {
    /// OpenSSL reads what this points to, and `self` lives as long as the call it is made for.
    fn parameter(&self) -> Parameter {
        let at = |bytes: &[u8]| bytes.as_ptr().cast_mut().cast();
        let (key, data_type, data, data_size) = match self {
            Setting::Digest(name) => (c"digest", UTF8_STRING, at(name.to_bytes()), name.count_bytes()),
            Setting::Cipher(name) => (c"cipher", UTF8_STRING, at(name.to_bytes()), name.count_bytes()),
            Setting::Custom(text) => (c"custom", OCTET_STRING, at(text), text.len()),
            Setting::Size(bytes) => {
                (c"size", UNSIGNED_INTEGER, std::ptr::from_ref(bytes).cast_mut().cast(), size_of::<usize>())
            }
        };
        Parameter { key: key.as_ptr(), data_type, data, data_size, return_size: 0 }
    }
}

/// A function that was looked up once.
pub(crate) struct MacMethod(Method);

impl MacMethod {
    pub(crate) fn named(libcrypto: &'static Libcrypto, name: &CStr) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        Method::named(libcrypto, functions.EVP_MAC_fetch, functions.EVP_MAC_free, name).map(MacMethod)
    }

    /// A context that has the key and waits for a message.
    pub(crate) fn context(&self, key: &[u8], setting: Setting) -> Result<KeyedContext, Error> {
        let libcrypto = self.0.libcrypto;
        let functions = &libcrypto.functions;
        // SAFETY: the method is alive; the result is nobody else's.
        let context = unsafe {
            libcrypto.owned((functions.EVP_MAC_CTX_new)(self.0.object.at()), functions.EVP_MAC_CTX_free)
        }?;
        let parameters = [setting.parameter(), Parameter::END];
        // SAFETY: the context is this function's alone; the key is as long as stated; the parameters are ended by
        // END, and what they point to outlives the call.
        libcrypto.expect(unsafe {
            (functions.EVP_MAC_init)(context.at(), key.as_ptr(), key.len(), parameters.as_ptr())
        })?;
        Ok(KeyedContext { libcrypto, context })
    }
}

/// An `EVP_MAC_CTX` that is never changed after its key is set: messages are computed in duplicates of it.
pub(crate) struct KeyedContext {
    libcrypto: &'static Libcrypto,
    context: Object,
}

// SAFETY: nothing but `EVP_MAC_CTX_dup`, which takes a pointer to const, is ever called with a shared one.
unsafe impl Sync for KeyedContext {}

impl KeyedContext {
    /// The whole output for one message, in `output`; its length is returned. With `size`, of that many bytes.
    pub(crate) fn tag(
        &self,
        message: &[u8],
        size: Option<usize>,
        output: &mut [u8; LONGEST],
    ) -> Result<usize, Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: the context is alive and keyed, and the duplicate is nobody else's.
        let copy = unsafe {
            self.libcrypto.owned((functions.EVP_MAC_CTX_dup)(self.context.at()), functions.EVP_MAC_CTX_free)
        }?;
        let at = copy.at();
        if let Some(size) = size {
            let setting = Setting::Size(size);
            // SAFETY: the parameters are ended by END, and `setting` outlives the call.
            self.libcrypto.expect(unsafe {
                (functions.EVP_MAC_CTX_set_params)(at, [setting.parameter(), Parameter::END].as_ptr())
            })?;
        }
        // SAFETY: the duplicate is this call's own, and the message is as long as stated.
        self.libcrypto.expect(unsafe { (functions.EVP_MAC_update)(at, message.as_ptr(), message.len()) })?;
        let mut length = 0;
        // SAFETY: as above; the buffer is as long as stated.
        self.libcrypto.expect(unsafe {
            (functions.EVP_MAC_final)(at, output.as_mut_ptr(), &mut length, output.len())
        })?;
        Ok(length.min(output.len()))
    }
}
