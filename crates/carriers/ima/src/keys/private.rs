//! Private keys: PKCS #8, PKCS #1, SEC 1.

use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Reader, SliceReader, Tag, TagNumber, Tagged};
use fieldtest_kinds::signature::PublicKeyForm;
use pkcs1::RsaPrivateKeyRef;
use pkcs8::PrivateKeyInfoRef;
use sec1::{EcParameters, EcPrivateKey};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

use super::public::coordinates;
use super::{EC_PUBLIC_KEY, KeyAlgorithm, KeyError, RSA_ENCRYPTION, pem, rsa_of_modulus};

/// The algorithms whose private key is a CHOICE of a seed, an expanded key, or both (RFC 9881, section 6), with the
/// bytes of the expanded key (FIPS 204, table 2). All seeds have [`SEED`] bytes.
const SEED_OR_EXPANDED: [(ObjectIdentifier, usize); 3] = [
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.17"), 2560),
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.18"), 4032),
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.19"), 4896),
];

const SEED: usize = 32;

/// Bytes of ρ, with which both the expanded key and the public key begin (FIPS 204, algorithms 22 and 24).
const RHO: usize = 32;

/// The algorithms whose private key is an OCTET STRING inside the OCTET STRING (RFC 8410, section 7).
const WRAPPED: [ObjectIdentifier; 2] =
    [ObjectIdentifier::new_unwrap("1.3.101.112"), ObjectIdentifier::new_unwrap("1.3.101.113")];

/// What a file holds of a private key.
#[non_exhaustive]
pub enum Secret {
    /// The bytes that implementations take, in the form of the algorithm ([`KeyAlgorithm::secret_key_form`]).
    Ready(Zeroizing<Vec<u8>>),
    /// A seed, which is what implementations take, and the expanded key that stands beside it. Both, since
    /// OpenSSL 3.5 writes this form by default.
    SeedAndExpanded {
        /// 32 bytes.
        seed: Zeroizing<Vec<u8>>,
        /// What FIPS 204, algorithm 6, computes from the seed.
        expanded: Zeroizing<Vec<u8>>,
    },
    /// An expanded key alone, from which no seed can be computed.
    ExpandedOnly(Zeroizing<Vec<u8>>),
}

/// A private key from a file. It is wiped when it is dropped.
pub struct PrivateKey {
    /// Which algorithm it is of.
    pub algorithm: KeyAlgorithm,
    /// The key itself.
    pub secret: Secret,
    /// The public key that stands beside it, if any, in the form of the algorithm.
    public: Option<Vec<u8>>,
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PrivateKey").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

impl PrivateKey {
    /// Reads the first private key of a PEM file, or a DER file that is one.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read(file: &[u8]) -> Result<Self, KeyError> {
        let blocks = pem::blocks(file)?;
        if blocks.is_empty() {
            return Self::from_der(file);
        }
        for block in &blocks {
            match block.label.as_str() {
                "PRIVATE KEY" => return Self::from_pkcs8(&block.der),
                "RSA PRIVATE KEY" => return Self::from_pkcs1(&block.der),
                "EC PRIVATE KEY" => return Self::from_sec1(&block.der, None),
                "OPENSSH PRIVATE KEY" => return Err(KeyError::OpenSsh),
                "ENCRYPTED PRIVATE KEY" => return Err(KeyError::Encrypted),
                _ => {}
            }
        }
        let found: Vec<&str> = blocks.iter().map(|block| block.label.as_str()).collect();
        Err(KeyError::NoKey { wanted: "private key", found: found.join(", ") })
    }

