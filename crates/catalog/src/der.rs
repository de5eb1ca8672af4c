//! The few DER structures that libraries exchange keys and ECDSA signatures in.
//!
//! Parsing and writing are RustCrypto's `der` family: strict, fuzzed, without `unsafe`, and in the tree anyway,
//! because its RSA and ECDSA crates use it. This module only says which structure holds what.

use ::der::asn1::{ObjectIdentifier, OctetStringRef, UintRef};
use ::der::{AnyRef, Decode, Encode};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::DigestAlgorithm;
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// The curves of ECDSA in this catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curve {
    P256,
    P384,
}

impl Curve {
    /// Bytes of a coordinate, and of a scalar.
    pub(crate) const fn width(self) -> usize {
        match self {
            Curve::P256 => 32,
            Curve::P384 => 48,
        }
    }

    /// The object identifier of SEC 2.
    const fn oid(&self) -> &'static ObjectIdentifier {
        const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
        const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
        match self {
            Curve::P256 => &P256,
            Curve::P384 => &P384,
        }
    }

    /// A digest of any length as a string of the curve's, which stands for the same integer (FIPS 186-5, section 6.4.1):
    /// the leftmost bytes of a longer one, and a shorter one with zeros before it.
    pub(crate) fn fitted(self, digest: &[u8]) -> Vec<u8> {
        let kept = &digest[..digest.len().min(self.width())];
        let mut fitted = vec![0; self.width()];
        fitted[self.width() - kept.len()..].copy_from_slice(kept);
        fitted
    }
}

/// What stands in a key's `AlgorithmIdentifier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    /// `rsaEncryption` with NULL parameters (RFC 8017, appendix A.1).
    Rsa,
    /// `id-ecPublicKey` with the curve as parameter (RFC 5480).
    Ec(Curve),
    /// An algorithm that its identifier alone names (RFC 8410, 9881, 9909).
    Named(ObjectIdentifier),
}

impl KeyType {
    fn identifier(&self) -> AlgorithmIdentifierRef<'_> {
        const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
        match self {
            KeyType::Rsa => pkcs1::ALGORITHM_ID,
            KeyType::Ec(curve) => {
                AlgorithmIdentifierRef { oid: EC_PUBLIC_KEY, parameters: Some(AnyRef::from(curve.oid())) }
            }
            KeyType::Named(oid) => AlgorithmIdentifierRef { oid: *oid, parameters: None },
        }
    }
}

/// PKCS #8 `PrivateKeyInfo` (RFC 5208) around an algorithm's own private key structure.
pub(crate) fn pkcs8(key_type: KeyType, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = OctetStringRef::new(key).map_err(malformed)?;
    PrivateKeyInfoRef::new(key_type.identifier(), key).to_der().map(Zeroizing::new).map_err(malformed)
}

/// The algorithm's own private key structure inside PKCS #8.
#[cfg(feature = "aws-lc")]
pub(crate) fn pkcs8_content(der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(malformed)?;
    Ok(Zeroizing::new(info.private_key.as_bytes().to_vec()))
}

/// The public key bytes inside `SubjectPublicKeyInfo` (RFC 5280, section 4.1).
pub(crate) fn spki_content(der: &[u8]) -> Result<Vec<u8>, Error> {
    let info = SubjectPublicKeyInfoRef::from_der(der).map_err(malformed)?;
    info.subject_public_key
        .as_bytes()
        .map(<[u8]>::to_vec)
        .ok_or_else(|| Error::MalformedKey("a public key that is not a whole number of bytes".to_string()))
}

/// An OCTET STRING, in which RFC 8410 wraps the seed of Ed25519 a second time.
pub(crate) fn octet_string(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    OctetStringRef::new(bytes).and_then(|string| string.to_der()).map(Zeroizing::new).map_err(malformed)
}

/// `ECPrivateKey` (RFC 5915) with the curve, and without the public key, which the reader computes.
pub(crate) fn ec_private_key(curve: Curve, scalar: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parameters = Some(sec1::EcParameters::NamedCurve(*curve.oid()));
    sec1::EcPrivateKey { private_key: scalar, parameters, public_key: None }
        .to_der()
        .map(Zeroizing::new)
        .map_err(malformed)
}

pub(crate) fn ec_scalar(der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = sec1::EcPrivateKey::from_der(der).map_err(malformed)?;
    Ok(Zeroizing::new(key.private_key.to_vec()))
}

pub(crate) fn ecdsa_to_der(curve: Curve, fixed: &[u8]) -> Result<Vec<u8>, Error> {
    let whole = Some(fixed).filter(|fixed| fixed.len() == 2 * curve.width());
    whole.and_then(fieldtest_ecdsa_der::to_der).ok_or(Error::InvalidSignature)
}

pub(crate) fn ecdsa_to_fixed(curve: Curve, der: &[u8]) -> Result<Vec<u8>, Error> {
    fieldtest_ecdsa_der::to_fixed(der, curve.width()).ok_or(Error::InvalidSignature)
}

