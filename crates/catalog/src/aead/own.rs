//! This project's own GCM and CCM over its own block ciphers.

use std::sync::Arc;

use fieldtest_block::BlockCipher16;
use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};
use fieldtest_modes::{AeadMode, Ccm, Error as ModeError, Gcm};

use super::{Mode, keyed};

/// The block cipher `C`, whose keys have so many bytes, in a mode.
pub(super) fn aead<C: BlockCipher16 + Send + Sync + 'static>(mode: Mode, key_len: usize) -> Arc<dyn Aead> {
    match mode {
        Mode::Gcm => keyed(key_len, |key| Gcm::<C>::new(key).map(Key).map_err(failed)),
        Mode::Ccm => keyed(key_len, |key| Ccm::<C>::new(key).map(Key).map_err(failed)),
    }
}

struct Key<M>(M);

impl<M: AeadMode + Send + Sync> AeadKey for Key<M> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.0.seal(nonce, associated, message, tag).map_err(failed)
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.0.open(nonce, associated, message, tag).map_err(failed)
    }
}

#[cold]
fn failed(error: ModeError) -> Error {
    match error {
        ModeError::WrongTag => Error::InvalidTag,
        ModeError::NonceLength { .. } => Error::Unsupported("nonces of that length"),
        ModeError::TagLength { .. } => Error::Unsupported("tags of that length"),
        ModeError::KeyLength { .. } => Error::MalformedKey(error.to_string()),
        _ => Error::Library(error.to_string()),
    }
}
