//! ML-DSA by `fieldtest-mldsa`, which keeps the matrix A and the secret polynomials ready in its keys.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fieldtest_mldsa::ParameterSet;
use zeroize::Zeroizing;

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
        Ok(Box::new(Signing(fieldtest_mldsa::SigningKey::<P>::from_seed(seed))))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_mldsa::VerifyingKey::<P>::new(public);
        Ok(Box::new(Verifying(key.map_err(|error| Error::MalformedKey(error.to_string()))?)))
    }
}

struct Signing<P: ParameterSet>(fieldtest_mldsa::SigningKey<P>);

impl<P: ParameterSet> Signing<P> {
    fn sign_with(&self, rnd: &[u8; 32], message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        signature.resize(P::SIGNATURE, 0);
        self.0.sign(message, b"", rnd, signature).map_err(|error| Error::Library(error.to_string()))
    }
}

impl<P: ParameterSet + Send + Sync> SigningKey for Signing<P> {
    fn public_key(&self) -> Vec<u8> {
        self.0.public_key().to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_with(&*random()?, message, signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_with(&[0; 32], message, signature)
    }

    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut rnd = [0; 32];
        random(&mut rnd);
        self.sign_with(&rnd, message, signature)
    }
}

struct Verifying<P: ParameterSet>(fieldtest_mldsa::VerifyingKey<P>);

impl<P: ParameterSet + Send + Sync> VerifyingKey for Verifying<P> {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify(message, b"", signature).map_err(|_| Error::InvalidSignature)
    }
}
