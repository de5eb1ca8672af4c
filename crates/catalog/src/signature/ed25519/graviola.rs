use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};

use super::super::{exactly, put};

pub(super) struct Ed25519;

impl Signature for Ed25519 {
    fn generate(&self) -> Result<KeyPair, Error> {
        let key = Ed25519SigningKey::generate().map_err(|e| Error::Library(e.to_string()))?;
        Ok(KeyPair { secret: key.as_seed().to_vec(), public: key.public_key().as_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; 32] = exactly(super::SEED, secret)?;
        let key = Ed25519SigningKey::from_bytes(seed).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::deterministic(key.public_key().as_bytes().to_vec(), move |message, signature| {
            put(signature, &key.sign(message));
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; 32] = exactly(super::PUBLIC_KEY, public)?;
        let key = Ed25519VerifyingKey::from_bytes(public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| key.verify(signature, message).is_ok()))
    }
}
