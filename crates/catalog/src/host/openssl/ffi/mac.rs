//! `EVP_MAC`: message authentication codes.

use std::ffi::{CStr, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

use fieldtest_kinds::Error;

use super::{Libcrypto, Parameter};

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

/// The end of a list of parameters.
const END: Parameter =
    Parameter { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

/// A function that was looked up once.
pub(crate) struct Method {
    libcrypto: &'static Libcrypto,
    method: NonNull<c_void>,
}

// SAFETY: a fetched method is immutable and reference-counted atomically.
unsafe impl Send for Method {}
// SAFETY: as above.
unsafe impl Sync for Method {}

impl Method {
    pub(crate) fn named(libcrypto: &'static Libcrypto, name: &CStr) -> Result<Self, Error> {
        // SAFETY: the name is a C string; the result is freed when this value is dropped.
        let method = unsafe { (libcrypto.functions.EVP_MAC_fetch)(null_mut(), name.as_ptr(), null()) };
        NonNull::new(method).map(|method| Method { libcrypto, method }).ok_or_else(|| libcrypto.failed())
    }

    /// A context that has the key and waits for a message.
    pub(crate) fn context(&self, key: &[u8], settings: &[Setting]) -> Result<KeyedContext, Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: the method is alive; the result is freed when it is dropped.
        let context = unsafe { (functions.EVP_MAC_CTX_new)(self.method.as_ptr()) };
        let context = KeyedContext::owned(self.libcrypto, context)?;
        let mut parameters: Vec<Parameter> = settings.iter().map(Setting::parameter).collect();
        parameters.push(END);
        // SAFETY: the context is this function's alone; the key is as long as stated; the parameters are ended by
        // END, and what they point to outlives the call.
        self.libcrypto.expect(unsafe {
            (functions.EVP_MAC_init)(context.context.as_ptr(), key.as_ptr(), key.len(), parameters.as_ptr())
        })?;
        Ok(context)
    }
}

impl Drop for Method {
    fn drop(&mut self) {
        // SAFETY: fetched by `named`, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_MAC_free)(self.method.as_ptr()) };
    }
}

/// An `EVP_MAC_CTX` that is never changed after its key is set: messages are computed in duplicates of it.
pub(crate) struct KeyedContext {
    libcrypto: &'static Libcrypto,
    context: NonNull<c_void>,
}

// SAFETY: a context may move between threads.
unsafe impl Send for KeyedContext {}
// SAFETY: nothing but `EVP_MAC_CTX_dup`, which takes a pointer to const, is ever called with a shared one.
unsafe impl Sync for KeyedContext {}

impl KeyedContext {
    fn owned(libcrypto: &'static Libcrypto, context: *mut c_void) -> Result<Self, Error> {
        let context = NonNull::new(context).ok_or_else(|| libcrypto.failed())?;
        Ok(KeyedContext { libcrypto, context })
    }

    /// The whole output for one message, in `output`; its length is returned. With `size`, of that many bytes.
    pub(crate) fn tag(
        &self,
        message: &[u8],
        size: Option<usize>,
        output: &mut [u8; LONGEST],
    ) -> Result<usize, Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: the context is alive and keyed, and the duplicate is freed when it is dropped.
        let copy = unsafe { (functions.EVP_MAC_CTX_dup)(self.context.as_ptr()) };
        let copy = Self::owned(self.libcrypto, copy)?;
        let at = copy.context.as_ptr();
        if let Some(size) = size {
            let setting = Setting::Size(size);
            // SAFETY: the parameters are ended by END, and `setting` outlives the call.
            self.libcrypto.expect(unsafe {
                (functions.EVP_MAC_CTX_set_params)(at, [setting.parameter(), END].as_ptr())
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

impl Drop for KeyedContext {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.libcrypto.functions.EVP_MAC_CTX_free)(self.context.as_ptr()) };
    }
}
