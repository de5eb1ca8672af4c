//! Ciphers that authenticate by the host's OpenSSL. The key is set once per direction, and each message sets its nonce.

use std::ffi::CString;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};
use zeroize::Zeroizing;

use super::ffi::{AeadContext, CipherMethod, Libcrypto};
use crate::aead::{Keyed, Mode, usual};
use crate::host::pooled::Direction;
use crate::pool::Pool;

/// OpenSSL calls a block cipher in a mode as the catalog does, but in capitals. Nothing, if this one does not offer it.
pub(super) fn aead(libcrypto: &'static Libcrypto, name: &str) -> Option<impl Aead + use<>> {
    let mode = if name.ends_with("-ccm") { Mode::Ccm } else { Mode::Gcm };
    let bits: usize = name.split('-').nth(1)?.parse().ok()?;
    let method =
        Arc::new(CipherMethod::named(libcrypto, &CString::new(name.to_ascii_uppercase()).ok()?).ok()?);
    let prepare = move |key: &[u8]| {
        let key = Key {
            method: Arc::clone(&method),
            mode,
            key: Zeroizing::new(key.to_vec()),
            sealing: Pool::default(),
            opening: Pool::default(),
        };
        key.sealing.put(key.context(Direction::Encryption)?);
        key.opening.put(key.context(Direction::Decryption)?);
        Ok(key)
    };
    Some(Keyed { key_len: bits / 8, prepare })
}

struct Key {
    method: Arc<CipherMethod>,
    mode: Mode,
    key: Zeroizing<Vec<u8>>,
    sealing: Pool<AeadContext>,
    opening: Pool<AeadContext>,
}

impl Key {
    fn context(&self, direction: Direction) -> Result<AeadContext, Error> {
        AeadContext::new(&self.method, self.mode, &self.key, direction)
    }
}

impl AeadKey for Key {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let mut whole = [0; 16];
        self.sealing.with(
            || self.context(Direction::Encryption),
            |context| context.seal(nonce, associated, message, &mut whole),
        )?;
        tag.copy_from_slice(&whole);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let tag = tag.try_into().map_err(|_| Error::InvalidTag)?;
        self.opening.with(
            || self.context(Direction::Decryption),
            |context| context.open(nonce, associated, message, tag),
        )
    }
}
