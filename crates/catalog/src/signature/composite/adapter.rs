//! The two halves as one algorithm (draft-ietf-lamps-pq-composite-sigs-19, section 3), always with an empty application
//! context.

use std::marker::PhantomData;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fieldtest_mldsa::ParameterSet;
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

use super::super::{exactly, random, wrong_length};
use super::{PreHash, Set};
use crate::drbg::with_system;

/// What stands before everything that is signed (section 2.2).
const PREFIX: &[u8] = b"CompositeAlgorithmSignatures2025";
/// Bytes of ML-DSA's seed.
const SEED: usize = 32;

/// ML-DSA with the parameter set `P`, and the algorithm of the set's other half.
pub(super) struct Composite<P> {
    set: &'static Set,
    classic: Arc<dyn Signature>,
    mldsa: PhantomData<P>,
}

impl<P> Composite<P> {
    pub(super) fn new(set: &'static Set, classic: Arc<dyn Signature>) -> Self {
        Composite { set, classic, mldsa: PhantomData }
    }
}

impl Set {
    /// M': what both halves sign.
    fn representative(&self, message: &[u8]) -> Vec<u8> {
        // The application's context would follow its length, which is 0.
        let mut representative = [PREFIX, self.label.as_bytes(), &[0]].concat();
        match self.hash {
            PreHash::Sha256 => representative.extend_from_slice(&Sha256::digest(message)),
            PreHash::Sha512 => representative.extend_from_slice(&Sha512::digest(message)),
        }
        representative
    }
}

impl<P: ParameterSet + Send + Sync + 'static> Signature for Composite<P> {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    /// ML-DSA's seed is drawn first.
    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        random(&mut *seed);
        let mldsa = fieldtest_mldsa::SigningKey::<P>::from_seed(&seed);
        let pair = self.set.classic.generate(&*self.classic, random)?;
        let part = Zeroizing::new(pair.secret);
        Ok(KeyPair {
            secret: [&seed[..], &self.set.classic.write_secret(&part)?].concat(),
            public: [mldsa.public_key(), &self.set.classic.write_public(&pair.public)?].concat(),
        })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let expected = SEED + self.set.classic.secret_length();
        if secret.len() != expected {
            return Err(wrong_length("a secret key of this composite", expected, secret.len()));
        }
        let (seed, part) = secret.split_at(SEED);
        let classic = self.classic.signing_key(&self.set.classic.read_secret(part)?)?;
        let mldsa = fieldtest_mldsa::SigningKey::<P>::from_seed(exactly("an ML-DSA seed", seed)?);
        let public = [mldsa.public_key(), &self.set.classic.write_public(&classic.public_key())?].concat();
        Ok(Box::new(Signing { set: self.set, mldsa, classic, public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let expected = P::PUBLIC_KEY + self.set.classic.public_length();
        if public.len() != expected {
            return Err(wrong_length("a public key of this composite", expected, public.len()));
        }
        let (mldsa, part) = public.split_at(P::PUBLIC_KEY);
        let classic = self.classic.verifying_key(self.set.classic.read_public(part)?)?;
        let mldsa = fieldtest_mldsa::VerifyingKey::<P>::new(mldsa);
        let mldsa = mldsa.map_err(|error| Error::MalformedKey(error.to_string()))?;
        Ok(Box::new(Verifying { set: self.set, mldsa, classic }))
    }
}

struct Signing<P: ParameterSet> {
    set: &'static Set,
    mldsa: fieldtest_mldsa::SigningKey<P>,
    classic: Box<dyn SigningKey>,
    public: Vec<u8>,
}

impl<P: ParameterSet> Signing<P> {
    /// Signs with these random bytes for ML-DSA, and by this function of the other half.
    fn sign_with(
        &self,
        rnd: &[u8; 32],
        classic: impl FnOnce(&dyn SigningKey, &[u8], &mut Vec<u8>) -> Result<(), Error>,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let representative = self.set.representative(message);
        signature.resize(P::SIGNATURE, 0);
        self.mldsa
            .sign(&representative, self.set.label.as_bytes(), rnd, signature)
            .map_err(|error| Error::Library(error.to_string()))?;
        let mut part = Vec::new();
        classic(&*self.classic, &representative, &mut part)?;
        signature.extend_from_slice(&self.set.classic.write_signature(part)?);
        Ok(())
    }
}

impl<P: ParameterSet + Send + Sync> SigningKey for Signing<P> {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_with(&*random()?, |key, message, part| key.sign(message, part), message, signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign_with(&[0; 32], |key, message, part| key.sign_deterministic(message, part), message, signature)
    }

    /// The other half is deterministic here, so that ML-DSA alone draws.
    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut rnd = [0; 32];
        random(&mut rnd);
        self.sign_with(&rnd, |key, message, part| key.sign_deterministic(message, part), message, signature)
    }
}

