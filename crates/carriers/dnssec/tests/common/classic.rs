//! The classic algorithms over RustCrypto's libraries, for tests alone: the crate itself knows none.

use ed25519_dalek::{Signer as _, Verifier as _};
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey};
use fieldtest_kinds::{Error, prepared};
use getrandom::SysRng;
use rsa::pkcs1::{
    DecodeRsaPrivateKey as _, DecodeRsaPublicKey as _, EncodeRsaPrivateKey as _, EncodeRsaPublicKey as _,
};
use rsa::rand_core::UnwrapErr;
use rsa::signature::SignatureEncoding as _;
use rsa::{PrivateKey, PublicKey, pkcs1v15};
use sha2::Sha256;

/// Whether a public key, a message and a signature fit.
type Verifies = fn(&[u8], &[u8], &[u8]) -> Option<()>;

/// An algorithm as functions of bytes. A key is parsed at every use, which tests can afford.
#[derive(Clone, Copy)]
pub struct Classic {
    form: PublicKeyForm,
    generate: fn() -> Vec<u8>,
    public: fn(&[u8]) -> Option<Vec<u8>>,
    sign: fn(&[u8], &[u8]) -> Option<Vec<u8>>,
    verify: Verifies,
}

impl Signature for Classic {
    fn public_key_form(&self) -> PublicKeyForm {
        self.form
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let secret = (self.generate)();
        let public = self.signing_key(&secret)?.public_key();
        Ok(KeyPair { secret, public })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let public = (self.public)(secret).ok_or_else(|| Error::MalformedKey("no secret key".to_owned()))?;
        let (secret, sign) = (secret.to_vec(), self.sign);
        Ok(prepared::deterministic(public, move |message, signature| {
            *signature = sign(&secret, message).expect("a key that was parsed before");
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let (public, verify) = (public.to_vec(), self.verify);
        Ok(prepared::verifying(move |message, signature| verify(&public, message, signature).is_some()))
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system's randomness");
    bytes
}

pub static ED25519: Classic = Classic {
    form: PublicKeyForm::Plain,
    generate: || random::<32>().to_vec(),
    public: |secret| Some(ed25519(secret)?.verifying_key().to_bytes().to_vec()),
    sign: |secret, message| Some(ed25519(secret)?.sign(message).to_vec()),
    verify: |public, message, signature| {
        let key = ed25519_dalek::VerifyingKey::from_bytes(public.try_into().ok()?).ok()?;
        key.verify(message, &ed25519_dalek::Signature::from_slice(signature).ok()?).ok()
    },
};

fn ed25519(secret: &[u8]) -> Option<ed25519_dalek::SigningKey> {
    Some(ed25519_dalek::SigningKey::from_bytes(secret.try_into().ok()?))
}

macro_rules! curve {
    ($name:ident, $library:ident, $width:literal) => {
        pub static $name: Classic = Classic {
            form: PublicKeyForm::EcPoint,
            generate: || loop {
                // A random string is a scalar unless it is 0 or not below the order.
                let secret = random::<$width>();
                if $library::ecdsa::SigningKey::from_slice(&secret).is_ok() {
                    return secret.to_vec();
                }
            },
            public: |secret| {
                let key = $library::ecdsa::SigningKey::from_slice(secret).ok()?;
                Some(key.verifying_key().to_sec1_point(false).as_bytes()[1..].to_vec())
            },
            sign: |secret, message| {
                let key = $library::ecdsa::SigningKey::from_slice(secret).ok()?;
                let signature: $library::ecdsa::Signature = key.sign(message);
                Some(signature.to_vec())
            },
            verify: |public, message, signature| {
                let point = [&[4], public].concat();
                let key = $library::ecdsa::VerifyingKey::from_sec1_bytes(&point).ok()?;
                key.verify(message, &$library::ecdsa::Signature::from_slice(signature).ok()?).ok()
            },
        };
    };
}

curve!(P256, p256, 32);
curve!(P384, p384, 48);

pub static RSA_2048: Classic = Classic {
    form: PublicKeyForm::RsaPkcs1,
    generate: || {
        let key = PrivateKey::new(&mut UnwrapErr(SysRng), 2048).expect("a key");
        key.to_pkcs1_der().expect("its DER").as_bytes().to_vec()
    },
    public: |secret| Some(rsa(secret)?.to_public_key().to_pkcs1_der().ok()?.as_bytes().to_vec()),
    sign: |secret, message| Some(pkcs1v15::SigningKey::<Sha256>::new(rsa(secret)?).sign(message).to_vec()),
    verify: |public, message, signature| {
        let key = pkcs1v15::VerifyingKey::<Sha256>::new(PublicKey::from_pkcs1_der(public).ok()?);
        key.verify(message, &signature.try_into().ok()?).ok()
    },
};

fn rsa(secret: &[u8]) -> Option<PrivateKey> {
    PrivateKey::from_pkcs1_der(secret).ok()
}
