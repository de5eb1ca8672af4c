//! RSA by AWS-LC. It signs with keys of 2048 bits and more. Shorter ones it verifies with SHA-256 and SHA-512 alone; with
//! SHA-384 RustCrypto does.

use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ParsedPublicKey, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_SHA256,
    RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RsaEncoding, RsaKeyPair, RsaParameters, UnparsedPublicKey,
};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};

use crate::der;

use super::super::failed;
use super::{Modulus, check_public, check_secret, rustcrypto};

/// The shortest modulus for which AWS-LC has every hash.
const EVERY_HASH: usize = 2048;

pub(super) struct Rsa(pub(super) Modulus);

impl Signature for Rsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::RsaPkcs1
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let size = match self.0 {
            Modulus::Bits2048 => KeySize::Rsa2048,
            Modulus::Bits3072 => KeySize::Rsa3072,
            Modulus::Bits4096 => KeySize::Rsa4096,
        };
        let pair = RsaKeyPair::generate(size).map_err(|_| failed("key generation"))?;
        let pkcs8 = pair.as_der().map_err(|_| failed("writing the key"))?;
        let secret = der::pkcs8_content(pkcs8.as_ref())?;
        Ok(KeyPair { public: check_secret(&secret)?, secret: secret.to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let public = check_secret(secret)?;
        let pair = RsaKeyPair::from_der(secret).map_err(|error| {
            Error::MalformedKey(match error.to_string().as_str() {
                "TooSmall" => "AWS-LC signs with no RSA key of fewer than 2048 bits; name another implementation".to_owned(),
                other => other.to_owned(),
            })
        })?;
        Ok(Box::new(Signing { pair, public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        check_public(public)?;
        let key = ParsedPublicKey::new(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, public)
            .map_err(|e| Error::MalformedKey(e.to_string()))?;
        let short = der::rsa_modulus_bits(public)? < EVERY_HASH;
        let sha384 = if short { Some(rustcrypto::Rsa(self.0).verifying_key(public)?) } else { None };
        Ok(Box::new(Verifying { key, public: public.to_vec(), sha384 }))
    }
}

struct Signing {
    pair: RsaKeyPair,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        signature.resize(self.pair.public_modulus_len(), 0);
        // AWS-LC draws its blinding from its own generator; the argument is there for the sake of ring's interface.
        self.pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, signature)
            .map_err(|_| failed("signing"))
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
        let (hash, encoding, _) = by_digest(algorithm)?;
        let digest = Digest::import_less_safe(digest, hash).map_err(|_| failed("taking a digest"))?;
        signature.resize(self.pair.public_modulus_len(), 0);
        self.pair.sign_digest(encoding, &digest, signature).map_err(|_| failed("signing"))
    }
}

/// What AWS-LC has for digests of an algorithm: the hash, what signs and what verifies.
type ByDigest = (&'static digest::Algorithm, &'static dyn RsaEncoding, &'static RsaParameters);

fn by_digest(algorithm: DigestAlgorithm) -> Result<ByDigest, Error> {
    match algorithm {
        DigestAlgorithm::Sha256 => {
            Ok((&digest::SHA256, &RSA_PKCS1_SHA256, &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY))
        }
        DigestAlgorithm::Sha384 => Ok((&digest::SHA384, &RSA_PKCS1_SHA384, &RSA_PKCS1_2048_8192_SHA384)),
        DigestAlgorithm::Sha512 => {
            Ok((&digest::SHA512, &RSA_PKCS1_SHA512, &RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY))
        }
        _ => Err(Error::Unsupported("RSA over digests other than SHA-256, SHA-384 and SHA-512")),
    }
}

struct Verifying {
    key: ParsedPublicKey,
    public: Vec<u8>,
    /// What verifies SHA-384 where AWS-LC does not.
    sha384: Option<Box<dyn VerifyingKey>>,
}

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.key.verify_sig(message, signature).map_err(|_| Error::InvalidSignature)
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        if let (DigestAlgorithm::Sha384, Some(other)) = (algorithm, &self.sha384) {
            return other.verify_digest(algorithm, digest, signature);
        }
        let (hash, _, parameters) = by_digest(algorithm)?;
        let digest = Digest::import_less_safe(digest, hash).map_err(|_| failed("taking a digest"))?;
        let verified = match algorithm {
            // The key was parsed for this one.
            DigestAlgorithm::Sha256 => self.key.verify_digest_sig(&digest, signature),
            _ => UnparsedPublicKey::new(parameters, &self.public).verify_digest(&digest, signature),
        };
        verified.map_err(|_| Error::InvalidSignature)
    }
}
