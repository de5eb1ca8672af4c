//! ECDSA by `fieldtest-ecdsa`, whose keys are prepared with tables of their multiples. The others begin at
//! the bare key every time, where one key verifies every file of a tree or every answer of a zone: with
//! tables that is 2 to 4 times as fast (November 2026).

use std::marker::PhantomData;

use fieldtest_ecdsa::{Curve, Hash, P256, P384};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    KeyPair, PublicKeyForm, Randomness, Signature, SigningKey, VerifyingKey,
};
use sha2::{Sha256, Sha384};
use zeroize::Zeroizing;

use crate::drbg::with_system;

use super::super::failed;
use super::super::prepared::{MessageHash, signing_digests, verifying_digests};

pub(super) struct Ecdsa<C>(PhantomData<C>);

impl<C> Ecdsa<C> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A curve with the hash function of its messages.
pub(super) trait WithHash: Curve + Send + Sync + 'static {
    type Digest: MessageHash;
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
        let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
        let public = key.public().as_ref().to_vec();
        // The nonce comes from the curve's own hash function, whatever made the digest (RFC 6979, section 3.6), as with
        // RustCrypto: the same key and digest have the same signature by both.
        Ok(signing_digests::<C::Digest>(public, move |_, digest, signature| {
            signature.resize(2 * C::WIDTH, 0);
            key.sign_digest(C::HASH, digest, signature).map_err(|_| failed("signing"))
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_ecdsa::VerifyingKey::<C>::new(public);
        let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
        Ok(verifying_digests::<C::Digest>(move |_, digest, signature| {
            Ok(key.verify_digest(digest, signature).is_ok())
        }))
    }

    fn verify_once(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let key = fieldtest_ecdsa::VerifyingKey::<C>::new_for_one(public);
        let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
        let digest = <C::Digest as sha2::Digest>::digest(message);
        key.verify_digest(&digest, signature).map_err(|_| Error::InvalidSignature)
    }
}
