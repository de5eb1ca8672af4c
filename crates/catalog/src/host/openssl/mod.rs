//! The host's own OpenSSL: what name servers and distributions run today. Release line 3, and later ones as far as they
//! keep its functions.

mod adapter;
mod cipher;
mod ffi;
mod hash;
mod mac;
mod scheme;

use std::ffi::CStr;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use fieldtest_kinds::signature::Signature;

use crate::aead;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::Function as MacFunction;

use super::keyed::{BlockCipher, Keyed};
use super::library::Wanted;
use adapter::Adapter;
use ffi::Libcrypto;
pub(crate) use scheme::Scheme;

pub(super) const NAME: &str = "openssl-host";

/// Release line 3, which distributions deploy, before 4.
const WANTED: Wanted = Wanted {
    name: NAME,
    title: "OpenSSL 3",
    variable: "FIELDTEST_LIBCRYPTO",
    files: &["libcrypto.so.3", "libcrypto.3.dylib", "libcrypto.so.4"],
};

static LIBCRYPTO: LazyLock<Result<Libcrypto, String>> = LazyLock::new(|| WANTED.load(Libcrypto::of));

fn libcrypto() -> Option<&'static Libcrypto> {
    LIBCRYPTO.as_ref().ok()
}

/// The version, `3.0.19`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    LIBCRYPTO.as_ref().map(Libcrypto::version).map_err(String::as_str)
}

pub(super) fn signature(scheme: Scheme) -> Option<impl Signature> {
    Adapter::new(libcrypto()?, scheme)
}

pub(super) fn keyed(function: Keyed) -> Option<impl MacFunction> {
    mac::keyed(libcrypto()?, function)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    hash::hash(libcrypto()?, function)
}

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    cipher::cipher(libcrypto()?, wanted)
}

pub(super) fn aead(block: &str, bits: usize, mode: aead::Mode) -> Option<Arc<dyn Aead>> {
    cipher::aead(libcrypto()?, block, bits, mode)
}

/// Whether it has a hash function by that name of its own.
pub(crate) fn has_hash(name: &CStr) -> bool {
    libcrypto().is_some_and(|libcrypto| hash::has(libcrypto, name))
}
