//! RSA by RustCrypto's `rsa`.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Randomness, Signature, SigningKey, VerifyingKey,
};
use rsa::pkcs1::{DecodeRsaPrivateKey as _, DecodeRsaPublicKey as _, EncodeRsaPrivateKey as _};
use rsa::{Pkcs1v15Sign, PrivateKey, PublicKey};
use sha2::Sha256;

use crate::der::digest_info_prefix;
use crate::drbg::{Given, with_system};

use super::super::prepared::{signing_digests, verifying_digests};
use super::super::put;
use super::{Modulus, check_public, check_secret};

pub(super) struct Rsa(pub(super) Modulus);

impl Signature for Rsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::RsaPkcs1
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let key = PrivateKey::new(&mut Given(random), self.0.bits().into())
            .map_err(|e| Error::Library(e.to_string()))?;
        let secret = key.to_pkcs1_der().map_err(|e| Error::Library(e.to_string()))?;
        Ok(KeyPair { public: check_secret(secret.as_bytes())?, secret: secret.as_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let public = check_secret(secret)?;
        let key = PrivateKey::from_pkcs1_der(secret).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(signing_digests::<Sha256>(public, move |algorithm, digest, signature| {
            let signed = key.sign(scheme(algorithm)?, digest).map_err(|e| Error::Library(e.to_string()))?;
            put(signature, &signed);
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        check_public(public)?;
        let key = PublicKey::from_pkcs1_der(public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(verifying_digests::<Sha256>(move |algorithm, digest, signature| {
            Ok(key.verify(scheme(algorithm)?, digest, signature).is_ok())
        }))
    }
}

/// PKCS #1 v1.5 over a digest of this algorithm.
fn scheme(algorithm: DigestAlgorithm) -> Result<Pkcs1v15Sign, Error> {
    let prefix = digest_info_prefix(algorithm)?.into();
    Ok(Pkcs1v15Sign { hash_len: Some(algorithm.length()), prefix })
}
