//! MAYO by `fieldtest-mayo`, which keeps its keys expanded. `pq-mayo` 0.6.0 has three sets of round 2 and
//! none of round 3, and its expanded keys verify several times slower.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fieldtest_mayo::{ParameterSet, PublicKey};
use zeroize::Zeroizing;

use super::super::prepared::hedged;
use crate::drbg::with_system;

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
        let (public, key) = (key.public_key().as_bytes().to_vec(), key.prepare());
        Ok(hedged(public, move |random, message, signature| {
            let mut randomizer = vec![0; key.set().randomizer_len()];
            random(&mut randomizer);
            signature.resize(key.set().signature_len(), 0);
            let signed = key.sign_into(message, &randomizer, signature);
            signed.map_err(|error| Error::Library(error.to_string()))
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = PublicKey::new(self.0, public).map_err(malformed)?.prepare();
        Ok(verifying(move |message, signature| key.verify(message, signature).is_ok()))
    }
}

fn malformed(error: fieldtest_mayo::InvalidKey) -> Error {
    Error::MalformedKey(error.to_string())
}
