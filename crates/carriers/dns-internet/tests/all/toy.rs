//! A fast stand-in for Ed25519: keys and signatures are as long, and a change of either is detected. It is no signature,
//! as its public key is its secret.

use std::sync::atomic::{AtomicU64, Ordering};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256, Sha512};

pub(crate) struct Toy;

struct Key(Vec<u8>);

impl Signature for Toy {
    fn generate(&self) -> Result<KeyPair, Error> {
        static COUNTER: AtomicU64 = AtomicU64::new(1);
        let secret = Sha256::digest(COUNTER.fetch_add(1, Ordering::Relaxed).to_be_bytes()).to_vec();
        Ok(KeyPair { public: secret.clone(), secret })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        Ok(Box::new(Key(secret.to_vec())))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(Key(public.to_vec())))
    }
}

impl SigningKey for Key {
    fn public_key(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        *signature = Sha512::new().chain_update(&self.0).chain_update(message).finalize().to_vec();
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }
}

impl VerifyingKey for Key {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let mut right = Vec::new();
        self.sign(message, &mut right)?;
        if right == signature { Ok(()) } else { Err(Error::InvalidSignature) }
    }
}
