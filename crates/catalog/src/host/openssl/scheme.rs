//! The algorithms of OpenSSL by its own names, and how their keys are written.

use std::ffi::CStr;

use der::asn1::ObjectIdentifier;
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::PublicKeyForm;
use zeroize::Zeroizing;

use crate::adapt::wrong_length;
use crate::der::{self as structures, Curve, KeyType};
use crate::signature::ecdsa::{coordinates, scalar, uncompressed};
use crate::signature::rsa::{Modulus, check_public, check_secret};

use super::ffi::{Key, Libcrypto};

/// What the host's OpenSSL may offer: since 3.0, and from `MlDsa44` on since 3.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Rsa(Modulus),
    EcdsaP256,
    EcdsaP384,
    Ed25519,
    MlDsa44,
    MlDsa65,
    MlDsa87,
    SlhDsaSha2_128s,
    SlhDsaSha2_128f,
}

/// How a secret key stands in PKCS #8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    /// `RSAPrivateKey`, new ones with a modulus of this length.
    Rsa(Modulus),
    /// `ECPrivateKey`.
    Ec(Curve),
    /// A seed of 32 bytes in an OCTET STRING (RFC 8410, section 7).
    Wrapped,
    /// A seed of 32 bytes with the tag `[0]` (RFC 9881, section 6).
    Tagged,
    /// The key of so many bytes as it is (RFC 9909, section 6).
    Bare(usize),
}

/// OpenSSL's name of the curve.
pub(super) fn group(curve: Curve) -> &'static CStr {
    match curve {
        Curve::P256 => c"P-256",
        Curve::P384 => c"P-384",
    }
}

impl Scheme {
    /// OpenSSL's name, the last arc of the object identifier under NIST's `sigAlgs`, and the secret key.
    fn row(self) -> (&'static CStr, u32, Secret) {
        match self {
            Scheme::Rsa(modulus) => (c"RSA", 0, Secret::Rsa(modulus)),
            Scheme::EcdsaP256 => (c"EC", 0, Secret::Ec(Curve::P256)),
            Scheme::EcdsaP384 => (c"EC", 0, Secret::Ec(Curve::P384)),
            Scheme::Ed25519 => (c"ED25519", 0, Secret::Wrapped),
            Scheme::MlDsa44 => (c"ML-DSA-44", 17, Secret::Tagged),
            Scheme::MlDsa65 => (c"ML-DSA-65", 18, Secret::Tagged),
            Scheme::MlDsa87 => (c"ML-DSA-87", 19, Secret::Tagged),
            Scheme::SlhDsaSha2_128s => (c"SLH-DSA-SHA2-128s", 20, Secret::Bare(64)),
            Scheme::SlhDsaSha2_128f => (c"SLH-DSA-SHA2-128f", 21, Secret::Bare(64)),
        }
    }

    pub(super) fn key_type(self) -> &'static CStr {
        self.row().0
    }

    pub(super) fn secret(self) -> Secret {
        self.row().2
    }

    /// OpenSSL's name of the hash function, for schemes that sign a digest.
    pub(super) fn digest(self) -> Option<&'static CStr> {
        match self {
            Scheme::Rsa(_) | Scheme::EcdsaP256 => Some(c"SHA256"),
            Scheme::EcdsaP384 => Some(c"SHA384"),
            _ => None,
        }
    }

    fn identifier(self) -> KeyType {
        /// RFC 8410.
        const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
        /// `sigAlgs` of NIST's Computer Security Objects Register.
        const NIST: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");
        match self.row() {
            (_, _, Secret::Rsa(_)) => KeyType::Rsa,
            (_, _, Secret::Ec(curve)) => KeyType::Ec(curve),
            (_, _, Secret::Wrapped) => KeyType::Named(ED25519),
            (_, arc, _) => KeyType::Named(NIST.push_arc(arc).unwrap_or(NIST)),
        }
    }

    pub(super) fn public_key_form(self) -> PublicKeyForm {
        match self.secret() {
            Secret::Rsa(_) => PublicKeyForm::RsaPkcs1,
            Secret::Ec(_) => PublicKeyForm::EcPoint,
            _ => PublicKeyForm::Plain,
        }
    }

    pub(super) fn pkcs8(self, secret: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let of_length = |expected| match secret.len() == expected {
            true => Ok(secret),
            false => Err(wrong_length("a secret key of this algorithm", expected, secret.len())),
        };
        let content = match self.secret() {
            Secret::Rsa(_) => check_secret(secret).map(|_| Zeroizing::new(secret.to_vec())),
            Secret::Ec(curve) => structures::ec_private_key(curve, scalar(curve, secret)?),
            Secret::Wrapped => structures::octet_string(of_length(32)?),
            Secret::Tagged => Ok(Zeroizing::new([&[0x80, 32], of_length(32)?].concat())),
            Secret::Bare(length) => Ok(Zeroizing::new(of_length(length)?.to_vec())),
        }?;
        structures::pkcs8(self.identifier(), &content)
    }

    pub(super) fn read_public(self, libcrypto: &'static Libcrypto, public: &[u8]) -> Result<Key, Error> {
        match self.secret() {
            Secret::Rsa(_) => {
                check_public(public)?;
                let (modulus, exponent) = structures::rsa_public(public)?;
                Key::from_modulus(libcrypto, modulus, exponent)
            }
            Secret::Ec(curve) => Key::from_point(libcrypto, group(curve), &uncompressed(curve, public)?),
            _ => Key::from_raw_public(libcrypto, self.key_type(), public),
        }
    }

    pub(super) fn public(self, key: &Key) -> Result<Vec<u8>, Error> {
        match self.secret() {
            Secret::Rsa(_) => structures::spki_content(&key.spki()?),
            Secret::Ec(curve) => coordinates(curve, &key.point()?),
            _ => key.raw_public(),
        }
    }
}
