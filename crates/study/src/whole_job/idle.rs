//! A signature algorithm that does nothing: a whole job by it is all that the job is besides signing or verifying, in the same
//! code, with keys and signatures of the same form and length.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, SecretKeyForm, Signature, SigningKey, VerifyingKey,
};

/// In the place of an implementation: one key pair, one signature for whatever is signed, and every signature is accepted.
pub struct Idle<'a> {
    code: &'a dyn Signature,
    pair: KeyPair,
}

impl<'a> Idle<'a> {
    /// In the place of `code`, with a key pair of it.
    pub fn new(code: &'a dyn Signature, pair: KeyPair) -> Idle<'a> {
        Idle { code, pair }
    }
}

impl Signature for Idle<'_> {
    fn public_key_form(&self) -> PublicKeyForm {
        self.code.public_key_form()
    }

    fn secret_key_form(&self) -> SecretKeyForm {
        self.code.secret_key_form()
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        Ok(self.pair.clone())
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let (key, mut signature) = (self.code.signing_key(secret)?, Vec::new());
        key.sign(b"whatever is signed", &mut signature)?;
        Ok(Box::new(IdleKey { public: key.public_key(), signature }))
    }

    fn verifying_key(&self, _: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(Accepting))
    }
}

struct IdleKey {
    public: Vec<u8>,
    signature: Vec<u8>,
}

impl IdleKey {
    fn copy_to(&self, signature: &mut Vec<u8>) -> Result<(), Error> {
        signature.clone_from(&self.signature);
        Ok(())
    }
}

impl SigningKey for IdleKey {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, _: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.copy_to(signature)
    }

    fn sign_deterministic(&self, _: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.copy_to(signature)
    }

    fn sign_digest(&self, _: DigestAlgorithm, _: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.copy_to(signature)
    }
}

struct Accepting;

impl VerifyingKey for Accepting {
    fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn verify_digest(&self, _: DigestAlgorithm, _: &[u8], _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_signed_or_verified_but_forms_are_the_same() {
        let code = fieldtest_catalog::signature::find("ed25519").expect("in the catalog").implementations[0]
            .code
            .as_ref();
        let pair = code.generate().expect("keys");
        let idle = Idle::new(code, pair.clone());
        assert_eq!(idle.public_key_form(), code.public_key_form());
        assert_eq!(idle.secret_key_form(), code.secret_key_form());
        let made = idle.generate().expect("the same");
        assert_eq!((&made.secret, &made.public), (&pair.secret, &pair.public));
        let key = idle.signing_key(&pair.secret).expect("a key");
        assert_eq!(key.public_key(), pair.public);
        let signatures = ["one", "two"].map(|message| {
            let mut signature = b"what was there".to_vec();
            key.sign(message.as_bytes(), &mut signature).expect("a signature");
            signature
        });
        assert_eq!(signatures[0].len(), 64);
        let (mut deterministic, mut digest) = (Vec::new(), Vec::new());
        key.sign_deterministic(b"three", &mut deterministic).expect("a signature");
        key.sign_digest(DigestAlgorithm::Sha256, &[7; 32], &mut digest).expect("a signature");
        for other in [&signatures[1], &deterministic, &digest] {
            assert_eq!(*other, signatures[0]);
        }
        let verifying = idle.verifying_key(b"no key").expect("any");
        verifying.verify(b"four", b"no signature").expect("whatever it is");
        verifying.verify_digest(DigestAlgorithm::Sha256, b"no digest", b"").expect("whatever it is");
    }
}
