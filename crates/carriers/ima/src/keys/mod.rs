//! Key files: PEM and DER in every form that the tools of IMA write, as bytes in the forms of [`fieldtest_kinds`].
//!
//! A key names its algorithm by object identifiers; which implementation is meant by them is the caller's business.

mod error;
mod pem;
mod private;
mod public;

use std::fmt;

pub use der::asn1::ObjectIdentifier;
pub use error::KeyError;
use fieldtest_kinds::signature::{PublicKeyForm, SecretKeyForm};
pub use private::{PrivateKey, Secret};
pub use public::PublicKey;
use sha1::{Digest as _, Sha1};

use crate::xattr::KeyId;

/// `rsaEncryption` (RFC 8017, appendix A.1).
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// `id-ecPublicKey` (RFC 5480, section 2.1.1).
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// The byte before the coordinates of a point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// Which algorithm a key is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyAlgorithm {
    /// RSA, with the length of its modulus in bits.
    Rsa {
        /// Bits of the modulus.
        bits: usize,
    },
    /// A key on an elliptic curve that is named by its identifier (P-256 is 1.2.840.10045.3.1.7, P-384 1.3.132.0.34).
    Ec {
        /// The curve.
        curve: ObjectIdentifier,
    },
    /// An algorithm that its identifier alone names (ML-DSA is 2.16.840.1.101.3.4.3.17 to 19).
    Named(ObjectIdentifier),
}

impl KeyAlgorithm {
    /// The form of its public keys.
    pub fn public_key_form(&self) -> PublicKeyForm {
        match self {
            KeyAlgorithm::Rsa { .. } => PublicKeyForm::RsaPkcs1,
            KeyAlgorithm::Ec { .. } => PublicKeyForm::EcPoint,
            KeyAlgorithm::Named(_) => PublicKeyForm::Plain,
        }
    }

    /// The form of its secret keys.
    pub fn secret_key_form(&self) -> SecretKeyForm {
        self.public_key_form().secret_form()
    }
}

impl fmt::Display for KeyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyAlgorithm::Rsa { bits } => write!(f, "RSA with {bits} bits"),
            KeyAlgorithm::Ec { curve } => write!(f, "the elliptic curve {curve}"),
            KeyAlgorithm::Named(oid) => write!(f, "the algorithm {oid}"),
        }
    }
}

/// The id of a public key without a certificate: the last four bytes of the SHA-1 of what stands in the BIT STRING of
/// its SubjectPublicKeyInfo. A certificate whose Subject Key Identifier was made by method 1 of RFC 5280, section
/// 4.2.1.2, has the same.
pub fn key_id(form: PublicKeyForm, public: &[u8]) -> KeyId {
    let mut hasher = Sha1::new();
    if form == PublicKeyForm::EcPoint {
        hasher.update([UNCOMPRESSED]);
    }
    hasher.update(public);
    let digest: [u8; 20] = hasher.finalize().into();
    let [.., a, b, c, d] = digest;
    KeyId([a, b, c, d])
}

/// RSA with a modulus, big endian.
fn rsa_of_modulus(modulus: &[u8]) -> KeyAlgorithm {
    let significant = modulus.iter().skip_while(|byte| **byte == 0);
    let bits = significant
        .clone()
        .next()
        .map_or(0, |first| significant.count() * 8 - first.leading_zeros() as usize);
    KeyAlgorithm::Rsa { bits }
}
