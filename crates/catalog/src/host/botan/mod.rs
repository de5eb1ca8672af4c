//! The host's Botan by its C interface: release lines 2 and 3.

mod ffi;

use std::ffi::CString;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use crate::aead;
use crate::cipher::Mode;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::{Function as MacFunction, check_length};

use super::keyed::{BlockCipher, Keyed, digest_len};
use super::library::Wanted;
use super::pooled::{Direction, Maker, Pooled, PooledCipher};
use super::pooled_aead;
use ffi::{AeadObjects, Botan, CipherObject, HashObject, MacObject};

/// As an implementation.
pub(super) const NAME: &str = "botan-host";

/// Each minor release of line 3 has a file name of its own: these are of 3.0 to 3.11.
const WANTED: Wanted = Wanted {
    name: NAME,
    title: "Botan",
    variable: "FIELDTEST_LIBBOTAN",
    files: &[
        "libbotan-3.so",
        "libbotan-3.so.11",
        "libbotan-3.so.10",
        "libbotan-3.so.9",
        "libbotan-3.so.8",
        "libbotan-3.so.7",
        "libbotan-3.so.6",
        "libbotan-3.so.5",
        "libbotan-3.so.4",
        "libbotan-3.so.3",
        "libbotan-3.so.2",
        "libbotan-3.so.1",
        "libbotan-3.so.0",
        "libbotan-2.so.19",
    ],
};

static BOTAN: LazyLock<Result<Botan, String>> = LazyLock::new(|| WANTED.load(Botan::of));

fn botan() -> Option<&'static Botan> {
    BOTAN.as_ref().ok()
}

/// The version, `2.19.3`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    BOTAN.as_ref().map(Botan::version).map_err(String::as_str)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let name = match function {
        "sha-1" => c"SHA-1",
        "sha-256" => c"SHA-256",
        "sha-512-256" => c"SHA-512-256",
        "sha3-256" => c"SHA-3(256)",
        "shake128-256" => c"SHAKE-128(256)",
        "blake2b-256" => c"BLAKE2b(256)",
        _ => return None,
    };
    let (botan, output) = (botan()?, digest_len(function)?);
    Pooled::new(output, move || HashObject::new(botan, name, output)).ok()
}

/// A keyed function by Botan's name for it.
#[derive(Clone, Copy)]
pub(crate) struct Keying {
    botan: &'static Botan,
    function: Keyed,
    name: &'static std::ffi::CStr,
}

pub(super) fn keyed(function: Keyed) -> Option<Keying> {
    let name = match function {
        Keyed::HmacSha1 => c"HMAC(SHA-1)",
        Keyed::HmacSha256 => c"HMAC(SHA-256)",
        Keyed::HmacSha384 => c"HMAC(SHA-384)",
        Keyed::HmacSha512 => c"HMAC(SHA-512)",
        Keyed::HmacSha3_256 => c"HMAC(SHA-3(256))",
        Keyed::CmacAes128 => c"CMAC(AES-128)",
        Keyed::CmacAes192 => c"CMAC(AES-192)",
        Keyed::CmacAes256 => c"CMAC(AES-256)",
        Keyed::CmacAria128 => c"CMAC(ARIA-128)",
        Keyed::CmacAria192 => c"CMAC(ARIA-192)",
        Keyed::CmacAria256 => c"CMAC(ARIA-256)",
        // Keyed BLAKE2b came with 3; its SipHash has 8 bytes of output, and nonces cannot be set in 2.
        _ => return None,
    };
    let keying = Keying { botan: botan()?, function, name };
    keying.key(&[1; 32][..(*function.keys().end()).min(32)]).ok()?;
    Some(keying)
}

impl MacFunction for Keying {
    type Key = Pooled<Opener, MacObject>;

    fn longest_tag(&self) -> usize {
        self.function.output()
    }

    fn key(&self, key: &[u8]) -> Result<Self::Key, Error> {
        check_length(&self.function.keys(), key)?;
        let Keying { botan, name, function } = *self;
        let key = Zeroizing::new(key.to_vec());
        let open: Opener = Box::new(move || MacObject::new(botan, name, function.output(), &key));
        Pooled::new(function.output(), open)
    }
}

/// What makes an object with the key.
pub(crate) type Opener = Box<dyn Fn() -> Result<MacObject, Error> + Send + Sync>;

/// ECB its modes do not have, but its block ciphers by themselves.
pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let block = block(wanted.block, wanted.bits)?;
    let name = match wanted.mode {
        Mode::Xts => format!("{block}/XTS"),
        Mode::Cbc => format!("{block}/CBC/NoPadding"),
        Mode::Ctr => format!("CTR-BE({block})"),
        Mode::Ecb => return None,
    };
    let (botan, name) = (botan()?, CString::new(name).ok()?);
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let (name, key) = (name.clone(), Zeroizing::new(key.to_vec()));
        let make = move || CipherObject::new(botan, &name, direction, &key);
        Ok(Box::new(make) as Maker<CipherObject>)
    })
}

/// A block cipher in GCM or CCM, whose 3 bytes of the message's length leave 12 for the nonce.
pub(super) fn aead(block: &str, bits: usize, mode: aead::Mode) -> Option<Arc<dyn Aead>> {
    let mode = match mode {
        aead::Mode::Gcm => "GCM",
        aead::Mode::Ccm => "CCM(16,3)",
    };
    let (botan, name) = (botan()?, CString::new(format!("{}/{mode}", self::block(block, bits)?)).ok()?);
    pooled_aead::aead(bits / 8, move |key| AeadObjects::new(botan, &name, key))
}

/// Botan's name of a block cipher.
fn block(block: &str, bits: usize) -> Option<String> {
    match (block, bits) {
        ("aes", bits) => Some(format!("AES-{bits}")),
        ("aria", bits) => Some(format!("ARIA-{bits}")),
        ("camellia", bits) => Some(format!("Camellia-{bits}")),
        ("serpent", 256) => Some("Serpent".to_owned()),
        _ => None,
    }
}
