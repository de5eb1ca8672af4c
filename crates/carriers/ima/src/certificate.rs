//! What a new signing key is kept in and published as: a private key file, and a self-signed certificate that the
//! kernel's asymmetric keyring takes.
//!
//! The kernel finds a signature's key by the end of its certificate's Subject Key Identifier. It takes a self-signed
//! certificate into a keyring only if the signature verifies, so with a kernel that lacks the algorithm that is where
//! it shows.

use std::borrow::Cow;
use std::time::Duration;

use der::asn1::{BitString, OctetString, OctetStringRef};
use der::oid::AssociatedOid;
use der::{Any, AnyRef, DateTime, Encode, Tag, TagNumber};
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey};
use pem_rfc7468::LineEnding;
use pkcs8::PrivateKeyInfoRef;
use sec1::EcPrivateKey;
use sha1::{Digest as _, Sha1};
use spki::{AlgorithmIdentifierOwned, AlgorithmIdentifierRef, SubjectPublicKeyInfoOwned};
use x509_cert::Version;
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::Sequence;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, KeyUsages, SubjectKeyIdentifier};
use x509_cert::ext::{Extension, Extensions};
use x509_cert::name::{RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::{Time, Validity};
use zeroize::Zeroizing;

use crate::digest::Digest;
use crate::hash_algorithm::HashAlgorithm;
use crate::keys::{KeyAlgorithm, ObjectIdentifier, PrivateKey, Secret};

/// `id-at-commonName` (RFC 5280, appendix A.1).
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// The longest common name, in characters (`ub-common-name`, RFC 5280, appendix A.1).
const LONGEST_COMMON_NAME: usize = 64;

/// `sha256WithRSAEncryption` (RFC 4055, section 5).
const RSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");

/// `ecdsa-with-SHA256` (RFC 5758, section 3.2).
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");

/// `ecdsa-with-SHA384` (RFC 5758, section 3.2).
const ECDSA_WITH_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");

/// `ecdsa-with-SHA512` (RFC 5758, section 3.2).
const ECDSA_WITH_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.4");

/// What a certificate says besides its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms<'a> {
    /// The common name of subject and issuer, 1 to 64 characters. Kernels show it in `/proc/keys`.
    pub common_name: &'a str,
    /// The serial number, big endian: positive, at most 20 bytes in DER.
    pub serial: &'a [u8],
    /// Seconds since 1970 from which it is valid.
    pub not_before: u64,
    /// Seconds since 1970 until which it is valid.
    pub not_after: u64,
}

/// Why there is no certificate or no key file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum CertificateError {
    #[error("the key cannot sign its certificate: {0}; choose another implementation")]
    Implementation(#[from] fieldtest_kinds::Error),
    /// An implementation of something else than the algorithm that was named.
    #[error(
        "the implementation's keys have another format than those of {0}; give the implementation of that algorithm"
    )]
    KeyForm(KeyAlgorithm),
    #[error("invalid common name: expected 1 to 64 characters, not {0}")]
    CommonName(usize),
    #[error("a serial number is positive and has at most 20 bytes (159 bits); give another")]
    Serial,
    #[error(
        "the certificate is to be valid from {from} to {to} in seconds since 1970; give two times in order, before the \
         year 10000"
    )]
    Validity {
        /// The first second.
        from: u64,
        /// The last second.
        to: u64,
    },
    #[error(
        "cannot write the key as PKCS #8: the bytes are not a private key of {0}; generate the key again"
    )]
    Secret(KeyAlgorithm),
    /// A signature that is not two halves of the same length.
    #[error(
        "the implementation's ECDSA signature is not r and s of the same length; choose another implementation"
    )]
    Ecdsa,
    /// A part that does not fit its encoding.
    #[error("cannot encode the key: {0}")]
    Encoding(String),
}

impl From<der::Error> for CertificateError {
    fn from(error: der::Error) -> Self {
        CertificateError::Encoding(error.to_string())
    }
}

/// TBSCertificate (RFC 5280, section 4.1).
#[derive(Sequence)]
struct ToBeSigned {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    version: Version,
    serial_number: SerialNumber,
    signature: AlgorithmIdentifierOwned,
    issuer: RdnSequence,
    validity: Validity,
    subject: RdnSequence,
    subject_public_key_info: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT")]
    extensions: Extensions,
}

