//! Ciphers of storage by the host's OpenSSL.
//!
//! The method is fetched once, and the key is set once per direction. Each call borrows a context with the key, and
//! sets nothing but the initialisation vector for each sector.

use std::ffi::CString;

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use crate::host::keyed::BlockCipher;
use crate::host::pooled::{Direction, Maker, PooledCipher, SectorWorker};

use super::ffi::{CipherContext, CipherMethod, Libcrypto};

/// OpenSSL calls a block cipher in a mode as the catalog does, but in capitals. Nothing, if this one does not offer it.
pub(super) fn cipher(libcrypto: &'static Libcrypto, wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let name = format!("{}-{}-{:?}", wanted.block, wanted.bits, wanted.mode).to_ascii_uppercase();
    let method = CipherMethod::named(libcrypto, &CString::new(name).ok()?).ok()?;
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let keyed = method.context(key, direction)?;
        Ok(Box::new(move || keyed.copy()) as Maker<CipherContext>)
    })
}

impl SectorWorker for CipherContext {
    const MOST: usize = 1 << 30;

    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error> {
        if let Some(tweak) = tweak {
            self.restart(tweak)?;
        }
        self.update(sector)
    }
}
