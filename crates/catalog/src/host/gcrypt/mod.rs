//! The host's libgcrypt, which GnuPG and cryptsetup use: release line 1 since 1.8.
//!
//! Not its signatures: 1.10.1 takes at least 16 times Graviola's time for Ed25519, 14 to 34 times that of
//! the best library for P-256, 8 to 10 times for P-384 and 2 to 47 times for RSA (Debian 12, November
//! 2026). With RSA keys whose smaller prime is second it also made one wrong signature in a hundred.

mod ffi;

use std::ffi::CStr;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use crate::aead;
use crate::cipher::Mode;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::Function as MacFunction;

use super::keyed::{BlockCipher, Keyed, Keying, digest};
use super::library::Wanted;
use super::pooled::{Direction, Maker, Pooled, PooledCipher};
use super::pooled_aead;
use ffi::{AeadHandle, CipherHandle, Libgcrypt, MacHandle, MdHandle};

pub(super) const NAME: &str = "libgcrypt-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "libgcrypt",
    variable: "FIELDTEST_LIBGCRYPT",
    files: &["libgcrypt.so.20", "libgcrypt.20.dylib"],
};

static LIBGCRYPT: LazyLock<Result<Libgcrypt, String>> = LazyLock::new(|| WANTED.load(Libgcrypt::of));

fn libgcrypt() -> Option<&'static Libgcrypt> {
    LIBGCRYPT.as_ref().ok()
}

/// The version, `1.10.1`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    LIBGCRYPT.as_ref().map(Libgcrypt::version).map_err(String::as_str)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let name = match function {
        "sha-1" => c"SHA1",
        "sha-256" => c"SHA256",
        "sha-512-256" => c"SHA512_256",
        "sha3-256" => c"SHA3-256",
        "shake128-256" => c"SHAKE128",
        "blake2b-256" => c"BLAKE2B_256",
        _ => return None,
    };
    let (length, output) = digest(function)?;
    let libgcrypt = libgcrypt()?;
    let algorithm = libgcrypt.hash_function(name)?;
    Pooled::new(length, move || MdHandle::open(libgcrypt, algorithm, output)).ok()
}

pub(super) fn keyed(function: Keyed) -> Option<impl MacFunction> {
    let (name, nonce): (&CStr, usize) = match function {
        Keyed::HmacSha1 => (c"HMAC_SHA1", 0),
        Keyed::HmacSha256 => (c"HMAC_SHA256", 0),
        Keyed::HmacSha384 => (c"HMAC_SHA384", 0),
        Keyed::HmacSha512 => (c"HMAC_SHA512", 0),
        Keyed::HmacSha3_256 => (c"HMAC_SHA3_256", 0),
        Keyed::CmacAes128 | Keyed::CmacAes192 | Keyed::CmacAes256 => (c"CMAC_AES", 0),
        Keyed::CmacAria128 | Keyed::CmacAria192 | Keyed::CmacAria256 => (c"CMAC_ARIA", 0),
        Keyed::GmacAes128 => (c"GMAC_AES", 12),
        Keyed::Poly1305Aes => (c"POLY1305_AES", 16),
        // Keyed BLAKE2 it has as a hash function with a key, which no reset keeps.
        Keyed::Blake2s | Keyed::Blake2b | Keyed::SipHash | Keyed::Kmac(..) => return None,
    };
    let libgcrypt = libgcrypt()?;
    let algorithm = libgcrypt.mac(name)?;
    Keying::new(function, move |key: &[u8]| {
        let key = Zeroizing::new(key.to_vec());
        Pooled::new(function.output(), move || MacHandle::open(libgcrypt, algorithm, nonce, &key))
    })
}

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let libgcrypt = libgcrypt()?;
    let (algorithm, mode) = (libgcrypt.block_cipher(block_cipher(wanted.block, wanted.bits)?)?, wanted.mode);
    PooledCipher::new(mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let key = Zeroizing::new(key.to_vec());
        Ok(Box::new(move || CipherHandle::open(libgcrypt, algorithm, mode, direction, &key))
            as Maker<CipherHandle>)
    })
}

pub(super) fn aead(block: &str, bits: usize, mode: aead::Mode) -> Option<Arc<dyn Aead>> {
    let libgcrypt = libgcrypt()?;
    let algorithm = libgcrypt.block_cipher(block_cipher(block, bits)?)?;
    pooled_aead::aead(bits / 8, move |key, direction| {
        let key = Zeroizing::new(key.to_vec());
        Box::new(move || AeadHandle::open(libgcrypt, algorithm, mode, direction, &key)) as Maker<AeadHandle>
    })
}

fn block_cipher(block: &str, bits: usize) -> Option<&'static CStr> {
    Some(match (block, bits) {
        ("aes", 128) => c"AES128",
        ("aes", 192) => c"AES192",
        ("aes", 256) => c"AES256",
        ("aria", 128) => c"ARIA128",
        ("aria", 192) => c"ARIA192",
        ("aria", 256) => c"ARIA256",
        ("camellia", 256) => c"CAMELLIA256",
        ("serpent", 256) => c"SERPENT256",
        _ => return None,
    })
}

/// `enum gcry_cipher_modes`.
fn number(mode: Mode) -> std::ffi::c_int {
    match mode {
        Mode::Ecb => 1,
        Mode::Cbc => 3,
        Mode::Ctr => 6,
        Mode::Xts => 13,
    }
}
