//! The host's own OpenSSL: what name servers and distributions run today.
//!
//! `libcrypto` is looked for when the catalog is first used, and is never needed to build. Where it is absent, or too
//! old for an algorithm, the implementation `openssl-host` is not listed, and [`unavailable`] says why. The variable
//! `FIELDTEST_LIBCRYPTO` names another file than the system's.

mod adapter;
mod cipher;
mod ffi;
mod hash;
mod mac;
mod scheme;

use std::ffi::CStr;
use std::sync::LazyLock;

use fieldtest_kinds::signature::Signature;

use crate::cipher::Mode;
use crate::signature::Implementation;
use crate::{Proof, ProofError};

use adapter::Adapter;
pub(crate) use cipher::HostCipher;
use ffi::Libcrypto;
pub(crate) use hash::{HashFunction, HostHash};
pub(crate) use mac::{Function, HostMac};
pub(crate) use scheme::Scheme;

/// The variable that names another `libcrypto`.
pub const VARIABLE: &str = "FIELDTEST_LIBCRYPTO";

/// What the library is called; release line 3, which distributions deploy, before 4.
const NAMES: [&str; 3] = ["libcrypto.so.3", "libcrypto.3.dylib", "libcrypto.so.4"];

static LIBCRYPTO: LazyLock<Result<Libcrypto, String>> = LazyLock::new(|| {
    if let Ok(name) = std::env::var(VARIABLE) {
        return Libcrypto::load(&name)
            .map_err(|error| format!("{VARIABLE} does not name a usable libcrypto: {error}"));
    }
    let mut reasons = Vec::new();
    for name in NAMES {
        match Libcrypto::load(name) {
            Ok(libcrypto) => return Ok(libcrypto),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(format!("no OpenSSL 3 on this host: {}", reasons.join("; ")))
});

/// Why nothing of the host's OpenSSL is listed; `None` if it was found.
pub fn unavailable() -> Option<&'static str> {
    LIBCRYPTO.as_ref().err().map(String::as_str)
}

/// The implementation of a scheme by the host's OpenSSL, if it is there and offers the scheme.
pub(crate) fn implementation(
    scheme: Scheme,
    prove: fn(&dyn Signature) -> Result<Proof, ProofError>,
) -> Option<Implementation> {
    let libcrypto = LIBCRYPTO.as_ref().ok()?;
    let adapter = Adapter::new(libcrypto, scheme)?;
    Some(crate::signature::implementation("openssl-host", libcrypto.version(), adapter, prove))
}

/// A keyed function by the host's OpenSSL, if it is there and offers the function.
pub(crate) fn mac(function: Function) -> Option<HostMac> {
    HostMac::new(LIBCRYPTO.as_ref().ok()?, function)
}

/// A hash function by the host's OpenSSL, if it is there and offers the function.
pub(crate) fn hash(function: HashFunction) -> Option<HostHash> {
    HostHash::new(LIBCRYPTO.as_ref().ok()?, function)
}

/// A cipher with its mode, by OpenSSL's name for it and the length of its keys, if it is there and offers the cipher.
pub(crate) fn cipher(name: &CStr, mode: Mode, key_len: usize) -> Option<HostCipher> {
    HostCipher::new(LIBCRYPTO.as_ref().ok()?, name, mode, key_len)
}

/// The version of the host's OpenSSL, `3.0.19`, if it is there.
pub(crate) fn version() -> Option<String> {
    LIBCRYPTO.as_ref().ok().map(Libcrypto::version)
}
