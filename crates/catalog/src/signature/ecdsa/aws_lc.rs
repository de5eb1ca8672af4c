use aws_lc_rs::digest::{Digest, SHA256, SHA384};
use aws_lc_rs::encoding::AsBigEndian as _;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, EcdsaVerificationAlgorithm,
    KeyPair as _, ParsedPublicKey,
};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};

use crate::der::{self, Curve, check_digest};

use super::super::{failed, put};
use super::{coordinates, scalar, uncompressed};

pub(super) struct Ecdsa {
    curve: Curve,
    signing: &'static EcdsaSigningAlgorithm,
    verifying: &'static EcdsaVerificationAlgorithm,
}

pub(super) const P256: Ecdsa = Ecdsa {
    curve: Curve::P256,
    signing: &ECDSA_P256_SHA256_FIXED_SIGNING,
    verifying: &ECDSA_P256_SHA256_FIXED,
};

pub(super) const P384: Ecdsa = Ecdsa {
    curve: Curve::P384,
    signing: &ECDSA_P384_SHA384_FIXED_SIGNING,
    verifying: &ECDSA_P384_SHA384_FIXED,
};

impl Signature for Ecdsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::EcPoint
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let pair = EcdsaKeyPair::generate(self.signing).map_err(|_| failed("key generation"))?;
        let secret = pair.private_key().as_be_bytes().map_err(|_| failed("reading the secret key"))?;
        let public = coordinates(self.curve, pair.public_key().as_ref())?;
        Ok(KeyPair { secret: secret.as_ref().to_vec(), public })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let der = der::ec_private_key(self.curve, scalar(self.curve, secret)?)?;
        let pair = EcdsaKeyPair::from_private_key_der(self.signing, &der)
            .map_err(|e| Error::MalformedKey(e.to_string()))?;
        let public = coordinates(self.curve, pair.public_key().as_ref())?;
        Ok(Box::new(Signing { curve: self.curve, pair, public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let point = uncompressed(self.curve, public)?;
        let key =
            ParsedPublicKey::new(self.verifying, point).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(Box::new(Verifying { curve: self.curve, key }))
    }
}

struct Signing {
    curve: Curve,
    pair: EcdsaKeyPair,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        // AWS-LC draws from its own generator; the argument is there for the sake of ring's interface.
        let signed = self.pair.sign(&SystemRandom::new(), message).map_err(|_| failed("signing"))?;
        put(signature, signed.as_ref());
        Ok(())
    }

    /// With a random nonce: AWS-LC has no other.
    fn sign_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let signed = self.pair.sign_digest(&imported(self.curve, algorithm, digest)?);
        put(signature, signed.map_err(|_| failed("signing"))?.as_ref());
        Ok(())
    }
}

/// The digest under the name of the one hash that AWS-LC ties to the curve; to the curve, all are integers.
fn imported(curve: Curve, algorithm: DigestAlgorithm, digest: &[u8]) -> Result<Digest, Error> {
    check_digest(algorithm, digest)?;
    let hash = match curve {
        Curve::P256 => &SHA256,
        Curve::P384 => &SHA384,
    };
    Digest::import_less_safe(&curve.fitted(digest), hash).map_err(|_| failed("taking a digest"))
}

struct Verifying {
    curve: Curve,
    key: ParsedPublicKey,
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
        let digest = imported(self.curve, algorithm, digest)?;
        self.key.verify_digest_sig(&digest, signature).map_err(|_| Error::InvalidSignature)
    }
}
