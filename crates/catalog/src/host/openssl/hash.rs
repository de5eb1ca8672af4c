//! Hash functions by the host's OpenSSL. The method is fetched once, and a context is kept for the next
//! message. Fetching it for each message would hide the function's own cost: OpenSSL 3.0's one-shot SHA-256
//! takes 7.3
//! cycles a byte at 256 bytes; `sha2` takes 2.6 there (Zen 3, November 2026).

use std::ffi::CStr;
use std::sync::Arc;

use crate::hash::Function;
use crate::host::keyed::digest;
use crate::host::pooled::Pooled;

use super::ffi::{Digest, HashContext, Libcrypto};

/// The function that the catalog calls so; nothing, if this OpenSSL does not offer it.
pub(super) fn hash(libcrypto: &'static Libcrypto, function: &str) -> Option<impl Function + use<>> {
    let name = match function {
        "sha-1" => c"SHA1",
        "sha-256" => c"SHA256",
        "sha-512-256" => c"SHA512-256",
        "sha3-256" => c"SHA3-256",
        "shake128-256" => c"SHAKE128",
        _ => return None,
    };
    let (length, output) = digest(function)?;
    let method = Arc::new(Digest::named(libcrypto, name).ok()?);
    Pooled::new(length, move || HashContext::new(method.clone(), output)).ok()
}

/// Whether this OpenSSL has a hash function by that name of its own.
pub(super) fn has(libcrypto: &'static Libcrypto, name: &CStr) -> bool {
    Digest::named(libcrypto, name).is_ok()
}
