//! Keys and signatures that a run with the same seed has again.

use fieldtest_catalog::Algorithm;
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey};
use fieldtest_measure::Rng;

/// What a key or a signature is drawn from. It is for measuring alone: whoever knows the seed knows the key.
pub(crate) struct Seeded(Rng);

impl Seeded {
    /// The randomness of the `number`th key, with its signatures, in a run of this seed; all implementations of an
    /// algorithm have the same.
    pub(crate) fn new(seed: u64, algorithm: &str, number: u64) -> Seeded {
        let name =
            algorithm.bytes().fold(number, |sum, byte| sum.wrapping_mul(257).wrapping_add(byte.into()));
        Seeded(Rng::for_purpose(seed, name))
    }

    fn fill(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }

    /// A key pair: by the first implementation of the algorithm that writes keys alike and takes its randomness from
    /// outside. The system's randomness serves where none does.
    pub(crate) fn key(&mut self, algorithm: &Algorithm, code: &dyn Signature) -> Result<KeyPair, Error> {
        let others = algorithm.implementations.iter().map(|it| it.code.as_ref());
        let alike = |other: &&dyn Signature| {
            other.secret_key_form() == code.secret_key_form()
                && other.public_key_form() == code.public_key_form()
        };
        for maker in others.filter(alike) {
            match maker.generate_from(&mut |out| self.fill(out)) {
                // What one library writes, another may refuse.
                Ok(pair)
                    if code.signing_key(&pair.secret).is_ok_and(|key| key.public_key() == pair.public) =>
                {
                    return Ok(pair);
                }
                Ok(_) | Err(Error::Unsupported(_)) => {}
                Err(error) => return Err(error),
            }
        }
        code.generate()
    }

    /// A signature, as it is meant for use; by the system's randomness where the implementation takes no other.
    pub(crate) fn sign(&mut self, key: &dyn SigningKey, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = Vec::new();
        match key.sign_from(&mut |out| self.fill(out), message, &mut signature) {
            Err(Error::Unsupported(_)) => key.sign(message, &mut signature)?,
            signed => signed?,
        }
        Ok(signature)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fieldtest_catalog::{kind, signature};
    use fieldtest_kinds::signature::{PublicKeyForm, Randomness, SecretKeyForm, VerifyingKey};

    use super::*;
    use crate::scripted::algorithm;

    /// Writes keys in these forms, and reads those that begin with `own`; those of given randomness end with 1.
    struct MadeUp {
        own: u8,
        forms: (SecretKeyForm, PublicKeyForm),
    }

    struct Key(Vec<u8>);

    impl SigningKey for Key {
        fn public_key(&self) -> Vec<u8> {
            self.0.clone()
        }

        fn sign(&self, _: &[u8], _: &mut Vec<u8>) -> Result<(), Error> {
            Err(Error::Unsupported("signing"))
        }
    }

    impl Signature for MadeUp {
        fn public_key_form(&self) -> PublicKeyForm {
            self.forms.1
        }

        fn secret_key_form(&self) -> SecretKeyForm {
            self.forms.0
        }

        fn generate(&self) -> Result<KeyPair, Error> {
            Ok(KeyPair { secret: vec![self.own, 0], public: vec![self.own] })
        }

        fn generate_from(&self, _: &mut Randomness<'_>) -> Result<KeyPair, Error> {
            Ok(KeyPair { secret: vec![self.own, 1], public: vec![self.own] })
        }

        fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
            if secret[0] == self.own {
                Ok(Box::new(Key(vec![self.own])))
            } else {
                Err(Error::Unsupported("a key"))
            }
        }

        fn verifying_key(&self, _: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
            Err(Error::Unsupported("verifying"))
        }
    }

    #[test]
    fn keys_are_of_a_maker_that_writes_them_alike_and_whose_are_read() {
        let plain = (SecretKeyForm::Plain, PublicKeyForm::Plain);
        let made_up = |own, forms| MadeUp { own, forms };
        let secret = |makers: [MadeUp; 2], code: &MadeUp| {
            let mut of =
                algorithm::<kind::Signature>("ed25519", "made-up", &["one", "two"]).implementations.iter();
            let implementations = makers.map(|code| fieldtest_catalog::Implementation {
                name: of.next().expect("two").name,
                version: String::new(),
                code: Arc::new(code) as Arc<dyn Signature>,
                prove: fieldtest_catalog::Prove::Own(|_| unreachable!("nothing is proven")),
            });
            let facts = algorithm::<kind::Signature>("ed25519", "made-up", &[]).facts;
            let algorithm = Algorithm { facts, implementations: implementations.into() };
            Seeded::new(1, "made-up", 0).key(&algorithm, code).expect("a key").secret
        };
        let code = made_up(7, plain);
        // Of another form, whichever it is, and of another kind of key.
        for other in [
            made_up(7, (SecretKeyForm::EcScalar, PublicKeyForm::Plain)),
            made_up(7, (SecretKeyForm::Plain, PublicKeyForm::EcPoint)),
            made_up(8, plain),
        ] {
            assert_eq!(secret([other, made_up(9, plain)], &code), [7, 0], "the system's");
        }
        assert_eq!(secret([made_up(8, plain), made_up(7, plain)], &code), [7, 1]);
    }

    #[test]
    fn every_seed_algorithm_and_key_has_randomness_of_its_own() {
        let draws = [(1, "a", 0), (2, "a", 0), (1, "b", 0), (1, "a", 1)]
            .map(|(seed, name, number)| Seeded::new(seed, name, number).0.next_u64());
        assert_eq!(std::collections::BTreeSet::from(draws).len(), 4);
    }

    #[test]
    fn a_seed_gives_the_same_keys_to_every_implementation() {
        for name in ["ed25519", "ecdsa-p256", "ml-dsa-44", "hawk-256"] {
            let algorithm = signature::find(name).expect("an algorithm");
            let of = |seed| {
                let keys = algorithm.implementations.iter().map(|it| {
                    let mut seeded = Seeded::new(seed, name, 0);
                    let pair = seeded.key(algorithm, it.code.as_ref()).expect("a key");
                    (pair.secret, pair.public)
                });
                keys.collect::<Vec<_>>()
            };
            let keys = of(1);
            assert!(keys.iter().all(|key| *key == keys[0]), "{name}");
            assert_eq!(keys, of(1));
            assert!(keys[0] != of(2)[0] && keys[0].0.len() > 8);
        }
    }
}
