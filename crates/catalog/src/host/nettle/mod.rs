//! The host's Nettle, which GnuTLS uses: release line 3 since 3.5. Release line 4 has other functions.

mod aead;
mod ffi;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::{Cipher, CipherKey};
use fieldtest_kinds::mac::MacKey;

use crate::cipher::{Mode, OneByOne, SectorKey, Sizes, check_key, xts_halves};
use crate::hash::Function as HashFunction;
use crate::mac::keyed::{Function as MacFunction, check_length};

use super::keyed::{BlockCipher, Keyed, digest_len};
use super::library::Wanted;
use super::plain::{PlainHash, PlainKey};
use ffi::{Block, CmacKey, HashCode, HmacKey, MacCode, Nettle};

/// As an implementation.
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
    Some(PlainHash(nettle()?.hash(symbol, digest_len(function)?)?))
}

/// A keyed function over Nettle's description of what it is made of.
#[derive(Clone, Copy)]
pub(crate) enum Keying {
    Hmac(&'static Nettle, HashCode, Keyed),
    Cmac(MacCode, Keyed),
}

pub(super) fn keyed(function: Keyed) -> Option<Keying> {
    let nettle = nettle()?;
    let hmac = |symbol: &[u8]| Some(Keying::Hmac(nettle, nettle.hash(symbol, function.output())?, function));
    let cmac = |symbol: &[u8]| {
        let code = nettle.mac(symbol, *function.keys().end(), function.output())?;
        Some(Keying::Cmac(code, function))
    };
    match function {
        Keyed::HmacSha1 => hmac(b"nettle_sha1\0"),
        Keyed::HmacSha256 => hmac(b"nettle_sha256\0"),
        Keyed::HmacSha384 => hmac(b"nettle_sha384\0"),
        Keyed::HmacSha512 => hmac(b"nettle_sha512\0"),
        Keyed::HmacSha3_256 => hmac(b"nettle_sha3_256\0"),
        Keyed::CmacAes128 => cmac(b"nettle_cmac_aes128\0"),
        Keyed::CmacAes256 => cmac(b"nettle_cmac_aes256\0"),
        _ => None,
    }
}

impl MacFunction for Keying {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        let (Keying::Hmac(_, _, function) | Keying::Cmac(_, function)) = self;
        function.output()
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        match self {
            Keying::Hmac(nettle, hash, _) => Ok(Key::Hmac(PlainKey(HmacKey::new(nettle, *hash, key)))),
            Keying::Cmac(code, function) => {
                check_length(&function.keys(), key)?;
                Ok(Key::Cmac(PlainKey(CmacKey::new(*code, key))))
            }
        }
    }
}

/// A key of either function.
// A key is boxed as a whole, and another box within would be another way to go for every message.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Key {
    Hmac(PlainKey<HmacKey>),
    Cmac(PlainKey<CmacKey>),
}

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        match self {
            Key::Hmac(key) => key.tag(message, tag),
            Key::Cmac(key) => key.tag(message, tag),
        }
    }
}

/// A block cipher in a mode.
struct Moded {
    block: Block,
    mode: Mode,
    key_len: usize,
}

/// A block cipher by itself.
fn block(block: &str, bits: usize) -> Option<Block> {
    let symbol: &[u8] = match (block, bits) {
        ("aes", 128) => b"nettle_aes128\0",
        ("aes", 192) => b"nettle_aes192\0",
        ("aes", 256) => b"nettle_aes256\0",
        ("camellia", 256) => b"nettle_camellia256\0",
        ("serpent", 256) => b"nettle_serpent256\0",
        _ => return None,
    };
    nettle()?.block_cipher(symbol, bits / 8)
}

/// A block cipher in GCM or CCM.
pub(super) fn aead(block: &str, bits: usize, mode: crate::aead::Mode) -> Option<Arc<dyn Aead>> {
    aead::aead(nettle()?, block, bits, mode)
}

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let block = block(wanted.block, wanted.bits)?;
    Some(Moded { block, mode: wanted.mode, key_len: wanted.key_len() })
}

impl Cipher for Moded {
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        let (data, tweak) = if self.mode == Mode::Xts { xts_halves(key)? } else { (key, key) };
        Ok(Box::new(OneByOne(InMode { keys: self.block.keys(data, tweak), mode: self.mode })))
    }
}

struct InMode {
    keys: ffi::Keys,
    mode: Mode,
}

impl SectorKey for InMode {
    fn sizes(&self) -> Sizes {
        self.mode.sizes()
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        match self.mode {
            Mode::Xts => self.keys.encrypt_xts(tweak, sector),
            Mode::Ecb => self.keys.encrypt_ecb(sector),
            Mode::Cbc => self.keys.encrypt_cbc(*tweak, sector),
            Mode::Ctr => self.keys.crypt_ctr(*tweak, sector),
        }
        Ok(())
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        match self.mode {
            Mode::Xts => self.keys.decrypt_xts(tweak, sector),
            Mode::Ecb => self.keys.decrypt_ecb(sector),
            Mode::Cbc => self.keys.decrypt_cbc(*tweak, sector),
            Mode::Ctr => self.keys.crypt_ctr(*tweak, sector),
        }
        Ok(())
    }
}
