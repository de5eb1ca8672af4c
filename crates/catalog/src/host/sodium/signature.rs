//! Ed25519 by the host's libsodium, which keeps keys as bytes and prepares nothing.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::adapt::{exactly, put, random};
use crate::signature::ed25519::{PUBLIC_KEY, SEED};

use super::ffi::Sodium;

pub(super) struct Ed25519(pub(super) &'static Sodium);

impl Signature for Ed25519 {
    fn generate(&self) -> Result<KeyPair, Error> {
        let seed = random::<32>()?;
        let (public, _) = self.0.ed25519_pair(&seed);
        Ok(KeyPair { secret: seed.to_vec(), public: public.to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let (public, secret) = self.0.ed25519_pair(exactly(SEED, secret)?);
        Ok(Box::new(Signing { sodium: self.0, public, secret }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public = *exactly(PUBLIC_KEY, public)?;
        Ok(Box::new(Verifying { sodium: self.0, public }))
    }
}

struct Signing {
    sodium: &'static Sodium,
    public: [u8; 32],
    /// The seed, then the public key.
    secret: Zeroizing<[u8; 64]>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        put(signature, &self.sodium.ed25519_sign(&self.secret, message)?);
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }
}

struct Verifying {
    sodium: &'static Sodium,
    public: [u8; 32],
}

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let signature: &[u8; 64] = signature.try_into().map_err(|_| Error::InvalidSignature)?;
        if self.sodium.ed25519_verify(&self.public, message, signature) {
            return Ok(());
        }
        Err(Error::InvalidSignature)
    }
}
