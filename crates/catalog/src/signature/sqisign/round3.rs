//! Round 3 (version 3.0): 83-byte public keys, 200-byte signatures.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use sqisign::{Level1, PublicKey};

use super::super::{exactly, put};
use super::signing;
use crate::drbg::{Given, with_system};

const PUBLIC_KEY: usize = 83;
const SECRET_KEY: usize = 270;

pub(super) struct Sqisign;

impl Signature for Sqisign {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (public, secret) = sqisign::generate::<Level1>(&mut Given(random));
        Ok(KeyPair { secret: secret.to_bytes().to_vec(), public: public.to_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let secret: &[u8; SECRET_KEY] = exactly("an SQIsign-I secret key", secret)?;
        let key = sqisign::SigningKey::<Level1>::from_bytes(secret).map_err(malformed)?;
        Ok(signing(key.public_key().to_bytes().to_vec(), move |random, message, signature| {
            let signed = key.sign(message, &mut Given(random)).map_err(|e| Error::Library(e.to_string()))?;
            put(signature, &signed.to_bytes());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUBLIC_KEY] = exactly("an SQIsign-I public key", public)?;
        let key =
            PublicKey::<Level1>::from_bytes(public).and_then(|key| key.prepare()).map_err(malformed)?;
        Ok(verifying(move |message, signature| {
            sqisign_verify::verify_bytes_prepared(&key, message, signature).is_ok()
        }))
    }
}

fn malformed(error: sqisign::Error) -> Error {
    Error::MalformedKey(error.to_string())
}
