//! Antrag-512 by our own code. It is a research paper's: it has no official vectors and no encodings but
//! ours. There is no library; the authors' program has no encodings, takes its seed from the clock, and
//! signs messages of 32 bytes.

use fieldtest_text::own::OWN;
use fieldtest_antrag::{InvalidKey, RANDOMIZER, SEED, SIGNATURE};
use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::prepared::hedged;
use super::{Family, List, hex};
use crate::drbg::with_system;
use crate::kat::nist::sha256;
use crate::kat::{KnownAnswers, accepted, equal, round_trip};
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut list = List::proven_by(prove);
    list.add(OWN, "fieldtest-antrag", Antrag);
    vec![("antrag-512", list.all)]
}

struct Antrag;

impl Signature for Antrag {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        random(&mut *seed);
        let key = fieldtest_antrag::SigningKey::from_seed(&seed);
        Ok(KeyPair { public: key.public_key().to_vec(), secret: key.to_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let key = fieldtest_antrag::SigningKey::from_bytes(secret).map_err(malformed)?;
        Ok(hedged(key.public_key().to_vec(), move |random, message, signature| {
            let mut randomizer = [0; RANDOMIZER];
            random(&mut randomizer);
            signature.resize(SIGNATURE, 0);
            let signed = key.sign(message, &randomizer, signature);
            signed.map_err(|error| Error::Library(error.to_string()))
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let key = fieldtest_antrag::VerifyingKey::new(public).map_err(malformed)?;
        Ok(verifying(move |message, signature| key.verify(message, signature).is_ok()))
    }
}

fn malformed(error: InvalidKey) -> Error {
    Error::MalformedKey(error.to_string())
}

/// There is nothing official: agreement with itself, and that keys and signatures are what they were when they were
/// checked against the authors' program.
fn prove(code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut proof = round_trip("signs and verifies consistently", code)?;
    let mut kept = KnownAnswers::unofficial(
        "a key and a signature of this code when it was checked against the authors' program (aeab8d4)",
    );
    kept.case(0, || {
        let pair = code.generate_from(&mut |out: &mut [u8]| out.fill(0))?;
        let both = sha256(&[&pair.public[..], &pair.secret].concat());
        equal("SHA-256 of the key pair", &hex(KEY_PAIR), &both)?;
        let mut signature = Vec::new();
        code.signing_key(&pair.secret)?.sign_deterministic(b"Antrag-512", &mut signature)?;
        equal("SHA-256 of the signature", &hex(SIGNED), &sha256(&signature))?;
        accepted(code.verifying_key(&pair.public)?.verify(b"Antrag-512", &signature))
    })?;
    proof.origins.extend(KatResult::of([kept]).origins);
    Ok(proof)
}

/// SHA-256 of the public and the secret key of a seed of zeros.
const KEY_PAIR: &str = "97ac0803f827a2aa8555170322d8ef86b517a5a19086ee12f3142d6e55c22116";
/// SHA-256 of the deterministic signature of "Antrag-512" by it.
const SIGNED: &str = "9c8620d9bc1b2325561045413b841de371cab8989c6bedcc454ededf01a3d47f";
