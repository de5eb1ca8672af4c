//! HAWK by `fieldtest-hawk`, which keeps its keys transformed.

use std::marker::PhantomData;

use fieldtest_hawk::ParameterSet;
use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};

use super::super::prepared::randomised;
use super::super::wrong_length;
use crate::drbg::with_system;

/// The parameter set `P`.
pub(super) struct Hawk<P>(PhantomData<P>);

impl<P> Hawk<P> {
    pub(super) fn new() -> Self {
        Hawk(PhantomData)
    }
}

impl<P: ParameterSet + Send + Sync> Signature for Hawk<P> {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let pair = fieldtest_hawk::KeyPair::<P>::generate(|out| random(out));
        Ok(KeyPair { secret: pair.signing.as_bytes().to_vec(), public: pair.public })
    }

    /// Generates the pair again from the seed at the head of the secret key, which must lead to the rest of it: the secret
    /// key alone does not tell the public one.
    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        if secret.len() != P::PRIVATE_KEY {
            return Err(wrong_length(&format!("a {} secret key", P::NAME), P::PRIVATE_KEY, secret.len()));
        }
        let pair = fieldtest_hawk::KeyPair::<P>::from_seed(&secret[..P::KEY_SEED]);
        match pair {
            Ok(pair) if pair.signing.as_bytes() == secret => {
                Ok(randomised(pair.public, move |random, message, signature| {
                    signature.resize(P::SIGNATURE, 0);
                    let signed = pair.signing.sign(message, |out| random(out), signature);
                    signed.map_err(|error| Error::Library(error.to_string()))
                }))
            }
            _ => Err(Error::MalformedKey(format!("these bytes encode no {} secret key", P::NAME))),
        }
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_hawk::VerifyingKey::<P>::new(public);
        let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
        Ok(verifying(move |message, signature| key.verify(message, signature).is_ok()))
    }
}
