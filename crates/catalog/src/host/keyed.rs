//! What the libraries of the host are asked for, by the catalog's own words.

use std::ffi::CStr;
use std::ops::RangeInclusive;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use crate::cipher::Mode;
use crate::mac::keyed::{Function, check_length};
use crate::mac::kmac;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyed {
    HmacSha1,
    HmacSha256,
    HmacSha384,
    HmacSha512,
    HmacSha3_256,
    CmacAes128,
    CmacAes192,
    CmacAes256,
    CmacAria128,
    CmacAria192,
    CmacAria256,
    /// KMAC by OpenSSL's name for it, with a customization string.
    Kmac(&'static CStr, &'static [u8]),
    /// Keyed BLAKE2s with the whole digest of 32 bytes.
    Blake2s,
    /// Keyed BLAKE2b with the whole digest of 64 bytes.
    Blake2b,
    /// SipHash-2-4 with 16 bytes of output.
    SipHash,
    /// GMAC with AES-128; the message begins with the nonce of 12 bytes.
    GmacAes128,
    /// Poly1305-AES, its key the AES key and then r; the message begins with the nonce of 16 bytes.
    Poly1305Aes,
}

impl Keyed {
    /// Bytes of a key. OpenSSL's KMAC has none shorter than 4 and none longer than 512 (`man 7 EVP_MAC-KMAC`).
    fn keys(self) -> RangeInclusive<usize> {
        match self {
            Keyed::CmacAes128 | Keyed::CmacAria128 | Keyed::SipHash | Keyed::GmacAes128 => 16..=16,
            Keyed::CmacAes192 | Keyed::CmacAria192 => 24..=24,
            Keyed::CmacAes256 | Keyed::CmacAria256 | Keyed::Poly1305Aes => 32..=32,
            Keyed::Kmac(..) => 4..=512,
            Keyed::Blake2s => 1..=32,
            Keyed::Blake2b => 1..=64,
            _ => 0..=usize::MAX,
        }
    }

    /// Bytes of the whole output.
    pub(crate) fn output(self) -> usize {
        match self {
            Keyed::HmacSha1 => 20,
            Keyed::HmacSha256 | Keyed::HmacSha3_256 | Keyed::Blake2s => 32,
            Keyed::HmacSha384 => 48,
            Keyed::Kmac(..) => kmac::LONGEST_TAG,
            Keyed::HmacSha512 | Keyed::Blake2b => 64,
            _ => 16,
        }
    }
}

/// A keyed function by what prepares a key for a library.
#[derive(Clone)]
pub(super) struct Keying<P> {
    function: Keyed,
    prepare: P,
}

impl<K: MacKey, P: Fn(&[u8]) -> Result<K, Error> + Clone + Send + Sync + 'static> Keying<P> {
    /// Nothing, if the library refuses a key.
    pub(super) fn new(function: Keyed, prepare: P) -> Option<Self> {
        let keying = Keying { function, prepare };
        keying.key(&[1; 32][..(*function.keys().end()).min(32)]).ok()?;
        Some(keying)
    }
}

impl<K: MacKey, P: Fn(&[u8]) -> Result<K, Error> + Clone + Send + Sync + 'static> Function for Keying<P> {
    type Key = K;

    fn longest_tag(&self) -> usize {
        self.function.output()
    }

    fn key(&self, key: &[u8]) -> Result<K, Error> {
        check_length(&self.function.keys(), key)?;
        (self.prepare)(key)
    }
}

/// How a hash function's output is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Fixed,
    /// It has any length (SHAKE).
    Extendable,
}

/// Bytes of a digest of the catalog's function of that name. Where it is not known here, no host is asked for it.
pub(super) fn digest(function: &str) -> Option<(usize, Output)> {
    match function {
        "sha-1" => Some((20, Output::Fixed)),
        "sha-256" | "sha-512-256" | "sha3-256" | "blake2b-256" | "blake2bp-256" => Some((32, Output::Fixed)),
        "shake128-256" => Some((32, Output::Extendable)),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockCipher<'a> {
    /// `aes`, `aria`, `camellia`, …
    pub(super) block: &'a str,
    /// Bits of the block cipher's key.
    pub(super) bits: usize,
    pub(super) mode: Mode,
}

impl<'a> BlockCipher<'a> {
    /// Takes the catalog's name apart, `aes-256-xts`; nothing where it is no block cipher in a mode.
    pub(crate) fn named(name: &'a str) -> Option<Self> {
        let mut parts = name.split('-');
        let (block, bits) = (parts.next()?, parts.next()?.parse().ok()?);
        let mode = match parts.next()? {
            "xts" => Mode::Xts,
            "ecb" => Mode::Ecb,
            "cbc" => Mode::Cbc,
            "ctr" => Mode::Ctr,
            _ => return None,
        };
        parts.next().is_none().then_some(BlockCipher { block, bits, mode })
    }

    /// Bytes of a key; for XTS of both.
    pub(super) fn key_len(self) -> usize {
        self.mode.key_len(self.bits / 8)
    }
}
