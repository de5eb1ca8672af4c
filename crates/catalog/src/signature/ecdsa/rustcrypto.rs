//! ECDSA by RustCrypto's `p256` and `p384`, whose nonces are those of RFC 6979.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};
use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use p256::ecdsa::signature::{Signer as _, Verifier as _};

use crate::der::{Curve, check_digest};

use super::super::{put, random};
use super::{coordinates, scalar, uncompressed};

/// The two crates have the same interface, and no common trait that would be shorter than this.
macro_rules! adapter {
    ($name:ident, $library:ident) => {
        pub(super) struct $name;

        impl Signature for $name {
            fn public_key_form(&self) -> PublicKeyForm {
                PublicKeyForm::EcPoint
            }

            fn secret_key_form(&self) -> SecretKeyForm {
                SecretKeyForm::EcScalar
            }

            fn generate(&self) -> Result<KeyPair, Error> {
                // A random string is a scalar of the curve unless it is 0 or not below the order: draw again.
                loop {
                    let secret = random::<{ Curve::$name.width() }>()?;
                    if let Ok(key) = self.signing_key(&*secret) {
                        return Ok(KeyPair { public: key.public_key(), secret: secret.to_vec() });
                    }
                }
            }

            fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                let key = $library::ecdsa::SigningKey::from_slice(scalar(Curve::$name, secret)?)
                    .map_err(|_| Error::MalformedKey("not a scalar between 1 and the order".to_string()))?;
                let public = coordinates(Curve::$name, key.verifying_key().to_sec1_point(false).as_bytes())?;
                Ok(Box::new(Signing { key, public }))
            }

            fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                let point = uncompressed(Curve::$name, public)?;
                let key = $library::ecdsa::VerifyingKey::from_sec1_bytes(&point)
                    .map_err(|_| Error::MalformedKey("not a point of the curve".to_string()))?;
                Ok(Box::new(Verifying(key)))
            }
        }

        impl SigningKey for Signing<$library::ecdsa::SigningKey> {
            fn public_key(&self) -> Vec<u8> {
                self.public.clone()
            }

            fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                let signed: $library::ecdsa::Signature =
                    self.key.try_sign(message).map_err(|e| Error::Library(e.to_string()))?;
                put(signature, &signed.to_bytes());
                Ok(())
            }

            fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                self.sign(message, signature)
            }

            fn sign_digest(
                &self,
                algorithm: DigestAlgorithm,
                digest: &[u8],
                signature: &mut Vec<u8>,
            ) -> Result<(), Error> {
                check_digest(algorithm, digest)?;
                let signed: $library::ecdsa::Signature = self
                    .key
                    .sign_prehash(&Curve::$name.fitted(digest))
                    .map_err(|e| Error::Library(e.to_string()))?;
                put(signature, &signed.to_bytes());
                Ok(())
            }
        }

        impl VerifyingKey for Verifying<$library::ecdsa::VerifyingKey> {
            fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
                let signature =
                    $library::ecdsa::Signature::from_slice(signature).map_err(|_| Error::InvalidSignature)?;
                self.0.verify(message, &signature).map_err(|_| Error::InvalidSignature)
            }

            fn verify_digest(
                &self,
                algorithm: DigestAlgorithm,
                digest: &[u8],
                signature: &[u8],
            ) -> Result<(), Error> {
                check_digest(algorithm, digest)?;
                let signature =
                    $library::ecdsa::Signature::from_slice(signature).map_err(|_| Error::InvalidSignature)?;
                let digest = Curve::$name.fitted(digest);
                self.0.verify_prehash(&digest, &signature).map_err(|_| Error::InvalidSignature)
            }
        }
    };
}

adapter!(P256, p256);
adapter!(P384, p384);

struct Signing<K> {
    key: K,
    public: Vec<u8>,
}

struct Verifying<K>(K);