struct Verifying<P: ParameterSet> {
    set: &'static Set,
    mldsa: fieldtest_mldsa::VerifyingKey<P>,
    classic: Box<dyn VerifyingKey>,
}

impl<P: ParameterSet + Send + Sync> VerifyingKey for Verifying<P> {
    /// Both halves must hold; nothing here is secret, so the first that does not ends it (section 3.3).
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let (mldsa, part) = signature.split_at_checked(P::SIGNATURE).ok_or(Error::InvalidSignature)?;
        let part = self.set.classic.read_signature(part)?;
        let representative = self.set.representative(message);
        self.mldsa
            .verify(&representative, self.set.label.as_bytes(), mldsa)
            .map_err(|_| Error::InvalidSignature)?;
        self.classic.verify(&representative, &part)
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_mldsa::MlDsa44;

    use super::super::{MLDSA44_ECDSA_P256, MLDSA44_ED25519, MLDSA65_ECDSA_P256};
    use super::*;
    use crate::signature::{Algorithm, all};

    fn composites() -> impl Iterator<Item = &'static Algorithm> {
        all().iter().filter(|algorithm| algorithm.facts.family == "Composite ML-DSA")
    }

    /// A composite's code, its name, and the bytes of ML-DSA's signature.
    fn codes() -> impl Iterator<Item = (&'static str, &'static dyn Signature, usize)> {
        composites().map(|it| {
            let name = it.facts.name.as_str();
            let mldsa = if name.starts_with("mldsa44") {
                2420
            } else if name.starts_with("mldsa65") {
                3309
            } else {
                4627
            };
            (name, &*it.implementations[0].code as &dyn Signature, mldsa)
        })
    }

    fn signed(code: &dyn Signature, secret: &[u8], message: &[u8]) -> Vec<u8> {
        let mut signature = Vec::new();
        code.signing_key(secret).unwrap().sign(message, &mut signature).unwrap();
        signature
    }

    /// The draft's appendix "Message Representative Examples", without a context.
    #[test]
    fn the_representative_of_the_draft() {
        let message: [u8; 10] = std::array::from_fn(|i| i as u8);
        let expected = "436f6d706f73697465416c676f726974686d5369676e61747572657332303235\
            434f4d505349472d4d4c44534136352d45434453412d503235362d534841353132\
            00\
            0f89ee1fcb7b0a4f7809d1267a029719004c5a5e5ec323a7c3523a20974f9a3f\
            202f56fadba4cd9e8d654ab9f2e96dc5c795ea176fa20ede8d854c342f903533";
        assert_eq!(MLDSA65_ECDSA_P256.representative(&message), crate::adapt::hex(expected));
    }

    /// The classic half is right, and ML-DSA's is of another message.
    #[test]
    fn a_wrong_half_of_ml_dsa_is_refused() {
        for (name, code, mldsa) in codes() {
            let pair = code.generate().unwrap();
            let key = code.verifying_key(&pair.public).unwrap();
            let (right, wrong) =
                (signed(code, &pair.secret, b"right"), signed(code, &pair.secret, b"wrong"));
            let mixed = [&wrong[..mldsa], &right[mldsa..]].concat();
            assert_eq!(key.verify(b"right", &right), Ok(()), "{name}");
            assert_eq!(key.verify(b"right", &mixed), Err(Error::InvalidSignature), "{name}");
        }
    }

    /// ML-DSA's half is right, and the classic one is of another message.
    #[test]
    fn a_wrong_classic_half_is_refused() {
        for (name, code, mldsa) in codes() {
            let pair = code.generate().unwrap();
            let key = code.verifying_key(&pair.public).unwrap();
            let (right, wrong) =
                (signed(code, &pair.secret, b"right"), signed(code, &pair.secret, b"wrong"));
            let mixed = [&right[..mldsa], &wrong[mldsa..]].concat();
            assert_eq!(key.verify(b"right", &mixed), Err(Error::InvalidSignature), "{name}");
        }
    }

    /// A key that shares one half with the signer's takes none of its signatures.
    #[test]
    fn half_a_key_is_no_key() {
        for (name, code, mldsa) in codes() {
            let public = match mldsa {
                2420 => 1312,
                3309 => 1952,
                _ => 2592,
            };
            let (pair, other) = (code.generate().unwrap(), code.generate().unwrap());
            let signature = signed(code, &pair.secret, b"message");
            for mixed in [
                [&pair.public[..public], &other.public[public..]].concat(),
                [&other.public[..public], &pair.public[public..]].concat(),
            ] {
                let key = code.verifying_key(&mixed).unwrap();
                assert_eq!(key.verify(b"message", &signature), Err(Error::InvalidSignature), "{name}");
            }
        }
    }

    /// Two halves under one pair of keys do not make another set's signature: the label is in both.
    #[test]
    fn halves_alone_and_other_labels_are_refused() {
        for (name, code, mldsa) in codes() {
            let pair = code.generate().unwrap();
            let key = code.verifying_key(&pair.public).unwrap();
            let signature = signed(code, &pair.secret, b"message");
            for part in [&signature[..mldsa], &signature[mldsa..], &[], &signature[..mldsa + 1]] {
                assert_eq!(key.verify(b"message", part), Err(Error::InvalidSignature), "{name}");
            }
        }
        static OTHER: Set = Set { label: "COMPSIG-MLDSA44-Ed25519-SHA256", ..MLDSA44_ED25519 };
        let half = super::super::ed25519::quickest().code;
        let (one, other) =
            (Composite::<MlDsa44>::new(&MLDSA44_ED25519, half.clone()), Composite::<MlDsa44>::new(&OTHER, half));
        let pair = one.generate().unwrap();
        let signature = signed(&one, &pair.secret, b"message");
        let refused = other.verifying_key(&pair.public).unwrap().verify(b"message", &signature);
        assert_eq!(refused, Err(Error::InvalidSignature));
    }

    #[test]
    fn keys_of_another_shape_are_refused() {
        let half = || super::super::ecdsa::quickest(crate::der::Curve::P256).code;
        let code = Composite::<MlDsa44>::new(&MLDSA44_ECDSA_P256, half());
        let pair = code.generate().unwrap();
        // 04 as 02 or 03 marks a compressed point, which is shorter.
        for mark in [0, 2, 3, 5] {
            let mut public = pair.public.clone();
            public[1312] = mark;
            assert!(matches!(code.verifying_key(&public), Err(Error::MalformedKey(_))), "{mark}");
        }
        // The version, the scalar's length, and the curve: of all of ECPrivateKey but the scalar every byte counts.
        for at in (32..39).chain(71..83) {
            let mut secret = pair.secret.clone();
            secret[at] ^= 1;
            assert!(matches!(code.signing_key(&secret), Err(Error::MalformedKey(_))), "byte {at}");
        }
    }

    #[test]
    fn deterministic_signatures_are_the_same_and_others_differ_in_ml_dsa() {
        for (name, code, mldsa) in codes() {
            let pair = code.generate_from(&mut |out: &mut [u8]| out.fill(7)).unwrap();
            let key = code.signing_key(&pair.secret).unwrap();
            let (mut first, mut second, mut given) = (Vec::new(), vec![1], Vec::new());
            key.sign_deterministic(b"message", &mut first).unwrap();
            key.sign_deterministic(b"message", &mut second).unwrap();
            assert_eq!(first, second, "{name}");
            key.sign_from(&mut |out: &mut [u8]| out.fill(0), b"message", &mut given).unwrap();
            assert_eq!(first, given, "{name}");
            key.sign(b"message", &mut second).unwrap();
            assert_ne!(first[..mldsa], second[..mldsa], "{name}");
        }
    }
}
