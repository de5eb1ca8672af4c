//! Ciphers that authenticate by libraries whose contexts do one message at a time, in either direction.

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};
use zeroize::Zeroizing;

use crate::aead::{Keyed, usual};
use crate::pool::Pool;

/// A context that has its key, for nonces of 12 bytes and tags of 16.
pub(super) trait AeadWorker: Send + 'static {
    /// Encrypts in place.
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error>;

    /// Decrypts in place.
    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error>;
}

/// An algorithm by what makes contexts with a key of so many bytes. Nothing, if it makes none.
pub(super) fn aead<W: AeadWorker>(
    key_len: usize,
    make: impl Fn(&[u8]) -> Result<W, Error> + Send + Sync + 'static,
) -> Option<Arc<dyn Aead>> {
    make(&vec![1; key_len]).ok()?;
    let make = Arc::new(make);
    Some(Arc::new(Keyed {
        key_len,
        prepare: move |key: &[u8]| {
            let (make, bytes) = (Arc::clone(&make), Zeroizing::new(key.to_vec()));
            let key = Key { make: Box::new(move || make(&bytes)), idle: Pool::default() };
            key.idle.put((key.make)()?);
            Ok(key)
        },
    }))
}

struct Key<W> {
    make: super::pooled::Maker<W>,
    idle: Pool<W>,
}

impl<W: AeadWorker> AeadKey for Key<W> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        self.idle.with(&self.make, |worker| worker.seal(nonce, associated, message, tag))
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let nonce = usual(nonce, tag)?;
        self.idle.with(&self.make, |worker| worker.unseal(nonce, associated, message, tag))
    }
}
