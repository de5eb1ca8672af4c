//! ML-DSA by AWS-LC, whose interface offers neither contexts nor deterministic signing.

use aws_lc_rs::signature::{
    KeyPair as _, ML_DSA_44, ML_DSA_44_SIGNING, ML_DSA_65, ML_DSA_65_SIGNING, ML_DSA_87, ML_DSA_87_SIGNING,
    ParsedPublicKey, PqdsaKeyPair, PqdsaSigningAlgorithm, PqdsaVerificationAlgorithm,
};
use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};

use super::super::{exactly, failed, random, wrong_length};

/// One parameter set. The secret key is the seed ξ of FIPS 204, algorithm 6.
pub(super) struct MlDsa {
    signing: &'static PqdsaSigningAlgorithm,
    verifying: &'static PqdsaVerificationAlgorithm,
}

impl MlDsa {
    pub(super) const fn ml_dsa_44() -> Self {
        MlDsa { signing: &ML_DSA_44_SIGNING, verifying: &ML_DSA_44 }
    }

    pub(super) const fn ml_dsa_65() -> Self {
        MlDsa { signing: &ML_DSA_65_SIGNING, verifying: &ML_DSA_65 }
    }

    pub(super) const fn ml_dsa_87() -> Self {
        MlDsa { signing: &ML_DSA_87_SIGNING, verifying: &ML_DSA_87 }
    }

    fn pair(&self, seed: &[u8]) -> Result<PqdsaKeyPair, Error> {
        let seed: &[u8; 32] = exactly("an ML-DSA seed", seed)?;
        PqdsaKeyPair::from_seed(self.signing, seed).map_err(|e| Error::MalformedKey(e.to_string()))
    }
}

impl Signature for MlDsa {
    fn generate(&self) -> Result<KeyPair, Error> {
        let seed = random::<32>()?;
        let pair = self.pair(&*seed)?;
        Ok(KeyPair { secret: seed.to_vec(), public: pair.public_key().as_ref().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let pair = self.pair(secret)?;
        Ok(prepared::signing(pair.public_key().as_ref().to_vec(), move |message, signature| {
            signature.resize(pair.algorithm().signature_len(), 0);
            pair.sign(message, signature).map(|_| ()).map_err(|_| failed("signing"))
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let expected = self.signing.public_key_len();
        if public.len() != expected {
            return Err(wrong_length("a public key of this parameter set", expected, public.len()));
        }
        let key =
            ParsedPublicKey::new(self.verifying, public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| key.verify_sig(message, signature).is_ok()))
    }
}
