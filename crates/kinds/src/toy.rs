//! A toy in the place of a signature, for examples and tests of carriers.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;
use crate::prepared;
use crate::signature::{KeyPair, Signature, SigningKey, VerifyingKey};

/// Bytes of a key.
const KEY: usize = 32;

/// A keyed hash: it detects every change and protects nothing, as its public key is its secret.
#[derive(Debug, Clone, Copy)]
pub struct Toy {
    /// Hashes the parts of a message; a digest has at least 32 bytes, and is a signature.
    pub hash: fn(&[&[u8]]) -> Vec<u8>,
}

impl Signature for Toy {
    /// Makes a key pair that this process has not made before.
    fn generate(&self) -> Result<KeyPair, Error> {
        static MADE: AtomicU64 = AtomicU64::new(1);
        let digest = (self.hash)(&[&MADE.fetch_add(1, Ordering::Relaxed).to_be_bytes()]);
        let secret = digest[..KEY].to_vec();
        Ok(KeyPair { public: secret.clone(), secret })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let (key, hash) = (checked(secret)?, self.hash);
        Ok(prepared::deterministic(key.to_vec(), move |message, signature| {
            *signature = hash(&[&key, message]);
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let (key, hash) = (checked(public)?, self.hash);
        Ok(prepared::verifying(move |message, signature| signature == hash(&[&key, message])))
    }
}

fn checked(key: &[u8]) -> Result<[u8; KEY], Error> {
    key.try_into()
        .map_err(|_| Error::MalformedKey(format!("a toy's key has {KEY} bytes, and this one {}", key.len())))
}
