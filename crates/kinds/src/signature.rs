//! Signatures: a key's bytes, the prepared key, and what it does.
//!
//! A key's *bytes* are what is stored and sent; a *prepared* key is what an implementation computes from them once
//! (an expanded matrix, a table of points). The two are separate here because a zone key signs and verifies thousands
//! of times and the cost of preparing it is a figure of its own.
//!
//! Any library becomes a [`Signature`] by an adapter like this one, and every carrier of signatures then takes it:
//! `&Ed25519` below can replace the toys in the examples of `fieldtest-dnssec` and `fieldtest-ima`.
//!
//! ```
//! use ed25519_dalek::{Signer as _, Verifier as _};
//! use fieldtest_kinds::{Error, prepared};
//! use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
//!
//! struct Ed25519;
//!
//! fn octets<const N: usize>(key: &[u8]) -> Result<&[u8; N], Error> {
//!     key.try_into().map_err(|_| Error::MalformedKey(format!("a key has {N} octets, and this one {}", key.len())))
//! }
//!
//! impl Signature for Ed25519 {
//!     fn generate(&self) -> Result<KeyPair, Error> {
//!         let mut seed = [0; 32];
//!         getrandom::fill(&mut seed).map_err(|error| Error::Library(error.to_string()))?;
//!         Ok(KeyPair { secret: seed.to_vec(), public: self.signing_key(&seed)?.public_key() })
//!     }
//!     fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
//!         let key = ed25519_dalek::SigningKey::from_bytes(octets(secret)?);
//!         Ok(prepared::deterministic(key.verifying_key().to_bytes().to_vec(), move |message, signature| {
//!             *signature = key.sign(message).to_bytes().to_vec();
//!             Ok(())
//!         }))
//!     }
//!     fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
//!         let key = ed25519_dalek::VerifyingKey::from_bytes(octets(public)?);
//!         let key = key.map_err(|error| Error::MalformedKey(error.to_string()))?;
//!         Ok(prepared::verifying(move |message, signature| {
//!             let signature = ed25519_dalek::Signature::from_slice(signature);
//!             signature.is_ok_and(|signature| key.verify(message, &signature).is_ok())
//!         }))
//!     }
//! }
//!
//! let pair = Ed25519.generate()?;
//! let mut signature = Vec::new();
//! Ed25519.signing_key(&pair.secret)?.sign(b"a message", &mut signature)?;
//! Ed25519.verifying_key(&pair.public)?.verify(b"a message", &signature)?;
//! assert!(Ed25519.verifying_key(&pair.public)?.verify(b"another", &signature).is_err());
//! # Ok::<(), Error>(())
//! ```

use crate::Error;

/// How an algorithm writes its public key as bytes. Carriers translate by form, never by algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKeyForm {
    /// The byte string that the algorithm's specification defines, used as it is.
    Plain,
    /// DER of PKCS #1 `RSAPublicKey` (RFC 8017, appendix A.1.1).
    RsaPkcs1,
    /// The two affine coordinates, big endian, `X ‖ Y`, without the leading `04` of SEC 1.
    EcPoint,
}

/// How an algorithm writes its secret key as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretKeyForm {
    /// The byte string that the algorithm's specification defines (a seed where it allows one: ML-DSA, Ed25519).
    Plain,
    /// DER of PKCS #1 `RSAPrivateKey` (RFC 8017, appendix A.1.2).
    RsaPkcs1,
    /// The secret scalar, big endian, as long as the curve's order.
    EcScalar,
}

impl PublicKeyForm {
    /// The form of the secret keys that go with public keys of this form.
    pub fn secret_form(self) -> SecretKeyForm {
        match self {
            PublicKeyForm::Plain => SecretKeyForm::Plain,
            PublicKeyForm::RsaPkcs1 => SecretKeyForm::RsaPkcs1,
            PublicKeyForm::EcPoint => SecretKeyForm::EcScalar,
        }
    }
}

/// A hash function by which a carrier that signs digests says what it hashed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DigestAlgorithm {
    /// SHA-1 (FIPS 180-4), in old signatures only.
    Sha1,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// SHA3-256 (FIPS 202).
    Sha3_256,
    /// SHA3-384 (FIPS 202).
    Sha3_384,
    /// SHA3-512 (FIPS 202).
    Sha3_512,
}

impl DigestAlgorithm {
    /// Bytes of a digest.
    pub fn length(self) -> usize {
        match self {
            DigestAlgorithm::Sha1 => 20,
            DigestAlgorithm::Sha256 | DigestAlgorithm::Sha3_256 => 32,
            DigestAlgorithm::Sha384 | DigestAlgorithm::Sha3_384 => 48,
            DigestAlgorithm::Sha512 | DigestAlgorithm::Sha3_512 => 64,
        }
    }
}

