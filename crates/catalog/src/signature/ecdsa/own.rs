//! ECDSA by `fieldtest-ecdsa`, whose keys are prepared with tables of their multiples.

use std::marker::PhantomData;

use fieldtest_ecdsa::{Curve, Hash, P256, P384};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Randomness, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};
use sha2::{Digest, Sha256, Sha384};
use zeroize::Zeroizing;

use crate::der::check_digest;
use crate::drbg::with_system;

use super::super::failed;

pub(super) struct Ecdsa<C>(PhantomData<C>);

impl<C> Ecdsa<C> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A curve with the hash function of its messages.
pub(super) trait WithHash: Curve + Send + Sync + 'static {
    type Digest: Digest;
    const HASH: Hash;
    const WIDTH: usize;
}

impl WithHash for P256 {
    type Digest = Sha256;
    const HASH: Hash = Hash::Sha256;
    const WIDTH: usize = 32;
}

impl WithHash for P384 {
    type Digest = Sha384;
    const HASH: Hash = Hash::Sha384;
    const WIDTH: usize = 48;
}

impl<C: WithHash> Signature for Ecdsa<C> {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::EcPoint
    }

    fn secret_key_form(&self) -> SecretKeyForm {
        SecretKeyForm::EcScalar
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        // A random string is a scalar of the curve unless it is 0 or not below the order: draw again.
        loop {
            let mut secret = Zeroizing::new(vec![0; C::WIDTH]);
            random(&mut secret);
            if let Ok(key) = fieldtest_ecdsa::SigningKey::<C>::new(&secret) {
                return Ok(KeyPair { public: key.public().as_ref().to_vec(), secret: secret.to_vec() });
            }
        }
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = fieldtest_ecdsa::SigningKey::<C>::new(secret);
        Ok(Box::new(Signing(key.map_err(|error| Error::MalformedKey(error.to_string()))?)))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_ecdsa::VerifyingKey::<C>::new(public);
        Ok(Box::new(Verifying(key.map_err(|error| Error::MalformedKey(error.to_string()))?)))
    }
}

struct Signing<C: Curve>(fieldtest_ecdsa::SigningKey<C>);

impl<C: WithHash> Signing<C> {
    /// The nonce comes from the curve's own hash function, whatever made the digest (RFC 6979, section 3.6), as with
    /// RustCrypto: the same key and digest have the same signature by both.
    fn sign_by_digest(&self, digest: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        signature.resize(2 * C::WIDTH, 0);
        self.0.sign_digest(C::HASH, digest, signature).map_err(|_| failed("signing"))
    }
}

impl<C: WithHash> SigningKey for Signing<C> {
    fn public_key(&self) -> Vec<u8> {
        self.0.public().as_ref().to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_by_digest(&C::Digest::digest(message), signature)
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
        self.sign_by_digest(digest, signature)
    }
}

struct Verifying<C: Curve>(fieldtest_ecdsa::VerifyingKey<C>);

impl<C: WithHash> VerifyingKey for Verifying<C> {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify_digest(&C::Digest::digest(message), signature).map_err(|_| Error::InvalidSignature)
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        check_digest(algorithm, digest)?;
        self.0.verify_digest(digest, signature).map_err(|_| Error::InvalidSignature)
    }
}
