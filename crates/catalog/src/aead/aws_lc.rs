//! AES in GCM by AWS-LC, whose crate offers no CCM.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};

use super::{Mode, keyed, usual};
use crate::adapt::failed;

/// AES with keys of so many bytes; nothing for CCM.
pub(super) fn aes(mode: Mode, key_len: usize) -> Option<Arc<dyn Aead>> {
    let algorithm = match (mode, key_len) {
        (Mode::Gcm, 16) => &AES_128_GCM,
        (Mode::Gcm, 24) => &AES_192_GCM,
        (Mode::Gcm, 32) => &AES_256_GCM,
        _ => return None,
    };
    Some(keyed(key_len, move |key| {
        let key = UnboundKey::new(algorithm, key).map_err(|_| failed("preparing a key"))?;
        Ok(Key(LessSafeKey::new(key)))
    }))
}

struct Key(LessSafeKey);

impl AeadKey for Key {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let nonce = Nonce::assume_unique_for_key(*usual(nonce, tag)?);
        let whole = self
            .0
            .seal_in_place_separate_tag(nonce, Aad::from(associated), message)
            .map_err(|_| failed("sealing"))?;
        tag.copy_from_slice(whole.as_ref());
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let nonce = Nonce::assume_unique_for_key(*usual(nonce, tag)?);
        let opened = self.0.open_in_place_separate_tag(nonce, Aad::from(associated), tag, message);
        opened.map(|_| ()).map_err(|_| Error::InvalidTag)
    }
}
