//! RSA by Graviola. It takes moduli of 2048 bits and more.

use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{
    KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use ::rsa::PrivateKey;
use ::rsa::pkcs1::{DecodeRsaPrivateKey as _, EncodeRsaPrivateKey as _};
use ::rsa::pkcs1::der::SecretDocument;
use ::rsa::traits::{PrivateKeyParts as _, PublicKeyParts as _};
use graviola::signing::rsa;
use zeroize::Zeroizing;

use super::super::put;
use super::{MODULUS_BITS, Modulus, check_public, check_secret};

pub(super) struct Rsa(pub(super) Modulus);

impl Signature for Rsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::RsaPkcs1
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let size = match self.0 {
            Modulus::Bits2048 => rsa::KeySize::Rsa2048,
            Modulus::Bits3072 => rsa::KeySize::Rsa3072,
            Modulus::Bits4096 => rsa::KeySize::Rsa4096,
        };
        let key = rsa::SigningKey::generate(size).map_err(|e| Error::Library(e.to_string()))?;
        let mut buffer = Zeroizing::new([0; 4096]);
        let secret = key.to_pkcs1_der(&mut *buffer).map_err(|e| Error::Library(e.to_string()))?;
        Ok(KeyPair { public: check_secret(secret)?, secret: secret.to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let public = check_secret(secret)?;
        let exchanged = with_larger_prime_first(secret)?;
        let secret = exchanged.as_ref().map_or(secret, |key| key.as_bytes());
        let key = rsa::SigningKey::from_pkcs1_der(secret).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::deterministic(public, move |message, signature| {
            let mut buffer = [0; *MODULUS_BITS.end() / 8];
            let signed =
                key.sign_pkcs1_sha256(&mut buffer, message).map_err(|e| Error::Library(e.to_string()))?;
            put(signature, signed);
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        check_public(public)?;
        let key =
            rsa::VerifyingKey::from_pkcs1_der(public).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| key.verify_pkcs1_sha256(signature, message).is_ok()))
    }
}

/// The same key with its primes in the other order, if the first is the smaller one. Graviola 0.4 fails with about half
/// a percent of the messages then; OpenSSL and others write the larger one first, RustCrypto as they come.
fn with_larger_prime_first(secret: &[u8]) -> Result<Option<SecretDocument>, Error> {
    let malformed = |error: &dyn std::fmt::Display| Error::MalformedKey(error.to_string());
    let key = pkcs1::RsaPrivateKeyRef::try_from(secret).map_err(|e| malformed(&e))?;
    let (first, second) = (key.prime1.as_bytes(), key.prime2.as_bytes());
    if (first.len(), first) > (second.len(), second) {
        return Ok(None);
    }
    let key = PrivateKey::from_pkcs1_der(secret).map_err(|e| malformed(&e))?;
    let primes = key.primes().iter().rev().map(|prime| prime.as_ref().clone()).collect();
    PrivateKey::from_components(key.n().as_ref().clone(), key.e().clone(), key.d().clone(), primes)
        .map_err(|e| malformed(&e))?
        .to_pkcs1_der()
        .map(Some)
        .map_err(|e| malformed(&e))
}

#[cfg(test)]
mod tests {
    use super::super::rustcrypto;
    use super::*;

    #[test]
    fn primes_may_stand_in_either_order() {
        let mut secrets = std::iter::repeat_with(|| rustcrypto::Rsa(Modulus::Bits2048).generate().unwrap().secret);
        let secret = secrets.find(|secret| with_larger_prime_first(secret).unwrap().is_some()).unwrap();
        let key = Rsa(Modulus::Bits2048).signing_key(&secret).unwrap();
        let mut signature = Vec::new();
        for message in 0..200_u8 {
            key.sign(&[message], &mut signature).unwrap();
        }
    }
}
