//! AES of AWS-LC in the modes without authentication: ECB, CBC and CTR as its crate offers them, and XTS.

mod xts;

use std::sync::Arc;

use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, Algorithm, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext,
    UnboundCipherKey,
};
use aws_lc_rs::error::Unspecified;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use super::Mode;
use super::sectors::{Keyed, OneByOne, SectorKey, Sizes};

/// AES with keys of so many bytes in a mode, as far as there is such.
pub(super) fn aes(mode: Mode, key_len: usize) -> Option<Arc<dyn Cipher>> {
    let prepare = match mode {
        Mode::Xts => return xts::aes(key_len),
        Mode::Ecb => |key: &[u8]| prepared(Mode::Ecb, key, EncryptingKey::ecb, DecryptingKey::ecb),
        Mode::Cbc => |key: &[u8]| prepared(Mode::Cbc, key, EncryptingKey::cbc, DecryptingKey::cbc),
        Mode::Ctr => |key: &[u8]| prepared(Mode::Ctr, key, EncryptingKey::ctr, DecryptingKey::ctr),
    };
    Some(Arc::new(Keyed { key_len, prepare }))
}

fn prepared(
    mode: Mode,
    key: &[u8],
    encrypting: fn(UnboundCipherKey) -> Result<EncryptingKey, Unspecified>,
    decrypting: fn(UnboundCipherKey) -> Result<DecryptingKey, Unspecified>,
) -> Result<OneByOne<Prepared>, Error> {
    let algorithm: &Algorithm = match key.len() {
        16 => &AES_128,
        24 => &AES_192,
        _ => &AES_256,
    };
    let unbound = || UnboundCipherKey::new(algorithm, key);
    let encrypting = unbound().and_then(encrypting).map_err(failed)?;
    let decrypting = unbound().and_then(decrypting).map_err(failed)?;
    Ok(OneByOne(Prepared { mode, encrypting, decrypting }))
}

struct Prepared {
    mode: Mode,
    encrypting: EncryptingKey,
    decrypting: DecryptingKey,
}

impl SectorKey for Prepared {
    fn sizes(&self) -> Sizes {
        self.mode.sizes()
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        let context = match self.mode {
            Mode::Ecb => EncryptionContext::None,
            _ => EncryptionContext::Iv128(tweak.into()),
        };
        self.encrypting.less_safe_encrypt(sector, context).map(|_| ()).map_err(failed)
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        let context = match self.mode {
            Mode::Ecb => DecryptionContext::None,
            _ => DecryptionContext::Iv128(tweak.into()),
        };
        self.decrypting.decrypt(sector, context).map(|_| ()).map_err(failed)
    }
}

fn failed(_: Unspecified) -> Error {
    Error::Library("AWS-LC gave no reason".to_owned())
}
