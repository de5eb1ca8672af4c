//! Signatures by the host's libgcrypt. It takes keys as S-expressions and prepares nothing of them: what is kept here of a
//! key is that.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};

use crate::der::{Curve, check_digest};
use crate::host::openssl::Scheme;

use super::ffi::{Algorithm, Libgcrypt, Sexp};
use super::key::{self, KeyType, padded};

/// The order of Ed25519's base point, little endian (RFC 8032, section 5.1).
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// A signature algorithm of the library.
pub(super) struct Adapter(Family);

/// What a key needs to be used.
#[derive(Clone, Copy)]
struct Family {
    libgcrypt: &'static Libgcrypt,
    key_type: KeyType,
    /// The hash functions of messages that are not hashed by the scheme itself: SHA-256 and SHA-384.
    hashes: [Algorithm; 2],
}

impl Adapter {
    /// Nothing, if this libgcrypt does not have the scheme.
    pub(super) fn new(libgcrypt: &'static Libgcrypt, scheme: Scheme) -> Option<Self> {
        let key_type = KeyType::of(scheme)?;
        if key_type.curve().is_some_and(|name| !libgcrypt.has_curve(name)) {
            return None;
        }
        let hashes = [libgcrypt.hash_function(c"SHA256")?, libgcrypt.hash_function(c"SHA384")?];
        Some(Adapter(Family { libgcrypt, key_type, hashes }))
    }
}

impl Family {
    /// `(data …)` of a message.
    fn data(&self, message: &[u8]) -> Result<Sexp, Error> {
        match self.key_type {
            KeyType::Ed25519 => {
                Sexp::build(self.libgcrypt, c"(data(flags eddsa)(hash-algo sha512)(value %b))", [message])
            }
            KeyType::Ec(Curve::P384) => self.data_of_digest(
                DigestAlgorithm::Sha384,
                &self.libgcrypt.digest::<48>(self.hashes[1], message)?,
            ),
            _ => self.data_of_digest(
                DigestAlgorithm::Sha256,
                &self.libgcrypt.digest::<32>(self.hashes[0], message)?,
            ),
        }
    }

    /// `(data …)` of a digest.
    fn data_of_digest(&self, algorithm: DigestAlgorithm, digest: &[u8]) -> Result<Sexp, Error> {
        check_digest(algorithm, digest)?;
        match self.key_type {
            KeyType::Rsa(_) => {
                let name = digest_info(algorithm)?;
                Sexp::build(self.libgcrypt, c"(data(flags pkcs1)(hash %b %b))", [name, digest])
            }
            // The hash function is named for the nonces of RFC 6979, for which GnuPG asks, too. As with the other
            // implementations it is the curve's own, whatever made the digest.
            KeyType::Ec(curve) => {
                let name: &[u8] = match curve {
                    Curve::P256 => b"sha256",
                    Curve::P384 => b"sha384",
                };
                let format = c"(data(flags rfc6979)(hash %b %b))";
                Sexp::build(self.libgcrypt, format, [name, &curve.fitted(digest)])
            }
            KeyType::Ed25519 => Err(Error::Unsupported("signatures over a digest")),
        }
    }
}

/// libgcrypt's name of a hash function, of which it has the `DigestInfo` of PKCS #1.
fn digest_info(algorithm: DigestAlgorithm) -> Result<&'static [u8], Error> {
    match algorithm {
        DigestAlgorithm::Sha1 => Ok(b"sha1"),
        DigestAlgorithm::Sha256 => Ok(b"sha256"),
        DigestAlgorithm::Sha384 => Ok(b"sha384"),
        DigestAlgorithm::Sha512 => Ok(b"sha512"),
        // 1.10 has a single byte in its place, so that nobody else understands what it signs.
        DigestAlgorithm::Sha3_256 | DigestAlgorithm::Sha3_384 | DigestAlgorithm::Sha3_512 => {
            Err(Error::Unsupported("RSA over digests of SHA-3"))
        }
        _ => Err(Error::Unsupported("RSA over digests of this function")),
    }
}