/// Certificate (RFC 5280, section 4.1).
#[derive(Sequence)]
struct Signed {
    to_be_signed: ToBeSigned,
    signature_algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// A self-signed certificate of a key for signatures alone, in DER.
///
/// `secret` is in the form of `algorithm`, and `code` implements it. The Subject Key Identifier is the SHA-1 of the
/// public key (method 1 of RFC 5280, section 4.2.1.2), so that signatures made under it and under the bare key name the
/// same id. Where the implementation signs deterministically, the same arguments give the same certificate.
///
/// # Errors
/// [`CertificateError`].
pub fn self_signed(
    code: &dyn Signature,
    algorithm: &KeyAlgorithm,
    secret: &[u8],
    terms: &Terms<'_>,
) -> Result<Vec<u8>, CertificateError> {
    if (code.public_key_form(), code.secret_key_form())
        != (algorithm.public_key_form(), algorithm.secret_key_form())
    {
        return Err(CertificateError::KeyForm(*algorithm));
    }
    let key = code.signing_key(secret)?;
    let public = key.public_key();
    let info = public_key_info(algorithm, &public)?;
    let scheme = SelfSignature::of(algorithm, &public);
    let identifier = OctetString::new(Sha1::digest(info.subject_public_key.raw_bytes()).to_vec())?;
    let subject = name(terms.common_name)?;
    let to_be_signed = ToBeSigned {
        version: Version::V3,
        serial_number: serial(terms.serial)?,
        signature: scheme.identifier(),
        issuer: subject.clone(),
        validity: validity(terms)?,
        subject,
        subject_public_key_info: info,
        extensions: vec![
            extension(true, &BasicConstraints { ca: false, path_len_constraint: None })?,
            extension(true, &KeyUsage(KeyUsages::DigitalSignature.into()))?,
            extension(false, &SubjectKeyIdentifier(identifier))?,
        ],
    };
    let signature = scheme.sign(key.as_ref(), &to_be_signed.to_der()?)?;
    let signature_algorithm = to_be_signed.signature.clone();
    Ok(Signed { to_be_signed, signature_algorithm, signature: BitString::from_bytes(&signature)? }
        .to_der()?)
}

/// A private key as PKCS #8 in PEM, in the form of its algorithm: RSA as PKCS #1, a scalar as SEC 1 with its public
/// key, ML-DSA as its seed (RFC 9881, section 6).
///
/// # Errors
/// [`CertificateError::Secret`] and [`CertificateError::Encoding`].
pub fn private_key_pem(
    algorithm: &KeyAlgorithm,
    pair: &KeyPair,
) -> Result<Zeroizing<String>, CertificateError> {
    let der = match algorithm {
        KeyAlgorithm::Rsa { .. } => pkcs8(pkcs1::ALGORITHM_ID, &pair.secret)?,
        KeyAlgorithm::Ec { curve } => {
            let point = uncompressed(&pair.public);
            let key = EcPrivateKey {
                private_key: &pair.secret,
                parameters: None, // they stand around it
                public_key: Some(&point),
            };
            let key = Zeroizing::new(key.to_der()?);
            let parameters = Some(AnyRef::from(curve));
            pkcs8(AlgorithmIdentifierRef { oid: sec1::ALGORITHM_OID, parameters }, &key)?
        }
        KeyAlgorithm::Named(oid) => named_pkcs8(*oid, &pair.secret)?,
    };
    // This crate's own reader is the judge of what was written.
    PrivateKey::from_pkcs8(&der).map_err(|_| CertificateError::Secret(*algorithm))?;
    let pem = pem_rfc7468::encode_string("PRIVATE KEY", LineEnding::LF, &der);
    pem.map(Zeroizing::new).map_err(|error| CertificateError::Encoding(error.to_string()))
}

fn pkcs8(algorithm: AlgorithmIdentifierRef<'_>, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, CertificateError> {
    Ok(Zeroizing::new(PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(key)?).to_der()?))
}

/// The key of an algorithm that its identifier alone names. Which of three forms its specification chose, the reader of
/// such files knows: it is the one in which it finds the key again, at its full length.
fn named_pkcs8(oid: ObjectIdentifier, secret: &[u8]) -> Result<Zeroizing<Vec<u8>>, CertificateError> {
    let seed = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };
    for tag in [Some(Tag::OctetString), Some(seed), None] {
        let key = Zeroizing::new(match tag {
            Some(tag) => AnyRef::new(tag, secret)?.to_der()?,
            None => secret.to_vec(),
        });
        let der = pkcs8(AlgorithmIdentifierRef { oid, parameters: None }, &key)?;
        if let Ok(PrivateKey { secret: Secret::Ready(read), .. }) = PrivateKey::from_pkcs8(&der)
            && read.len() == secret.len()
        {
            return Ok(der);
        }
    }
    Err(CertificateError::Secret(KeyAlgorithm::Named(oid)))
}

/// A public key as a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1), in the form of its algorithm
/// ([`KeyAlgorithm::public_key_form`]).
///
/// # Errors
/// [`CertificateError::Encoding`].
pub fn public_key_der(algorithm: &KeyAlgorithm, public: &[u8]) -> Result<Vec<u8>, CertificateError> {
    Ok(public_key_info(algorithm, public)?.to_der()?)
}

