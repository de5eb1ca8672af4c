//! What the libraries of the host are asked for, by the catalog's own words.

use std::ops::RangeInclusive;

use crate::cipher::Mode;

/// A keyed function.
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
    /// Bytes of a key.
    pub(crate) fn keys(self) -> RangeInclusive<usize> {
        match self {
            Keyed::CmacAes128 | Keyed::CmacAria128 | Keyed::SipHash | Keyed::GmacAes128 => 16..=16,
            Keyed::CmacAes192 | Keyed::CmacAria192 => 24..=24,
            Keyed::CmacAes256 | Keyed::CmacAria256 | Keyed::Poly1305Aes => 32..=32,
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
            Keyed::HmacSha512 | Keyed::Blake2b => 64,
            _ => 16,
        }
    }
}

/// Bytes of a digest of the catalog's function of that name. Where it is not known here, no host is asked for it.
pub(super) fn digest_len(function: &str) -> Option<usize> {
    match function {
        "sha-1" => Some(20),
        "sha-256" | "sha-512-256" | "sha3-256" | "shake128-256" | "blake2b-256" | "blake2bp-256" => Some(32),
        _ => None,
    }
}

/// A block cipher in a mode.
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
