//! The host's libsodium: release line 1.0.

mod ffi;
mod signature;

use std::sync::LazyLock;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use fieldtest_kinds::signature::Signature;

use crate::hash::Function as HashFunction;
use crate::mac::keyed::{Function as MacFunction, check_length, write};

use super::keyed::Keyed;
use super::library::Wanted;
use super::openssl::Scheme;
use super::plain::{PlainHash, PlainKey};
use ffi::{HashCode, KeyedState, Sodium, Stateful};

/// As an implementation.
pub(super) const NAME: &str = "libsodium-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "libsodium",
    variable: "FIELDTEST_LIBSODIUM",
    files: &["libsodium.so.23", "libsodium.so.26", "libsodium.23.dylib", "libsodium.26.dylib"],
};

static SODIUM: LazyLock<Result<Sodium, String>> = LazyLock::new(|| WANTED.load(Sodium::of));

fn sodium() -> Option<&'static Sodium> {
    SODIUM.as_ref().ok()
}

/// The version, `1.0.18`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    SODIUM.as_ref().map(Sodium::version).map_err(String::as_str)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let sodium = sodium()?;
    match function {
        "sha-256" => Some(PlainHash(HashCode::Sha256(sodium))),
        "blake2b-256" => Some(PlainHash(HashCode::Blake2b256(sodium))),
        _ => None,
    }
}

/// A keyed function.
#[derive(Clone, Copy)]
pub(crate) struct Keying {
    sodium: &'static Sodium,
    function: Keyed,
}

pub(super) fn keyed(function: Keyed) -> Option<Keying> {
    let sodium = sodium()?;
    let has = matches!(function, Keyed::SipHash) || Stateful::of(function).is_some();
    has.then_some(Keying { sodium, function })
}

impl MacFunction for Keying {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        self.function.output()
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        check_length(&self.function.keys(), key)?;
        if let Some(function) = Stateful::of(self.function) {
            return Ok(Key::Stateful(PlainKey(KeyedState::new(self.sodium, function, key))));
        }
        Ok(Key::SipHash(self.sodium, crate::mac::keyed::exactly(key).copied()?.into()))
    }
}

/// A key of any of them.
// A key is boxed as a whole, and another box within would be another way to go for every message.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Key {
    /// The state behind the key.
    Stateful(PlainKey<KeyedState>),
    /// Its words are the state.
    SipHash(&'static Sodium, zeroize::Zeroizing<[u8; 16]>),
}

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        match self {
            Key::Stateful(key) => key.tag(message, tag),
            Key::SipHash(sodium, key) => write(&sodium.siphash(key, message), tag),
        }
    }
}

pub(super) fn signature(scheme: Scheme) -> Option<impl Signature> {
    (scheme == Scheme::Ed25519).then_some(signature::Ed25519(sodium()?))
}
