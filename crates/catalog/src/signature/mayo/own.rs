//! MAYO by `fieldtest-mayo`, which keeps its keys expanded.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fieldtest_mayo::{ParameterSet, PreparedPublicKey, PreparedSigningKey, PublicKey};
use zeroize::Zeroizing;

use crate::drbg::with_system;

/// A parameter set.
pub(super) struct Mayo(pub(super) ParameterSet);

impl Signature for Mayo {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new(vec![0; self.0.secret_key_len()]);
        random(&mut seed);
        let key = fieldtest_mayo::SigningKey::new(self.0, &seed).map_err(malformed)?;
        Ok(KeyPair { public: key.public_key().as_bytes().to_vec(), secret: seed.to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = fieldtest_mayo::SigningKey::new(self.0, secret).map_err(malformed)?;
        Ok(Box::new(Signing { public: key.public_key().as_bytes().to_vec(), key: key.prepare() }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(Verifying(PublicKey::new(self.0, public).map_err(malformed)?.prepare())))
    }
}

fn malformed(error: fieldtest_mayo::InvalidKey) -> Error {
    Error::MalformedKey(error.to_string())
}

struct Signing {
    key: PreparedSigningKey,
    public: Vec<u8>,
}

impl Signing {
    fn sign_with(&self, randomizer: &[u8], message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        signature.resize(self.key.set().signature_len(), 0);
        self.key.sign_into(message, randomizer, signature).map_err(|error| Error::Library(error.to_string()))
    }
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        with_system(|random| self.sign_from(random, message, signature))
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_with(&vec![0; self.key.set().randomizer_len()], message, signature)
    }

    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut randomizer = vec![0; self.key.set().randomizer_len()];
        random(&mut randomizer);
        self.sign_with(&randomizer, message, signature)
    }
}

struct Verifying(PreparedPublicKey);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify(message, signature).map_err(|_| Error::InvalidSignature)
    }
}
