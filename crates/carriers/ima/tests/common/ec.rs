use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};

use super::{invalid, library, malformed};

macro_rules! curve {
    ($name:ident, $library:ident) => {
        pub struct $name;

        impl Signature for $name {
            fn public_key_form(&self) -> PublicKeyForm {
                PublicKeyForm::EcPoint
            }

            fn generate(&self) -> Result<KeyPair, Error> {
                Err(Error::Unsupported("key generation"))
            }

            fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                let key = $library::ecdsa::SigningKey::from_slice(secret).map_err(malformed)?;
                Ok(Box::new(Signing(key)))
            }

            fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                let point = [&[4], public].concat();
                let key = $library::ecdsa::VerifyingKey::from_sec1_bytes(&point).map_err(malformed)?;
                Ok(Box::new(Verifying(key)))
            }
        }

        impl SigningKey for Signing<$library::ecdsa::SigningKey> {
            fn public_key(&self) -> Vec<u8> {
                self.0.verifying_key().to_sec1_point(false).as_bytes()[1..].to_vec()
            }

            fn sign(&self, _: &[u8], _: &mut Vec<u8>) -> Result<(), Error> {
                Err(Error::Unsupported("signing a message"))
            }

            fn sign_digest(
                &self,
                _: DigestAlgorithm,
                digest: &[u8],
                signature: &mut Vec<u8>,
            ) -> Result<(), Error> {
                let signed: $library::ecdsa::Signature = self.0.sign_prehash(digest).map_err(library)?;
                signature.clear();
                signature.extend_from_slice(&signed.to_bytes());
                Ok(())
            }
        }

        impl VerifyingKey for Verifying<$library::ecdsa::VerifyingKey> {
            fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), Error> {
                Err(Error::Unsupported("verifying a message"))
            }

            fn verify_digest(
                &self,
                _: DigestAlgorithm,
                digest: &[u8],
                signature: &[u8],
            ) -> Result<(), Error> {
                let signature = $library::ecdsa::Signature::from_slice(signature).map_err(invalid)?;
                self.0.verify_prehash(digest, &signature).map_err(invalid)
            }
        }
    };
}

curve!(P256, p256);
curve!(P384, p384);

struct Signing<K>(K);
struct Verifying<K>(K);
