//! Public keys: SubjectPublicKeyInfo, PKCS #1, and certificates.

use der::Decode;
use fieldtest_kinds::signature::PublicKeyForm;
use pkcs1::RsaPublicKeyRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use super::{
    EC_PUBLIC_KEY, KeyAlgorithm, KeyError, RSA_ENCRYPTION, UNCOMPRESSED, key_id, pem, rsa_of_modulus,
};
use crate::xattr::KeyId;

/// A public key from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// Which algorithm it is of.
    pub algorithm: KeyAlgorithm,
    /// Its bytes in the form of its algorithm ([`KeyAlgorithm::public_key_form`]).
    pub bytes: Vec<u8>,
    /// The last four bytes of the certificate's Subject Key Identifier, else those of [`key_id`].
    ///
    /// The kernel looks for the key whose certificate's identifier ends so.
    pub id: KeyId,
    /// Whether it is of a certificate without that identifier. No kernel finds the key of such a one by the id of a signature.
    pub unidentified: bool,
}

impl PublicKey {
    /// Reads every public key and certificate of a file: PEM with any number of them, or DER with one. Private keys
    /// in the same file are passed over.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read_all(file: &[u8]) -> Result<Vec<Self>, KeyError> {
        let blocks = pem::blocks(file)?;
        if blocks.is_empty() {
            return Self::from_der(file).map(|key| vec![key]);
        }
        let mut keys = Vec::new();
        for block in &blocks {
            match block.label.as_str() {
                "PUBLIC KEY" => keys.push(Self::from_spki(&block.der)?),
                "RSA PUBLIC KEY" => keys.push(Self::from_pkcs1(&block.der)?),
                "CERTIFICATE" | "X509 CERTIFICATE" => keys.push(Self::from_certificate(&block.der)?),
                _ => {}
            }
        }
        if keys.is_empty() {
            let found: Vec<&str> = blocks.iter().map(|block| block.label.as_str()).collect();
            let wanted = "public key and no certificate";
            return Err(KeyError::NoKey { wanted, found: found.join(", ") });
        }
        Ok(keys)
    }

    /// Reads DER: a certificate, a SubjectPublicKeyInfo, or an `RSAPublicKey`.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        KeyError::of_cut(der)?;
        if RsaPublicKeyRef::from_der(der).is_ok() {
            Self::from_pkcs1(der)
        } else if SubjectPublicKeyInfoRef::from_der(der).is_ok() {
            Self::from_spki(der)
        } else {
            Self::from_certificate(der)
        }
    }

    /// Reads an X.509 certificate (RFC 5280). Neither its validity nor its signature is looked at: the kernel does
    /// that when the certificate is put into a keyring.
    ///
    /// # Errors
    /// [`KeyError`].
    #[cfg(feature = "certificates")]
    pub fn from_certificate(der: &[u8]) -> Result<Self, KeyError> {
        use x509_cert::Certificate;
        use x509_cert::ext::pkix::SubjectKeyIdentifier;

        let malformed = KeyError::structure("certificate");
        let certificate = Certificate::from_der(der).map_err(&malformed)?;
        let certificate = certificate.tbs_certificate();
        let info = certificate.subject_public_key_info();
        let algorithm = AlgorithmIdentifierRef {
            oid: info.algorithm.oid,
            parameters: info.algorithm.parameters.as_ref().map(Into::into),
        };
        let mut key = Self::from_parts(algorithm, info.subject_public_key.as_bytes())?;
        let identifier = certificate.get_extension::<SubjectKeyIdentifier>().map_err(&malformed)?;
        key.unidentified = identifier.is_none();
        if let Some((_, identifier)) = identifier {
            let identifier = identifier.0.as_bytes();
            let Some(last) = identifier.last_chunk() else {
                let reason =
                    format!("its Subject Key Identifier has {} bytes, fewer than 4", identifier.len());
                return Err(KeyError::Structure { structure: "certificate", reason });
            };
            key.id = KeyId(*last);
        }
        Ok(key)
    }

    /// Says that certificates are not read: the feature `certificates` was left out.
    ///
    /// # Errors
    /// [`KeyError::Certificate`].
    #[cfg(not(feature = "certificates"))]
    pub fn from_certificate(_: &[u8]) -> Result<Self, KeyError> {
        Err(KeyError::Certificate)
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1).
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_spki(der: &[u8]) -> Result<Self, KeyError> {
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(KeyError::structure("public key"))?;
        Self::from_parts(info.algorithm, info.subject_public_key.as_bytes())
    }

    /// Reads an `RSAPublicKey` (RFC 8017, appendix A.1.1).
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_pkcs1(der: &[u8]) -> Result<Self, KeyError> {
        let key = RsaPublicKeyRef::from_der(der).map_err(KeyError::structure("RSA public key"))?;
        let id = key_id(PublicKeyForm::RsaPkcs1, der);
        Ok(PublicKey {
            algorithm: rsa_of_modulus(key.modulus.as_bytes()),
            bytes: der.to_vec(),
            id,
            unidentified: false,
        })
    }

    fn from_parts(algorithm: AlgorithmIdentifierRef<'_>, bits: Option<&[u8]>) -> Result<Self, KeyError> {
        let bits = bits.ok_or_else(|| KeyError::Structure {
            structure: "public key",
            reason: "it is not a whole number of bytes".to_string(),
        })?;
        match algorithm.oid {
            RSA_ENCRYPTION => Self::from_pkcs1(bits),
            EC_PUBLIC_KEY => {
                let curve = algorithm.parameters_oid().map_err(|_| KeyError::UnnamedCurve)?;
                let coordinates = coordinates(bits)?.to_vec();
                let id = key_id(PublicKeyForm::EcPoint, &coordinates);
                Ok(PublicKey {
                    algorithm: KeyAlgorithm::Ec { curve },
                    bytes: coordinates,
                    id,
                    unidentified: false,
                })
            }
            oid => {
                let id = key_id(PublicKeyForm::Plain, bits);
                Ok(PublicKey {
                    algorithm: KeyAlgorithm::Named(oid),
                    bytes: bits.to_vec(),
                    id,
                    unidentified: false,
                })
            }
        }
    }
}

/// `X ‖ Y` of an uncompressed point.
pub(super) fn coordinates(point: &[u8]) -> Result<&[u8], KeyError> {
    match point.split_first() {
        Some((&UNCOMPRESSED, coordinates)) if !coordinates.is_empty() && coordinates.len() % 2 == 0 => {
            Ok(coordinates)
        }
        _ => Err(KeyError::PointForm),
    }
}
