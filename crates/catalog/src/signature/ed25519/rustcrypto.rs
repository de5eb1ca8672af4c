//! Ed25519 by `ed25519-dalek`.

use ed25519_dalek::{Signer as _, Verifier as _};
use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::drbg::with_system;

use super::super::{exactly, put};

pub(super) struct Ed25519;

impl Signature for Ed25519 {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        random(&mut *seed);
        let key = ed25519_dalek::SigningKey::from_bytes(&seed);
        Ok(KeyPair { secret: seed.to_vec(), public: key.verifying_key().to_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; 32] = exactly(super::SEED, secret)?;
        let key = ed25519_dalek::SigningKey::from_bytes(seed);
        Ok(prepared::deterministic(key.verifying_key().to_bytes().to_vec(), move |message, signature| {
            put(signature, &key.sign(message).to_bytes());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; 32] = exactly(super::PUBLIC_KEY, public)?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(public)
            .map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| {
            let signature = ed25519_dalek::Signature::from_slice(signature);
            signature.is_ok_and(|signature| key.verify(message, &signature).is_ok())
        }))
    }
}
