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
    use fieldtest_catalog::signature;

    use super::*;

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
