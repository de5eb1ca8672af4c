//! RSA by RustCrypto's `rsa`.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Randomness, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};
use rsa::pkcs1::{DecodeRsaPrivateKey as _, DecodeRsaPublicKey as _, EncodeRsaPrivateKey as _};
use rsa::pkcs1v15;
use rsa::sha2::Sha256;
use rsa::signature::{SignatureEncoding as _, Signer as _, Verifier as _};
use rsa::{Pkcs1v15Sign, PrivateKey, PublicKey};

use crate::der::{check_digest, digest_info_prefix};
use crate::drbg::{Given, with_system};

use super::super::put;
use super::{Modulus, check_public, check_secret};

pub(super) struct Rsa(pub(super) Modulus);

impl Signature for Rsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::RsaPkcs1
    }

    fn secret_key_form(&self) -> SecretKeyForm {
        SecretKeyForm::RsaPkcs1
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
        Ok(Box::new(Signing { key: pkcs1v15::SigningKey::new(key), public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        check_public(public)?;
        let key = PublicKey::from_pkcs1_der(public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(Box::new(Verifying(pkcs1v15::VerifyingKey::new(key))))
    }
}

struct Signing {
    key: pkcs1v15::SigningKey<Sha256>,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let signed = self.key.try_sign(message).map_err(|e| Error::Library(e.to_string()))?;
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
        let key: &PrivateKey = self.key.as_ref();
        let signed = key.sign(scheme(algorithm)?, digest).map_err(|e| Error::Library(e.to_string()))?;
        put(signature, &signed);
        Ok(())
    }
}

/// PKCS #1 v1.5 over a digest of this algorithm.
fn scheme(algorithm: DigestAlgorithm) -> Result<Pkcs1v15Sign, Error> {
    let prefix = digest_info_prefix(algorithm)?.into();
    Ok(Pkcs1v15Sign { hash_len: Some(algorithm.length()), prefix })
}

struct Verifying(pkcs1v15::VerifyingKey<Sha256>);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let signature = pkcs1v15::Signature::try_from(signature).map_err(|_| Error::InvalidSignature)?;
        self.0.verify(message, &signature).map_err(|_| Error::InvalidSignature)
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        check_digest(algorithm, digest)?;
        let key: &PublicKey = self.0.as_ref();
        key.verify(scheme(algorithm)?, digest, signature).map_err(|_| Error::InvalidSignature)
    }
}