impl Signature for Adapter {
    fn public_key_form(&self) -> PublicKeyForm {
        match self.0.key_type {
            KeyType::Rsa(_) => PublicKeyForm::RsaPkcs1,
            KeyType::Ec(_) => PublicKeyForm::EcPoint,
            KeyType::Ed25519 => PublicKeyForm::Plain,
        }
    }

    fn secret_key_form(&self) -> SecretKeyForm {
        match self.0.key_type {
            KeyType::Rsa(_) => SecretKeyForm::RsaPkcs1,
            KeyType::Ec(_) => SecretKeyForm::EcScalar,
            KeyType::Ed25519 => SecretKeyForm::Plain,
        }
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        key::generate(self.0.libgcrypt, self.0.key_type)
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let (public, key) = key::secret(self.0.libgcrypt, self.0.key_type, secret)?;
        let signature_len = self.0.key_type.signature_len(&public)?;
        Ok(Box::new(Signing { family: self.0, key, public, signature_len }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = key::public(self.0.libgcrypt, self.0.key_type, public)?;
        let signature_len = self.0.key_type.signature_len(public)?;
        let modulus = match self.0.key_type {
            KeyType::Rsa(_) => key::rsa_modulus(public)?,
            KeyType::Ec(_) | KeyType::Ed25519 => Vec::new(),
        };
        Ok(Box::new(Verifying { family: self.0, key, signature_len, modulus }))
    }
}

struct Signing {
    family: Family,
    key: Sexp,
    public: Vec<u8>,
    signature_len: usize,
}

impl Signing {
    fn sign_data(&self, data: &Sexp, signature: &mut Vec<u8>) -> Result<(), Error> {
        let made = self.family.libgcrypt.sign(data, &self.key)?;
        signature.clear();
        let half = self.signature_len / 2;
        match self.family.key_type {
            KeyType::Rsa(_) => signature.extend(padded(&made.value(c"s")?, self.signature_len)?),
            KeyType::Ec(_) => {
                signature.extend(padded(&made.value(c"r")?, half)?);
                signature.extend(padded(&made.value(c"s")?, half)?);
            }
            KeyType::Ed25519 => {
                signature.extend_from_slice(&made.value(c"r")?);
                signature.extend_from_slice(&made.value(c"s")?);
            }
        }
        Ok(())
    }
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_data(&self.family.data(message)?, signature)
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
        self.sign_data(&self.family.data_of_digest(algorithm, digest)?, signature)
    }
}

struct Verifying {
    family: Family,
    key: Sexp,
    signature_len: usize,
    /// Of RSA.
    modulus: Vec<u8>,
}

impl Verifying {
    /// Whether a signature of the right length is a number that one may be. libgcrypt 1.10 looks at it for ECDSA alone, and of
    /// the others would accept a second signature that anybody can make of one.
    fn is_in_range(&self, signature: &[u8]) -> bool {
        match self.family.key_type {
            // RFC 8017, section 5.2.2.
            KeyType::Rsa(_) => signature < &self.modulus[..],
            KeyType::Ec(_) => true,
            // RFC 8032, section 5.1.7.
            KeyType::Ed25519 => signature[32..].iter().rev().lt(ORDER.iter().rev()),
        }
    }

    fn verify_data(&self, data: &Sexp, signature: &[u8]) -> Result<(), Error> {
        // As numbers, shorter and longer ones could be the same.
        if signature.len() != self.signature_len || !self.is_in_range(signature) {
            return Err(Error::InvalidSignature);
        }
        let libgcrypt = self.family.libgcrypt;
        let (r, s) = signature.split_at(self.signature_len / 2);
        let signature = match self.family.key_type {
            KeyType::Rsa(_) => Sexp::build(libgcrypt, c"(sig-val(rsa(s %b)))", [signature]),
            KeyType::Ec(_) => Sexp::build(libgcrypt, c"(sig-val(ecdsa(r %b)(s %b)))", [r, s]),
            KeyType::Ed25519 => Sexp::build(libgcrypt, c"(sig-val(eddsa(r %b)(s %b)))", [r, s]),
        }?;
        if libgcrypt.accepts(&signature, data, &self.key) { Ok(()) } else { Err(Error::InvalidSignature) }
    }
}

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verify_data(&self.family.data(message)?, signature)
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify_data(&self.family.data_of_digest(algorithm, digest)?, signature)
    }
}
