//! RSA with SHA-512, DNSSEC's algorithm 10, RSASHA512 (RFC 5702, section 3.2): zones signed with it are checked, and its
//! keys sign.
//!
//! It has no entry of its own, as its keys, sizes and work are those of `rsa-2048` with another hash function: IMA, which
//! hashes by itself, would have the same algorithm twice. So this is that RSA, over digests.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use sha2::Sha512;

#[cfg(feature = "aws-lc")]
use super::aws_lc as usual_code;
#[cfg(not(feature = "aws-lc"))]
use super::rustcrypto as usual_code;
use super::super::prepared::{signing_digests, verifying_digests};
use super::{Modulus, rustcrypto};

/// The length of new keys.
const NEW: Modulus = Modulus::Bits2048;

fn usual() -> usual_code::Rsa {
    usual_code::Rsa(NEW)
}

/// RSA with PKCS #1 v1.5 padding and SHA-512, moduli of 1,024 to 4,096 bits.
pub fn rsa_sha512() -> &'static dyn Signature {
    &RsaSha512
}

/// AWS-LC verifies, and signs with moduli of 2,048 bits and more; RustCrypto with smaller ones, as RFC 5702, section 2.2
/// allows them, and with all where AWS-LC was left out.
struct RsaSha512;

impl Signature for RsaSha512 {
    fn public_key_form(&self) -> PublicKeyForm {
        usual().public_key_form()
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        usual().generate()
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = usual().signing_key(secret).or_else(|_| rustcrypto::Rsa(NEW).signing_key(secret))?;
        Ok(signing_digests::<Sha512>(key.public_key(), move |algorithm, digest, signature| {
            key.sign_digest(algorithm, digest, signature)
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = usual().verifying_key(public)?;
        Ok(verifying_digests::<Sha512>(move |algorithm, digest, signature| {
            match key.verify_digest(algorithm, digest, signature) {
                Ok(()) => Ok(true),
                Err(Error::InvalidSignature) => Ok(false),
                Err(other) => Err(other),
            }
        }))
    }
}

#[cfg(test)]
mod tests {

    use super::super::vectors;
    use super::*;
    use crate::KatResult;

    /// The digest is SHA-512's, so what SHA-256 signs is refused, and the other way round.
    #[test]
    fn signs_and_verifies() {
        let implementation = rsa_sha512();
        let pair = implementation.generate().unwrap();
        let (mut ours, mut other) = (Vec::new(), Vec::new());
        implementation.signing_key(&pair.secret).unwrap().sign(b"message", &mut ours).unwrap();
        usual().signing_key(&pair.secret).unwrap().sign(b"message", &mut other).unwrap();
        let key = implementation.verifying_key(&pair.public).unwrap();
        assert!(key.verify(b"message", &ours).is_ok());
        assert!(key.verify(b"massage", &ours).is_err() && key.verify(b"message", &other).is_err());
        assert!(usual().verifying_key(&pair.public).unwrap().verify(b"message", &ours).is_err());
    }

    #[test]
    fn reproduces_wycheproof() {
        for bits in [2048, 3072, 4096] {
            let name = format!("rsa_signature_{bits}_sha512");
            let answers = vectors::wycheproof(rsa_sha512(), &name).unwrap();
            assert!(KatResult::of(vec![answers]).vectors > 200, "{name}");
        }
    }
}
