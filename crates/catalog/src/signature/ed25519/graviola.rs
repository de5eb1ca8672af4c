//! Ed25519 by Graviola.

use fieldtest_kinds::Error;
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
        Ok(Box::new(Signing(key)))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; 32] = exactly(super::PUBLIC_KEY, public)?;
        let key = Ed25519VerifyingKey::from_bytes(public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(Box::new(Verifying(key)))
    }
}

struct Signing(Ed25519SigningKey);

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.0.public_key().as_bytes().to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        put(signature, &self.0.sign(message));
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }
}

struct Verifying(Ed25519VerifyingKey);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify(signature, message).map_err(|_| Error::InvalidSignature)
    }
}