    /// Reads DER: PKCS #8, PKCS #1 or SEC 1.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        KeyError::of_cut(der)?;
        if RsaPrivateKeyRef::from_der(der).is_ok() {
            Self::from_pkcs1(der)
        } else if EcPrivateKey::from_der(der).is_ok() {
            Self::from_sec1(der, None)
        } else if is_encrypted(der) {
            Err(KeyError::Encrypted)
        } else if has_equation(der) {
            Err(KeyError::UnnamedCurve)
        } else {
            Self::from_pkcs8(der)
        }
    }

    /// Reads PKCS #8, versions 1 and 2 (RFC 5208 and RFC 5958).
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(KeyError::structure("PKCS #8 private key"))?;
        let key = info.private_key.as_bytes();
        match info.algorithm.oid {
            RSA_ENCRYPTION => Self::from_pkcs1(key),
            EC_PUBLIC_KEY => {
                let curve = info.algorithm.parameters_oid().map_err(|_| KeyError::UnnamedCurve)?;
                Self::from_sec1(key, Some(curve))
            }
            oid => {
                let public = info.public_key.and_then(|public| public.as_bytes().map(<[u8]>::to_vec));
                Ok(PrivateKey { algorithm: KeyAlgorithm::Named(oid), secret: named(oid, key)?, public })
            }
        }
    }

    /// Reads an `RSAPrivateKey` (RFC 8017, appendix A.1.2).
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_pkcs1(der: &[u8]) -> Result<Self, KeyError> {
        let malformed = KeyError::structure("RSA private key");
        let key = RsaPrivateKeyRef::from_der(der).map_err(&malformed)?;
        if key.version() == pkcs1::Version::Multi {
            return Err(KeyError::MultiPrime);
        }
        Ok(PrivateKey {
            algorithm: rsa_of_modulus(key.modulus.as_bytes()),
            public: Some(key.public_key().to_der().map_err(&malformed)?),
            secret: Secret::Ready(Zeroizing::new(der.to_vec())),
        })
    }

    /// Reads an `ECPrivateKey` (RFC 5915), which may leave its curve to the PKCS #8 around it.
    fn from_sec1(der: &[u8], around: Option<ObjectIdentifier>) -> Result<Self, KeyError> {
        if has_equation(der) {
            return Err(KeyError::UnnamedCurve);
        }
        let key = EcPrivateKey::from_der(der).map_err(KeyError::structure("EC private key"))?;
        let inside = key.parameters.map(|EcParameters::NamedCurve(curve)| curve);
        let curve = match (around, inside) {
            (Some(around), Some(inside)) if around != inside => {
                return Err(KeyError::Contradiction("it names two curves"));
            }
            (around, inside) => around.or(inside).ok_or(KeyError::UnnamedCurve)?,
        };
        Ok(PrivateKey {
            algorithm: KeyAlgorithm::Ec { curve },
            secret: Secret::Ready(Zeroizing::new(key.private_key.to_vec())),
            // A compressed point beside the scalar is no obstacle: implementations compute the point themselves.
            public: key.public_key.and_then(|point| coordinates(point).ok()).map(<[u8]>::to_vec),
        })
    }

    /// The bytes that implementations take.
    ///
    /// # Errors
    /// [`KeyError::ExpandedOnly`].
    pub fn secret_bytes(&self) -> Result<&[u8], KeyError> {
        match &self.secret {
            Secret::Ready(bytes) | Secret::SeedAndExpanded { seed: bytes, .. } => Ok(bytes),
            Secret::ExpandedOnly(_) => Err(KeyError::ExpandedOnly(self.algorithm)),
        }
    }

    /// Refuses the file if the public key that an implementation computed from the secret is another than what the
    /// file says beside it.
    ///
    /// # Errors
    /// [`KeyError::Contradiction`].
    pub fn check(&self, form: PublicKeyForm, public: &[u8]) -> Result<(), KeyError> {
        if let Some(beside) = &self.public
            && (form != self.algorithm.public_key_form() || beside != public)
        {
            return Err(KeyError::Contradiction("its public key belongs to another private key"));
        }
        // RFC 9881, section 8.2. ρ is a hash of the seed, so it tells two keys apart; the rest of the expanded key is
        // never used, and so not compared.
        match &self.secret {
            Secret::SeedAndExpanded { expanded, .. } if public.get(..RHO) != expanded.get(..RHO) => {
                Err(KeyError::Contradiction("its seed and its expanded key belong to different keys"))
            }
            _ => Ok(()),
        }
    }
}

