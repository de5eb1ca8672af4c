//! ECDSA by RustCrypto's `p256` and `p384`, whose nonces are those of RFC 6979.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use sha2::{Sha256, Sha384};

use crate::der::Curve;

use super::super::prepared::{signing_digests, verifying_digests};
use super::super::{put, random};
use super::{coordinates, scalar, uncompressed};

/// The two crates have the same interface, and no common trait that would be shorter than this.
macro_rules! adapter {
    ($name:ident, $library:ident, $hash:ty) => {
        pub(super) struct $name;

        impl Signature for $name {
            fn public_key_form(&self) -> PublicKeyForm {
                PublicKeyForm::EcPoint
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
                Ok(signing_digests::<$hash>(public, move |_, digest, signature| {
                    let signed: $library::ecdsa::Signature = key
                        .sign_prehash(&Curve::$name.fitted(digest))
                        .map_err(|e| Error::Library(e.to_string()))?;
                    put(signature, &signed.to_bytes());
                    Ok(())
                }))
            }

            fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                let point = uncompressed(Curve::$name, public)?;
                let key = $library::ecdsa::VerifyingKey::from_sec1_bytes(&point)
                    .map_err(|_| Error::MalformedKey("not a point of the curve".to_string()))?;
                Ok(verifying_digests::<$hash>(move |_, digest, signature| {
                    let digest = Curve::$name.fitted(digest);
                    Ok($library::ecdsa::Signature::from_slice(signature)
                        .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok()))
                }))
            }
        }
    };
}

adapter!(P256, p256, Sha256);
adapter!(P384, p384, Sha384);
