//! Hash functions by the host's OpenSSL. The method is fetched once, and a context is kept for the next message.

use std::ffi::CStr;
use std::sync::Arc;

use fieldtest_kinds::Error;

use crate::hash::Function;
use crate::host::pooled::{Pooled, Worker};

use super::ffi::{Digest, HashContext, Length, Libcrypto};

/// The function that the catalog calls so; nothing, if this OpenSSL does not offer it.
pub(super) fn hash(libcrypto: &'static Libcrypto, function: &str) -> Option<impl Function + use<>> {
    let (name, length) = match function {
        "sha-1" => (c"SHA1", Length::Fixed(20)),
        "sha-256" => (c"SHA256", Length::Fixed(32)),
        "sha-512-256" => (c"SHA512-256", Length::Fixed(32)),
        "sha3-256" => (c"SHA3-256", Length::Fixed(32)),
        "shake128-256" => (c"SHAKE128", Length::Chosen(32)),
        _ => return None,
    };
    let method = Arc::new(Digest::named(libcrypto, name).ok()?);
    Pooled::new(length.bytes(), move || Ok(Hashing { context: HashContext::new(method.clone())?, length }))
        .ok()
}

/// Whether this OpenSSL has a hash function by that name of its own.
pub(super) fn has(libcrypto: &'static Libcrypto, name: &CStr) -> bool {
    Digest::named(libcrypto, name).is_ok()
}

struct Hashing {
    context: HashContext,
    length: Length,
}

impl Worker for Hashing {
    fn begin(&mut self) -> Result<(), Error> {
        self.context.begin()
    }

    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.context.update(piece)
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error> {
        self.context.finish(self.length, output)
    }
}