/// `RSAPublicKey` (RFC 8017, appendix A.1.1) of a modulus and an exponent, big endian.
pub(crate) fn rsa_public_key(modulus: &[u8], exponent: &[u8]) -> Result<Vec<u8>, Error> {
    let integer = |bytes| UintRef::new(bytes).map_err(malformed);
    pkcs1::RsaPublicKeyRef { modulus: integer(modulus)?, public_exponent: integer(exponent)? }
        .to_der()
        .map_err(malformed)
}

pub(crate) fn rsa_modulus_bits(public: &[u8]) -> Result<usize, Error> {
    let key = pkcs1::RsaPublicKeyRef::from_der(public).map_err(malformed)?;
    Ok(bits(key.modulus.as_bytes()))
}

/// Modulus and exponent of an `RSAPublicKey`.
pub(crate) fn rsa_public(public: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let key = pkcs1::RsaPublicKeyRef::from_der(public).map_err(malformed)?;
    Ok((key.modulus.as_bytes(), key.public_exponent.as_bytes()))
}

/// The length in bits of the modulus in an `RSAPrivateKey`, and the `RSAPublicKey` that belongs to it.
pub(crate) fn rsa_public_of_private(secret: &[u8]) -> Result<(usize, Vec<u8>), Error> {
    let key = pkcs1::RsaPrivateKeyRef::from_der(secret).map_err(malformed)?;
    let public = key.public_key().to_der().map_err(malformed)?;
    Ok((bits(key.modulus.as_bytes()), public))
}

fn bits(integer: &[u8]) -> usize {
    integer.first().map_or(0, |first| integer.len() * 8 - first.leading_zeros() as usize)
}

fn malformed(error: impl std::fmt::Display) -> Error {
    Error::MalformedKey(error.to_string())
}

/// What stands before the digest in PKCS #1's `DigestInfo` (RFC 8017, section 9.2, note 1; for SHA-3, RFC 9688).
///
/// # Errors
/// [`Error::Unsupported`] for a function whose identifier is not known here.
pub(crate) fn digest_info_prefix(algorithm: DigestAlgorithm) -> Result<Vec<u8>, Error> {
    /// `hashAlgs` of NIST's Computer Security Objects Register, up to its last arc.
    const NIST: [u8; 10] = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2];
    let oid = match algorithm {
        DigestAlgorithm::Sha1 => vec![6, 5, 0x2b, 0x0e, 3, 2, 0x1a],
        nist => {
            let arc = match nist {
                DigestAlgorithm::Sha256 => 1,
                DigestAlgorithm::Sha384 => 2,
                DigestAlgorithm::Sha512 => 3,
                DigestAlgorithm::Sha3_256 => 8,
                DigestAlgorithm::Sha3_384 => 9,
                DigestAlgorithm::Sha3_512 => 10,
                _ => return Err(Error::Unsupported("PKCS #1 over digests of this function")),
            };
            [&NIST[..], &[arc]].concat()
        }
    };
    let length = algorithm.length() as u8;
    let identifier = [&oid[..], &[5, 0]].concat();
    let head = [0x30, identifier.len() as u8];
    let content = identifier.len() as u8 + 2 + 2 + length;
    Ok([&[0x30, content][..], &head, &identifier, &[4, length]].concat())
}

/// Refuses a digest of another length than its algorithm's.
pub(crate) fn check_digest(algorithm: DigestAlgorithm, digest: &[u8]) -> Result<(), Error> {
    if digest.len() == algorithm.length() {
        Ok(())
    } else {
        Err(Error::Unsupported("signatures over a digest of another length than its algorithm's"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_ecdsa_signature_as_der() {
        // r = 1 and s = 2^255 + 1, whose first bit asks for a leading zero (X.690, section 8.3).
        let mut fixed = vec![0; 64];
        (fixed[31], fixed[32], fixed[63]) = (1, 0x80, 1);
        let der = ecdsa_to_der(Curve::P256, &fixed).unwrap();
        assert_eq!(der[..8], [0x30, 38, 2, 1, 1, 2, 33, 0]);
        assert_eq!(ecdsa_to_der(Curve::P384, &fixed), Err(Error::InvalidSignature));
    }

    #[test]
    fn the_length_of_a_modulus() {
        let bits = |modulus: &[u8]| rsa_modulus_bits(&rsa_public_key(modulus, &[3]).unwrap()).unwrap();
        assert_eq!(bits(&[0x80; 128]), 1024);
        assert_eq!(bits(&[0, 0, 0x0f, 1]), 12);
    }

    proptest! {
        #[test]
        fn ecdsa_signatures_survive_der(fixed in prop::collection::vec(any::<u8>(), 96)) {
            for (curve, fixed) in [(Curve::P384, &fixed[..]), (Curve::P256, &fixed[..64])] {
                let back = ecdsa_to_fixed(curve, &ecdsa_to_der(curve, fixed).unwrap()).unwrap();
                prop_assert_eq!(fixed, &back[..]);
            }
        }

        #[test]
        fn no_bytes_make_a_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = ecdsa_to_fixed(Curve::P256, &bytes);
            let _ = (rsa_modulus_bits(&bytes), rsa_public_of_private(&bytes));
            let _ = (spki_content(&bytes), pkcs8_content(&bytes), ec_scalar(&bytes));
        }
    }
}