/// The private key of an algorithm that its identifier alone names.
fn named(oid: ObjectIdentifier, key: &[u8]) -> Result<Secret, KeyError> {
    if let Some((_, expanded)) = SEED_OR_EXPANDED.iter().find(|(known, _)| *known == oid) {
        return seed_or_expanded(key, *expanded);
    }
    let key = match WRAPPED.contains(&oid) {
        true => <&OctetStringRef>::from_der(key).map_err(KeyError::structure("private key"))?.as_bytes(),
        false => key,
    };
    Ok(Secret::Ready(Zeroizing::new(key.to_vec())))
}

/// `ML-DSA-44-PrivateKey` and its sisters: `[0] IMPLICIT OCTET STRING`, OCTET STRING, or a SEQUENCE of two.
fn seed_or_expanded(key: &[u8], expanded_length: usize) -> Result<Secret, KeyError> {
    const SEED_TAG: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };
    let malformed = KeyError::structure("private key");
    let of_length = |what: &'static str, bytes: &[u8], length: usize| match bytes.len() {
        found if found == length => Ok(Zeroizing::new(bytes.to_vec())),
        found => {
            let reason = format!("its {what} has {found} bytes, not {length}");
            Err(KeyError::Structure { structure: "private key", reason })
        }
    };
    let any = AnyRef::from_der(key).map_err(&malformed)?;
    match any.tag() {
        SEED_TAG => of_length("seed", any.value(), SEED).map(Secret::Ready),
        Tag::OctetString => of_length("expanded key", any.value(), expanded_length).map(Secret::ExpandedOnly),
        Tag::Sequence => {
            let mut reader = SliceReader::new(any.value()).map_err(&malformed)?;
            let seed = <&OctetStringRef>::decode(&mut reader).map_err(&malformed)?;
            let expanded = <&OctetStringRef>::decode(&mut reader).map_err(&malformed)?;
            reader.finish().map_err(&malformed)?;
            Ok(Secret::SeedAndExpanded {
                seed: of_length("seed", seed.as_bytes(), SEED)?,
                expanded: of_length("expanded key", expanded.as_bytes(), expanded_length)?,
            })
        }
        _ => {
            let reason =
                "it is neither a seed nor an expanded key nor both (RFC 9881, section 6)".to_string();
            Err(KeyError::Structure { structure: "private key", reason })
        }
    }
}

/// Whether this is an `EncryptedPrivateKeyInfo` (RFC 5958, section 3): an algorithm and an OCTET STRING.
fn is_encrypted(der: &[u8]) -> bool {
    let Ok(any) = AnyRef::from_der(der) else { return false };
    let Ok(mut reader) = SliceReader::new(any.value()) else { return false };
    any.tag() == Tag::Sequence
        && AlgorithmIdentifierRef::decode(&mut reader).is_ok()
        && <&OctetStringRef>::decode(&mut reader).is_ok()
}

/// Whether this is an `ECPrivateKey` that describes its curve by a SEQUENCE with the equation (RFC 3279, section 2.3.5) in
/// the place of its name.
fn has_equation(der: &[u8]) -> bool {
    const PARAMETERS: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
    let described = || -> der::Result<bool> {
        let any = AnyRef::from_der(der)?;
        let mut reader = SliceReader::new(any.value())?;
        let version = AnyRef::decode(&mut reader)?;
        let scalar = AnyRef::decode(&mut reader)?;
        let parameters = AnyRef::decode(&mut reader)?;
        let inside = AnyRef::from_der(parameters.value())?;
        let tags = (version.tag(), scalar.tag(), parameters.tag(), inside.tag());
        Ok(tags == (Tag::Integer, Tag::OctetString, PARAMETERS, Tag::Sequence))
    };
    described().unwrap_or(false)
}
