//! Ciphers that authenticate (AEAD): their own facts, and the adapters over block ciphers in GCM and CCM.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod facts;
mod kats;
mod own;
mod rustcrypto;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};

pub use facts::AeadFacts;

use crate::cipher::check_key;

crate::declare::kind! {
    Aead by Aead, AeadFacts, "aead", "Ciphers that authenticate",
    /// Every cipher that authenticates, by status.
    [families]
}

type Prove = crate::join::Prove<crate::kind::Aead>;

/// The modes that make one of a block cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// SP 800-38D.
    Gcm,
    /// SP 800-38C.
    Ccm,
}

impl Mode {
    /// By the end of the catalog's names.
    pub(crate) fn named(word: &str) -> Option<Mode> {
        match word {
            "gcm" => Some(Mode::Gcm),
            "ccm" => Some(Mode::Ccm),
            _ => None,
        }
    }
}

/// The implementation of [`Aead`] by a function that prepares a key.
pub(crate) struct Keyed<P> {
    pub(crate) key_len: usize,
    pub(crate) prepare: P,
}

impl<K: AeadKey + 'static, P: Fn(&[u8]) -> Result<K, Error> + Send + Sync> Aead for Keyed<P> {
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn AeadKey>, Error> {
        check_key(self.key_len, key)?;
        Ok(Box::new((self.prepare)(key)?))
    }
}

/// A function that prepares keys, as code of the catalog.
fn keyed<K: AeadKey + 'static>(
    key_len: usize,
    prepare: impl Fn(&[u8]) -> Result<K, Error> + Send + Sync + 'static,
) -> Arc<dyn Aead> {
    Arc::new(Keyed { key_len, prepare })
}

/// Nonces of 12 bytes, which is what libraries are asked for here.
const NONCE: usize = 12;

/// Tags of 16 bytes.
const TAG: usize = 16;

/// A nonce and a tag of the lengths that libraries are asked for.
///
/// # Errors
/// [`Error::Unsupported`] for all others.
pub(crate) fn usual<'a>(nonce: &'a [u8], tag: &[u8]) -> Result<&'a [u8; NONCE], Error> {
    if tag.len() != TAG {
        return Err(Error::Unsupported("tags of other than 16 bytes"));
    }
    nonce.try_into().map_err(|_| Error::Unsupported("nonces of other than 12 bytes"))
}
