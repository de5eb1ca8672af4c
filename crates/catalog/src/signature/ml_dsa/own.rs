//! ML-DSA by `fieldtest-mldsa`, which keeps the matrix A and the secret polynomials ready in its keys.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fieldtest_mldsa::ParameterSet;
use zeroize::Zeroizing;

use super::super::prepared::hedged;
use super::super::{exactly, random};
use super::SEED;

/// The parameter set `P`.
pub(super) struct MlDsa<P>(PhantomData<P>);

impl<P> MlDsa<P> {
    pub(super) fn new() -> Self {
        MlDsa(PhantomData)
    }
}

impl<P: ParameterSet + Send + Sync> MlDsa<P> {
    fn pair(seed: &[u8; SEED]) -> KeyPair {
        let public = fieldtest_mldsa::SigningKey::<P>::from_seed(seed).public_key().to_vec();
        KeyPair { secret: seed.to_vec(), public }
    }
}

impl<P: ParameterSet + Send + Sync> Signature for MlDsa<P> {
    fn generate(&self) -> Result<KeyPair, Error> {
        Ok(Self::pair(&*random()?))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        random(&mut *seed);
        Ok(Self::pair(&seed))
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed = exactly("an ML-DSA seed", secret)?;
        let key = fieldtest_mldsa::SigningKey::<P>::from_seed(seed);
        Ok(hedged(key.public_key().to_vec(), move |random, message, signature| {
            let mut rnd = [0; 32];
            random(&mut rnd);
            signature.resize(P::SIGNATURE, 0);
            key.sign(message, b"", &rnd, signature).map_err(|error| Error::Library(error.to_string()))
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_mldsa::VerifyingKey::<P>::new(public);
        let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
        Ok(verifying(move |message, signature| key.verify(message, b"", signature).is_ok()))
    }
}