/// A freshly generated key pair, in the forms the implementation states.
#[derive(Clone)]
pub struct KeyPair {
    /// The secret key in [`Signature::secret_key_form`].
    pub secret: Vec<u8>,
    /// The public key in [`Signature::public_key_form`].
    pub public: Vec<u8>,
}

/// Randomness that the caller supplies: called with a slice, it fills it.
///
/// Official known answers drive a key generator and a randomised signer with a generator of their own, so an
/// implementation that can take its randomness from outside can be proven byte for byte.
pub type Randomness<'a> = dyn FnMut(&mut [u8]) + 'a;

/// One implementation of one signature algorithm.
///
/// ECDSA signatures are the fixed-length `r ‖ s` (IEEE P1363); RSA is PKCS #1 v1.5 with SHA-256; every other
/// signature is the byte string of its specification.
pub trait Signature: Send + Sync {
    /// The form of [`KeyPair::public`] and of what [`Signature::verifying_key`] takes.
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::Plain
    }

    /// The form of [`KeyPair::secret`] and of what [`Signature::signing_key`] takes.
    fn secret_key_form(&self) -> SecretKeyForm {
        self.public_key_form().secret_form()
    }

    /// Makes a key pair from the operating system's randomness.
    fn generate(&self) -> Result<KeyPair, Error>;

    /// Makes a key pair from given randomness, drawn in the order in which the algorithm's reference code draws it.
    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let _ = random;
        Err(Error::Unsupported("key generation from given randomness"))
    }

    /// Prepares a secret key for many signatures.
    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error>;

    /// Prepares a public key for many verifications.
    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error>;

    /// Accepts or refuses one signature under a public key that is seen once. Overridden where one verification is cheaper
    /// without a key that is prepared for many.
    fn verify_once(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verifying_key(public)?.verify(message, signature)
    }
}

/// A prepared secret key.
pub trait SigningKey: Send + Sync {
    /// The public key that belongs to it, in the form the implementation states.
    fn public_key(&self) -> Vec<u8>;

    /// Signs one message; `signature` is overwritten with exactly the signature's bytes.
    ///
    /// Where the specification offers both, this is the hedged or randomised variant that is meant for use.
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error>;

    /// Signs one message in the specification's deterministic variant, which known answers need.
    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let _ = (message, signature);
        Err(Error::Unsupported("deterministic signing"))
    }

    /// Signs a message that was hashed already: RSA by PKCS #1 v1.5 with the algorithm's DigestInfo (RFC 8017, section
    /// 9.2), ECDSA with the nonce of RFC 6979 where the implementation has it, so that the same digest has the same
    /// signature. Schemes that sign messages alone (Ed25519, ML-DSA) have no such operation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where there is no such operation, and for a digest of the wrong length.
    fn sign_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let _ = (algorithm, digest, signature);
        Err(Error::Unsupported("signing a digest"))
    }

    /// Signs one message with given randomness, drawn in the order in which the algorithm's reference code draws it.
    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let _ = (random, message, signature);
        Err(Error::Unsupported("signing with given randomness"))
    }

    /// Signs many messages; one signature per message, in order. Overridden where several at once are cheaper.
    fn sign_many(&self, messages: &[&[u8]], signatures: &mut [Vec<u8>]) -> Result<(), Error> {
        assert_eq!(messages.len(), signatures.len(), "one signature per message");
        messages.iter().zip(signatures).try_for_each(|(message, signature)| self.sign(message, signature))
    }
}

/// A prepared public key. A type of its own, since one zone key verifies thousands of signatures: preparing
/// it is a cost that is measured by itself.
pub trait VerifyingKey: Send + Sync {
    /// Accepts or refuses one signature.
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error>;

    /// Accepts or refuses a signature over a message that was hashed already.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::Unsupported`] as for [`SigningKey::sign_digest`].
    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        let _ = (algorithm, digest, signature);
        Err(Error::Unsupported("verifying a digest"))
    }

    /// Verifies many; `Err` names the position of the first that fails. Overridden where several at once are cheaper.
    fn verify_many(&self, pairs: &[(&[u8], &[u8])]) -> Result<(), (usize, Error)> {
        pairs
            .iter()
            .enumerate()
            .try_for_each(|(at, (message, signature))| self.verify(message, signature).map_err(|e| (at, e)))
    }
}
