//! MAYO-1 as submitted to round 2 of NIST's additional signatures, by `pq-mayo`.
//!
//! The library's `Mayo2` is an interim parameter set that no specification contains, so it is not offered.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use pq_mayo::{ExpandedVerifyingKey, Mayo1};
use signature::Verifier as _;
use zeroize::Zeroizing;

use super::super::prepared::randomised;
use super::super::{exactly, put};
use crate::drbg::{Given, with_system};

const PUBLIC_KEY: usize = 1420;
const SECRET_KEY: usize = 24;

pub(super) struct Mayo;

impl Signature for Mayo {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SECRET_KEY]);
        random(&mut *seed);
        let pair = pq_mayo::KeyPair::<Mayo1>::from_seed(&*seed).map_err(library)?;
        Ok(KeyPair { secret: seed.to_vec(), public: pair.verifying_key().as_ref().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; SECRET_KEY] = exactly("a MAYO-1 secret key", secret)?;
        let pair = pq_mayo::KeyPair::<Mayo1>::from_seed(seed).map_err(library)?;
        let expanded = pair.signing_key().expand();
        Ok(randomised(pair.verifying_key().as_ref().to_vec(), move |random, message, signature| {
            let signed = expanded.sign_with_rng(&mut Given(random), message).map_err(library)?;
            put(signature, signed.as_ref());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUBLIC_KEY] = exactly("a MAYO-1 public key", public)?;
        let key = ExpandedVerifyingKey::<Mayo1>::try_from(&public[..])
            .map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(verifying(move |message, signature| {
            let signature = pq_mayo::Signature::<Mayo1>::try_from(signature);
            signature.is_ok_and(|signature| key.verify(message, &signature).is_ok())
        }))
    }
}

fn library(error: pq_mayo::Error) -> Error {
    Error::Library(error.to_string())
}
