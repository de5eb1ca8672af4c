//! The host's Nettle, which GnuTLS uses: release line 3 since 3.5. Release line 4 has other functions.
//!
//! Its hash functions and HMAC, which for single segments of 83 to 172 bytes takes 0.87 to 0.96 of the best
//! other library's cycles (November 2026). Its CMAC, ciphers, GCM and CCM were first nowhere; the nearest,
//! AES-128 in ECB, took 0.92 to 0.97 of OpenSSL 3.0.22's cycles in three runs of four.

mod ffi;

use std::sync::LazyLock;

use crate::hash::Function as HashFunction;
use crate::mac::keyed::Function as MacFunction;

use super::keyed::{Keyed, Keying, digest};
use super::library::Wanted;
use super::plain::{PlainHash, PlainKey};
use ffi::{HmacKey, Nettle};

pub(super) const NAME: &str = "nettle-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "Nettle",
    variable: "FIELDTEST_LIBNETTLE",
    files: &["libnettle.so.8", "libnettle.8.dylib"],
};

static NETTLE: LazyLock<Result<Nettle, String>> = LazyLock::new(|| WANTED.load(Nettle::of));

fn nettle() -> Option<&'static Nettle> {
    NETTLE.as_ref().ok()
}

/// The version, `3.8`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    NETTLE.as_ref().map(Nettle::version).map_err(String::as_str)
}

/// Whether it has SHAKE128, which came with 3.10 and has no description as other hash functions have.
pub(crate) fn has_shake128() -> bool {
    nettle().is_some_and(|nettle| nettle.has(b"nettle_sha3_128_shake\0"))
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let symbol: &[u8] = match function {
        "sha-1" => b"nettle_sha1\0",
        "sha-256" => b"nettle_sha256\0",
        "sha-512-256" => b"nettle_sha512_256\0",
        "sha3-256" => b"nettle_sha3_256\0",
        _ => return None,
    };
    Some(PlainHash(nettle()?.hash(symbol, digest(function)?.0)?))
}

/// HMAC over Nettle's description of a hash function.
pub(super) fn keyed(function: Keyed) -> Option<impl MacFunction> {
    let symbol: &[u8] = match function {
        Keyed::HmacSha1 => b"nettle_sha1\0",
        Keyed::HmacSha256 => b"nettle_sha256\0",
        Keyed::HmacSha384 => b"nettle_sha384\0",
        Keyed::HmacSha512 => b"nettle_sha512\0",
        Keyed::HmacSha3_256 => b"nettle_sha3_256\0",
        _ => return None,
    };
    let nettle = nettle()?;
    let hash = nettle.hash(symbol, function.output())?;
    Keying::new(function, move |key: &[u8]| Ok(PlainKey(HmacKey::new(nettle, hash, key))))
}
