//! Ciphers that authenticate by libraries whose contexts do one message at a time.

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};

use crate::aead::{Keyed, usual};

use super::pooled::{Direction, Maker, OneWay};

/// A context that has its key and its direction, for nonces of 12 bytes and tags of 16.
pub(super) trait AeadWorker: Send + 'static {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Error>;

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Error>;
}

/// An algorithm by what makes contexts with a key of so many bytes. Nothing, if it makes none.
pub(super) fn aead<W: AeadWorker>(
    key_len: usize,
    make: impl Fn(&[u8], Direction) -> Maker<W> + Send + Sync + 'static,
) -> Option<Arc<dyn Aead>> {
    let prepare = move |key: &[u8]| {
        let one_way = |direction| OneWay::begun(make(key, direction));
        Ok(Key { sealing: one_way(Direction::Encryption)?, opening: one_way(Direction::Decryption)? })
    };
    let _: Key<W> = prepare(&vec![1; key_len]).ok()?;
    Some(Arc::new(Keyed { key_len, prepare }))
}

struct Key<W> {
    sealing: OneWay<W>,
    opening: OneWay<W>,
}

impl<W: AeadWorker> AeadKey for Key<W> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let tag = tag.try_into().map_err(|_| Error::InvalidTag)?;
        self.sealing.with(|worker| worker.seal(nonce, associated, message, tag))
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        let tag = tag.try_into().map_err(|_| Error::InvalidTag)?;
        self.opening.with(|worker| worker.unseal(nonce, associated, message, tag))
    }
}
