use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use rsa::pkcs1::{DecodeRsaPrivateKey as _, DecodeRsaPublicKey as _, EncodeRsaPublicKey as _};
use rsa::{Pkcs1v15Sign, PrivateKey, PublicKey};

use super::{invalid, library, malformed};

pub struct Rsa;

impl Signature for Rsa {
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::RsaPkcs1
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        Err(Error::Unsupported("key generation"))
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        Ok(Box::new(Signing(PrivateKey::from_pkcs1_der(secret).map_err(malformed)?)))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(Verifying(PublicKey::from_pkcs1_der(public).map_err(malformed)?)))
    }
}

fn padding(algorithm: DigestAlgorithm) -> Pkcs1v15Sign {
    match algorithm {
        DigestAlgorithm::Sha1 => Pkcs1v15Sign::new::<sha1::Sha1>(),
        DigestAlgorithm::Sha256 => Pkcs1v15Sign::new::<sha2::Sha256>(),
        DigestAlgorithm::Sha384 => Pkcs1v15Sign::new::<sha2::Sha384>(),
        DigestAlgorithm::Sha512 => Pkcs1v15Sign::new::<sha2::Sha512>(),
        DigestAlgorithm::Sha3_256 => Pkcs1v15Sign::new::<sha3::Sha3_256>(),
        DigestAlgorithm::Sha3_384 => Pkcs1v15Sign::new::<sha3::Sha3_384>(),
        DigestAlgorithm::Sha3_512 => Pkcs1v15Sign::new::<sha3::Sha3_512>(),
        other => panic!("no RSA over {other:?} in these tests"),
    }
}

struct Signing(PrivateKey);

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.0.to_public_key().to_pkcs1_der().unwrap().as_bytes().to_vec()
    }

    fn sign(&self, _: &[u8], _: &mut Vec<u8>) -> Result<(), Error> {
        Err(Error::Unsupported("signing a message"))
    }

    fn sign_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        *signature = self.0.sign(padding(algorithm), digest).map_err(library)?;
        Ok(())
    }
}

struct Verifying(PublicKey);

impl VerifyingKey for Verifying {
    fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), Error> {
        Err(Error::Unsupported("verifying a message"))
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        self.0.verify(padding(algorithm), digest, signature).map_err(invalid)
    }
}
