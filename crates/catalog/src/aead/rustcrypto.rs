//! GCM and CCM of the RustCrypto project over its block ciphers.

use std::sync::Arc;

use aead::array::Array;
use aead::{AeadInOut, KeyInit};
use cipher::consts::{U12, U16};
use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};

use super::{keyed, usual};

/// A cipher by its type, which may be over any block cipher.
pub(super) fn aead<A>() -> Arc<dyn Aead>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + Send + Sync + 'static,
{
    keyed(A::key_size(), |key| {
        A::new_from_slice(key).map(Key).map_err(|_| Error::MalformedKey("a key of another length".to_owned()))
    })
}

struct Key<A>(A);

impl<A: AeadInOut<NonceSize = U12, TagSize = U16> + Send + Sync> AeadKey for Key<A> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let whole = self
            .0
            .encrypt_inout_detached(&Array(*nonce), associated, message.into())
            .map_err(|_| Error::Library("RustCrypto gave no reason".to_owned()))?;
        tag.copy_from_slice(&whole);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let tag = Array::try_from(tag).map_err(|_| Error::InvalidTag)?;
        self.0
            .decrypt_inout_detached(&Array(*nonce), associated, message.into(), &tag)
            .map_err(|_| Error::InvalidTag)
    }
}
