//! The host's Crypto++, which is a library of C++: `lab/cryptopp.sh` builds a shared object with functions of C over it, and the
//! variable `FIELDTEST_LIBCRYPTOPP` names that.

mod ffi;

use std::ffi::CStr;
use std::sync::{Arc, LazyLock};

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use super::keyed::BlockCipher;
use super::library::Wanted;
use super::pooled::{Direction, Maker, PooledCipher};
use super::pooled_aead;
use crate::aead;
use crate::cipher::Mode;
use ffi::{Cryptopp, Key};

/// As an implementation.
pub(super) const NAME: &str = "cryptopp-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "Crypto++ (lab/cryptopp.sh builds it)",
    variable: "FIELDTEST_LIBCRYPTOPP",
    files: &["libfieldtest-cryptopp.so"],
};

static CRYPTOPP: LazyLock<Result<Cryptopp, String>> = LazyLock::new(|| WANTED.load(Cryptopp::of));

fn cryptopp() -> Option<&'static Cryptopp> {
    CRYPTOPP.as_ref().ok()
}

/// The version, `8.7`, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    CRYPTOPP.as_ref().map(Cryptopp::version).map_err(String::as_str)
}

pub(super) fn cipher(wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let mode = match wanted.mode {
        Mode::Ecb => c"ecb",
        Mode::Cbc => c"cbc",
        Mode::Ctr => c"ctr",
        Mode::Xts => c"xts",
    };
    let (cryptopp, block) = (cryptopp()?, block(wanted.block)?);
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let key = Zeroizing::new(key.to_vec());
        Ok(Box::new(move || Key::new(cryptopp, block, mode, direction, &key)) as Maker<Key>)
    })
}

/// A block cipher in GCM.
pub(super) fn aead(name: &str, bits: usize, mode: aead::Mode) -> Option<Arc<dyn Aead>> {
    let mode = match mode {
        aead::Mode::Gcm => c"gcm",
        // Its CCM, called so, does not open one of Wycheproof's messages for ARIA.
        aead::Mode::Ccm => return None,
    };
    let (cryptopp, block) = (cryptopp()?, block(name)?);
    // A key has both directions.
    pooled_aead::aead(bits / 8, move |key| Key::new(cryptopp, block, mode, Direction::Encryption, key))
}

fn block(name: &str) -> Option<&'static CStr> {
    Some(match name {
        "aes" => c"aes",
        "aria" => c"aria",
        "lea" => c"lea",
        _ => return None,
    })
}
