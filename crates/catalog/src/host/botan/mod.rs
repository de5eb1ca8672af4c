//! The host's Botan by its C interface: release lines 2 and 3.
//!
//! Serpent alone, which it decrypts in sectors of 512 bytes in half of libgcrypt's time. Of the rest
//! nothing was first in a row of a full study; the nearest was ARIA-192-CMAC, 0.94 to 0.98 of the best
//! (November 2026, two cores, other load).

mod ffi;

use std::sync::LazyLock;

use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use crate::cipher::Mode;

use super::keyed::BlockCipher;
use super::library::Wanted;
use super::pooled::{Direction, Maker, PooledCipher};
use ffi::{Botan, CipherObject};

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

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    if (wanted.block, wanted.mode) != ("serpent", Mode::Xts) {
        return None;
    }
    let botan = botan()?;
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let key = Zeroizing::new(key.to_vec());
        let make = move || CipherObject::new(botan, c"Serpent/XTS", direction, &key);
        Ok(Box::new(make) as Maker<CipherObject>)
    })
}
