//! The host's NSS, Mozilla's library, which Firefox, Thunderbird and Libreswan use: release line 3.
//!
//! Its hashes, HMACs, AES-CMAC and AES, by the mechanisms of PKCS #11. XTS it does not have, and its signatures are not asked for.

mod ffi;

use std::sync::{Arc, LazyLock};

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use crate::cipher::Mode;
use crate::hash::Function as HashFunction;
use crate::mac::keyed::{Function as MacFunction, check_length};

use super::keyed::{BlockCipher, Keyed, digest_len};
use super::library::Wanted;
use super::pooled::{Direction, Maker, Pooled, PooledCipher, SectorWorker};
use ffi::{Context, Digest, Key, Mechanism, Nss, Purpose};

/// As an implementation.
pub(super) const NAME: &str = "nss-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "NSS",
    variable: "FIELDTEST_LIBNSS",
    files: &["libnss3.so", "libnss3.dylib"],
};

static NSS: LazyLock<Result<Nss, String>> = LazyLock::new(|| WANTED.load(Nss::of));

fn nss() -> Option<&'static Nss> {
    NSS.as_ref().ok()
}

/// The version, `3.87.1`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    NSS.as_ref().map(Nss::version).map_err(String::as_str)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let digest = match function {
        "sha-1" => Digest::Sha1,
        "sha-256" => Digest::Sha256,
        _ => return None,
    };
    let nss = nss()?;
    Pooled::new(digest_len(function)?, move || Context::hashing(nss, digest)).ok()
}

/// A keyed function by PKCS #11's number for it.
#[derive(Clone, Copy)]
pub(crate) struct Keying {
    nss: &'static Nss,
    function: Keyed,
    mechanism: Mechanism,
}

pub(super) fn keyed(function: Keyed) -> Option<Keying> {
    let mechanism = match function {
        Keyed::HmacSha1 => Mechanism::HmacSha1,
        Keyed::HmacSha256 => Mechanism::HmacSha256,
        Keyed::HmacSha384 => Mechanism::HmacSha384,
        Keyed::HmacSha512 => Mechanism::HmacSha512,
        Keyed::CmacAes128 | Keyed::CmacAes192 | Keyed::CmacAes256 => Mechanism::AesCmac,
        _ => return None,
    };
    let keying = Keying { nss: nss()?, function, mechanism };
    // CMAC came with 3.47.
    keying.key(&[1; 32][..(*function.keys().end()).min(32)]).ok()?;
    Some(keying)
}

impl MacFunction for Keying {
    type Key = Pooled<Opener, Context>;

    fn longest_tag(&self) -> usize {
        self.function.output()
    }

    fn key(&self, key: &[u8]) -> Result<Self::Key, Error> {
        check_length(&self.function.keys(), key)?;
        let key = Key::import(self.nss, self.mechanism, Purpose::Tags, key)?;
        let open: Opener = Box::new(move || key.plain_context());
        Pooled::new(self.function.output(), open)
    }
}

/// What opens a context with the key.
pub(crate) type Opener = Box<dyn Fn() -> Result<Context, Error> + Send + Sync>;

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let mechanism = match (wanted.block, wanted.mode) {
        ("aes", Mode::Ecb) => Mechanism::AesEcb,
        ("aes", Mode::Cbc) => Mechanism::AesCbc,
        ("aes", Mode::Ctr) => Mechanism::AesCtr,
        _ => return None,
    };
    let nss = nss()?;
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let key = Arc::new(Key::import(nss, mechanism, direction.into(), key)?);
        let make = move || Ok(Crypting { key: key.clone(), blocks: None });
        Ok(Box::new(make) as Maker<Crypting>)
    })
}

/// A key at work on one sector after the other.
struct Crypting {
    key: Arc<Key>,
    /// The context of what needs no tweak. No call sets another initialisation vector in a context, so that of other modes each
    /// sector has its own.
    blocks: Option<Context>,
}

impl SectorWorker for Crypting {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        if let Some(iv) = tweak {
            return self.key.context_from(iv)?.crypt(sector);
        }
        let context = match &mut self.blocks {
            Some(context) => context,
            none => none.insert(self.key.plain_context()?),
        };
        context.crypt(sector)
    }
}