fn public_key_info(
    algorithm: &KeyAlgorithm,
    public: &[u8],
) -> Result<SubjectPublicKeyInfoOwned, CertificateError> {
    let (oid, parameters, key) = match algorithm {
        KeyAlgorithm::Rsa { .. } => (pkcs1::ALGORITHM_OID, Some(Any::null()), Cow::Borrowed(public)),
        KeyAlgorithm::Ec { curve } => {
            (sec1::ALGORITHM_OID, Some(Any::from(curve)), Cow::Owned(uncompressed(public)))
        }
        KeyAlgorithm::Named(oid) => (*oid, None, Cow::Borrowed(public)),
    };
    let subject_public_key = BitString::from_bytes(&key)?;
    Ok(SubjectPublicKeyInfoOwned {
        algorithm: AlgorithmIdentifierOwned { oid, parameters },
        subject_public_key,
    })
}

/// A point as SEC 1, section 2.3.3, writes it uncompressed.
fn uncompressed(coordinates: &[u8]) -> Vec<u8> {
    [&[4], coordinates].concat()
}

/// How a certificate is signed by its key.
enum SelfSignature {
    Rsa,
    /// With the hash that is as strong as the curve.
    Ecdsa(HashAlgorithm),
    /// By an algorithm that hashes by itself.
    Message(ObjectIdentifier),
}

impl SelfSignature {
    fn of(algorithm: &KeyAlgorithm, public: &[u8]) -> Self {
        match algorithm {
            KeyAlgorithm::Rsa { .. } => SelfSignature::Rsa,
            KeyAlgorithm::Ec { .. } => SelfSignature::Ecdsa(match public.len() / 2 {
                0..=32 => HashAlgorithm::Sha256,
                33..=48 => HashAlgorithm::Sha384,
                _ => HashAlgorithm::Sha512,
            }),
            KeyAlgorithm::Named(oid) => SelfSignature::Message(*oid),
        }
    }

    fn identifier(&self) -> AlgorithmIdentifierOwned {
        let (oid, parameters) = match self {
            // RFC 4055, section 5: the parameters are NULL; RFC 5758 and RFC 9881 leave them out.
            SelfSignature::Rsa => (RSA_WITH_SHA256, Some(Any::null())),
            SelfSignature::Ecdsa(HashAlgorithm::Sha256) => (ECDSA_WITH_SHA256, None),
            SelfSignature::Ecdsa(HashAlgorithm::Sha384) => (ECDSA_WITH_SHA384, None),
            SelfSignature::Ecdsa(_) => (ECDSA_WITH_SHA512, None),
            SelfSignature::Message(oid) => (*oid, None),
        };
        AlgorithmIdentifierOwned { oid, parameters }
    }

    fn sign(&self, key: &dyn SigningKey, message: &[u8]) -> Result<Vec<u8>, CertificateError> {
        let mut signature = Vec::new();
        let hash = match self {
            SelfSignature::Message(_) => {
                match key.sign_deterministic(message, &mut signature) {
                    Err(fieldtest_kinds::Error::Unsupported(_)) => key.sign(message, &mut signature)?,
                    done => done?,
                }
                return Ok(signature);
            }
            SelfSignature::Rsa => HashAlgorithm::Sha256,
            SelfSignature::Ecdsa(hash) => *hash,
        };
        key.sign_digest(hash.into(), Digest::of(hash, message).bytes(), &mut signature)?;
        match self {
            SelfSignature::Ecdsa(_) => fieldtest_ecdsa_der::to_der(&signature).ok_or(CertificateError::Ecdsa),
            _ => Ok(signature),
        }
    }
}

fn name(common_name: &str) -> Result<RdnSequence, CertificateError> {
    let characters = common_name.chars().count();
    if !(1..=LONGEST_COMMON_NAME).contains(&characters) {
        return Err(CertificateError::CommonName(characters));
    }
    let value = Any::new(Tag::Utf8String, common_name.as_bytes())?;
    let mut name = RdnSequence::default();
    name.push(RelativeDistinguishedName::try_from(vec![AttributeTypeAndValue { oid: COMMON_NAME, value }])?);
    Ok(name)
}

fn serial(bytes: &[u8]) -> Result<SerialNumber, CertificateError> {
    match bytes.iter().any(|byte| *byte != 0) {
        true => SerialNumber::new(bytes).map_err(|_| CertificateError::Serial),
        false => Err(CertificateError::Serial),
    }
}

fn validity(terms: &Terms<'_>) -> Result<Validity, CertificateError> {
    let (from, to) = (terms.not_before, terms.not_after);
    let time = |seconds| DateTime::from_unix_duration(Duration::from_secs(seconds)).map(Time::from);
    match (time(from), time(to)) {
        (Ok(first), Ok(last)) if from <= to => Ok(Validity::new(first, last)),
        _ => Err(CertificateError::Validity { from, to }),
    }
}

fn extension<T: AssociatedOid + Encode>(critical: bool, value: &T) -> Result<Extension, CertificateError> {
    Ok(Extension { extn_id: T::OID, critical, extn_value: OctetString::new(value.to_der()?)? })
}
