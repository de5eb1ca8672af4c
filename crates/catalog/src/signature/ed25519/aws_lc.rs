use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, ParsedPublicKey};
use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};

use super::super::{exactly, failed, put};

pub(super) struct Ed25519;

impl Signature for Ed25519 {
    fn generate(&self) -> Result<KeyPair, Error> {
        let pair = Ed25519KeyPair::generate().map_err(|_| failed("key generation"))?;
        let seed = pair.seed().map_err(|_| failed("reading the seed"))?;
        let seed =
            aws_lc_rs::encoding::AsBigEndian::as_be_bytes(&seed).map_err(|_| failed("reading the seed"))?;
        Ok(KeyPair { secret: seed.as_ref().to_vec(), public: pair.public_key().as_ref().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; 32] = exactly(super::SEED, secret)?;
        let pair =
            Ed25519KeyPair::from_seed_unchecked(seed).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::deterministic(pair.public_key().as_ref().to_vec(), move |message, signature| {
            let signed = pair.try_sign(message).map_err(|_| failed("signing"))?;
            put(signature, signed.as_ref());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; 32] = exactly(super::PUBLIC_KEY, public)?;
        let key = ParsedPublicKey::new(&ED25519, public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| key.verify_sig(message, signature).is_ok()))
    }
}
