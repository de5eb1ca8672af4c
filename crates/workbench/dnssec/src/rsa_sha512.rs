//! RSA with SHA-512, DNSSEC's algorithm 10 (RFC 5702, section 3.2): zones signed with it are checked, and its keys sign.
//!
//! It is no algorithm of the catalog, as its sizes and its work are those of `rsa-2048` with another hash function. So
//! this is RSA by the catalog, over digests.

use std::sync::OnceLock;

use fieldtest_catalog::signature::{self, Implementation};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};
use sha2::{Digest as _, Sha512};

/// Its number at IANA.
pub(crate) const NUMBER: u8 = 10;

/// The implementation, if the catalog has RSA.
pub(crate) fn implementation() -> Option<&'static dyn Signature> {
    static FOUND: OnceLock<Option<RsaSha512>> = OnceLock::new();
    let rsa = || {
        let rsa = signature::find("rsa-2048").ok()?;
        let any = rsa.implementation("rustcrypto").ok()?;
        Some(RsaSha512 { first: rsa.implementation("aws-lc").unwrap_or(any), any })
    };
    FOUND.get_or_init(rsa).as_ref().map(|found| found as &dyn Signature)
}

/// Both sign and verify digests of SHA-512.
struct RsaSha512 {
    /// The fast one, which signs with moduli of 2,048 bits and more only.
    first: &'static Implementation,
    /// The one that signs with smaller ones too, as RFC 5702, section 2.2 allows.
    any: &'static Implementation,
}

impl Signature for RsaSha512 {
    fn public_key_form(&self) -> PublicKeyForm {
        self.first.code.public_key_form()
    }

    fn secret_key_form(&self) -> SecretKeyForm {
        self.first.code.secret_key_form()
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        self.first.code.generate()
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = self.first.code.signing_key(secret).or_else(|_| self.any.code.signing_key(secret))?;
        Ok(Box::new(Signing(key)))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(Verifying(self.first.code.verifying_key(public)?)))
    }
}

struct Signing(Box<dyn SigningKey>);

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.0.public_key()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.0.sign_digest(DigestAlgorithm::Sha512, &Sha512::digest(message), signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }
}

struct Verifying(Box<dyn VerifyingKey>);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify_digest(DigestAlgorithm::Sha512, &Sha512::digest(message), signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest is SHA-512's, so what SHA-256 signs is refused, and the other way round.
    #[test]
    fn signs_and_verifies() {
        let rsa = &signature::find("rsa-2048").unwrap().implementations[0].code;
        let implementation = implementation().unwrap();
        let pair = implementation.generate().unwrap();
        let (mut ours, mut other) = (Vec::new(), Vec::new());
        implementation.signing_key(&pair.secret).unwrap().sign(b"message", &mut ours).unwrap();
        rsa.signing_key(&pair.secret).unwrap().sign(b"message", &mut other).unwrap();
        let key = implementation.verifying_key(&pair.public).unwrap();
        assert!(key.verify(b"message", &ours).is_ok());
        assert!(key.verify(b"massage", &ours).is_err() && key.verify(b"message", &other).is_err());
        assert!(rsa.verifying_key(&pair.public).unwrap().verify(b"message", &ours).is_err());
    }
}
