//! ML-DSA by RustCrypto's `ml-dsa`: portable code that keeps the expanded matrix in its keys.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use ml_dsa::{EncodedVerifyingKey, ExpandedSigningKey, MlDsaParams};

use super::super::{exactly, failed, put, random, wrong_length};
use super::SEED;

/// The parameter set `P`.
pub(super) struct MlDsa<P>(PhantomData<P>);

impl<P> MlDsa<P> {
    pub(super) fn new() -> Self {
        MlDsa(PhantomData)
    }
}

impl<P: MlDsaParams + Send + Sync + 'static> Signature for MlDsa<P> {
    fn generate(&self) -> Result<KeyPair, Error> {
        let seed = random::<SEED>()?;
        let public = self.signing_key(&*seed)?.public_key();
        Ok(KeyPair { secret: seed.to_vec(), public })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; SEED] = exactly("an ML-DSA seed", secret)?;
        Ok(Box::new(Signing(ExpandedSigningKey::<P>::from_seed(seed.into()))))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let encoded = EncodedVerifyingKey::<P>::try_from(public).map_err(|_| {
            wrong_length("the public key", EncodedVerifyingKey::<P>::default().len(), public.len())
        })?;
        let key = ml_dsa::VerifyingKey::<P>::decode(&encoded);
        Ok(verifying(move |message, signature| {
            let signature = ml_dsa::Signature::<P>::try_from(signature);
            signature.is_ok_and(|signature| key.verify_with_context(message, b"", &signature))
        }))
    }
}

struct Signing<P: MlDsaParams>(ExpandedSigningKey<P>);

impl<P: MlDsaParams + Send + Sync> SigningKey for Signing<P> {
    fn public_key(&self) -> Vec<u8> {
        self.0.verifying_key().encode().to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        // FIPS 204, algorithm 2: a zero byte (pure), the length of the empty context, the message.
        let rnd = random::<32>()?;
        put(signature, &self.0.sign_internal(&[&[0, 0], message], (&*rnd).into()).encode());
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let signed = self.0.sign_deterministic(message, b"").map_err(|_| failed("signing"))?;
        put(signature, &signed.encode());
        Ok(())
    }
}
