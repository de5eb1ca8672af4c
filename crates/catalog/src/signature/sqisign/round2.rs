//! Round 2 (version 2.0): 65-byte public keys, 148-byte signatures.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use sqisign_round2::{Level1, PublicKey, Verifier as _};
use zeroize::Zeroizing;

use super::super::{exactly, put};
use super::signing;
use crate::drbg::{Given, with_system};

const PUBLIC_KEY: usize = 65;
const SECRET_KEY: usize = 353;

/// SQIsign-I of round 2.
pub(super) struct Sqisign;

impl Signature for Sqisign {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (public, secret) = sqisign_round2::generate::<Level1>(&mut Given(random));
        // The library writes the public key behind the secret, the submission before it.
        let mut secret = secret.to_bytes().map_err(|e| Error::Library(e.to_string()))?;
        secret.rotate_right(PUBLIC_KEY);
        Ok(KeyPair { secret, public: public.to_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let mut secret: Zeroizing<[u8; SECRET_KEY]> =
            Zeroizing::new(*exactly("an SQIsign-I (round 2) secret key", secret)?);
        secret.rotate_left(PUBLIC_KEY);
        let key = sqisign_round2::SigningKey::<Level1>::from_bytes(&secret[..]).map_err(malformed)?;
        Ok(signing(key.public_key().to_bytes().to_vec(), move |random, message, signature| {
            let signed = key.sign(message, &mut Given(random)).map_err(|e| Error::Library(e.to_string()))?;
            put(signature, &signed.to_bytes());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUBLIC_KEY] = exactly("an SQIsign-I (round 2) public key", public)?;
        let key = PublicKey::<Level1>::from_bytes(public).map_err(malformed)?;
        Ok(verifying(move |message, signature| {
            let signature = sqisign_round2::Signature::<Level1>::from_bytes(signature);
            signature.is_ok_and(|signature| key.verify(message, &signature).is_ok())
        }))
    }
}

fn malformed(error: sqisign_round2::Error) -> Error {
    Error::MalformedKey(error.to_string())
}
