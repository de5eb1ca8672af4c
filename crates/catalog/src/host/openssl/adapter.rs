//! Signatures by the host's OpenSSL.

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey};

use crate::adapt::random;
use crate::der;
use crate::pool::Pool;

use super::ffi::{Digest, Key, Libcrypto, Of, Prepared, Signs, Verifies};
use super::scheme::{Scheme, Secret, group};

pub(super) struct Adapter {
    libcrypto: &'static Libcrypto,
    scheme: Scheme,
    /// For schemes that sign a digest: the hash function, looked up once.
    digest: Option<Arc<Digest>>,
}

impl Adapter {
    /// Nothing, if this OpenSSL does not offer the scheme.
    pub(super) fn new(libcrypto: &'static Libcrypto, scheme: Scheme) -> Option<Self> {
        if !libcrypto.offers(scheme.key_type()) {
            return None;
        }
        let digest = match scheme.digest() {
            None => None,
            Some(name) => Some(Arc::new(Digest::named(libcrypto, name).ok()?)),
        };
        Some(Adapter { libcrypto, scheme, digest })
    }

    fn read_secret(&self, secret: &[u8]) -> Result<Key, Error> {
        let key = Key::from_pkcs8(self.libcrypto, &self.scheme.pkcs8(secret)?)?;
        if let Secret::Ec(_) = self.scheme.secret() {
            key.check_private()?;
        }
        Ok(key)
    }

    /// A key and its secret bytes, made by OpenSSL or, where the secret is a seed, from a random one.
    fn make(&self) -> Result<(Key, Vec<u8>), Error> {
        let make = |of| Key::generate(self.libcrypto, self.scheme.key_type(), of);
        match self.scheme.secret() {
            Secret::Rsa(modulus) => {
                let key = make(Of::Bits(modulus.bits()))?;
                let secret = key.private_der()?.to_vec();
                Ok((key, secret))
            }
            Secret::Ec(curve) => {
                let key = make(Of::Group(group(curve)))?;
                let secret = key.scalar(curve.width())?.to_vec();
                Ok((key, secret))
            }
            // OpenSSL's raw private key is the expanded one.
            Secret::Tagged => {
                let seed = random::<32>()?;
                Ok((self.read_secret(&*seed)?, seed.to_vec()))
            }
            Secret::Wrapped | Secret::Bare(_) => {
                let key = make(Of::Type)?;
                let secret = key.raw_private()?.to_vec();
                Ok((key, secret))
            }
        }
    }
}

impl Signature for Adapter {
    fn public_key_form(&self) -> PublicKeyForm {
        self.scheme.public_key_form()
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let (key, secret) = self.make()?;
        Ok(KeyPair { secret, public: self.scheme.public(&key)? })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = self.read_secret(secret)?;
        let public = self.scheme.public(&key)?;
        Ok(match &self.digest {
            None => Box::new(MessageSigner { key, public }),
            Some(digest) => Box::new(DigestKey {
                key,
                digest: digest.clone(),
                scheme: self.scheme,
                public,
                idle: Pool::<Prepared<Signs>>::default(),
            }),
        })
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = self.scheme.read_public(self.libcrypto, public)?;
        Ok(match &self.digest {
            None => Box::new(MessageVerifier(key)),
            Some(digest) => Box::new(DigestKey {
                key,
                digest: digest.clone(),
                scheme: self.scheme,
                public: public.to_vec(),
                idle: Pool::<Prepared<Verifies>>::default(),
            }),
        })
    }
}

/// A key of RSA or ECDSA, which sign a digest. Preparing a context costs as much as a tenth of a P-256 signature.
struct DigestKey<Purpose> {
    key: Key,
    digest: Arc<Digest>,
    scheme: Scheme,
    public: Vec<u8>,
    idle: Pool<Prepared<Purpose>>,
}

impl<Purpose> DigestKey<Purpose> {
    fn is_rsa(&self) -> bool {
        matches!(self.scheme.secret(), Secret::Rsa(_))
    }
}

impl SigningKey for DigestKey<Signs> {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let prepare = || self.key.digest_signer(&self.digest, self.is_rsa());
        match self.scheme.secret() {
            Secret::Ec(curve) => {
                let mut der = Vec::new();
                self.idle.with(prepare, |context| context.sign(&self.digest, message, &mut der))?;
                *signature = der::ecdsa_to_fixed(curve, &der)?;
                Ok(())
            }
            _ => self.idle.with(prepare, |context| context.sign(&self.digest, message, signature)),
        }
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        if self.is_rsa() {
            return self.sign(message, signature);
        }
        // OpenSSL 3.2 and newer could, by a parameter; what is deployed signs with random nonces.
        Err(Error::Unsupported("deterministic signing"))
    }
}

impl VerifyingKey for DigestKey<Verifies> {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let converted;
        let signature = match self.scheme.secret() {
            Secret::Ec(curve) => {
                converted = der::ecdsa_to_der(curve, signature)?;
                &converted
            }
            _ => signature,
        };
        let prepare = || self.key.digest_verifier(&self.digest, self.is_rsa());
        self.idle.with(prepare, |context| context.verify(&self.digest, message, signature))
    }
}

/// A secret key of an algorithm that hashes the message itself.
struct MessageSigner {
    key: Key,
    public: Vec<u8>,
}

impl SigningKey for MessageSigner {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.key.sign_message(message, false, signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.key.sign_message(message, true, signature)
    }
}

struct MessageVerifier(Key);

impl VerifyingKey for MessageVerifier {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.0.verify_message(message, signature)
    }
}
