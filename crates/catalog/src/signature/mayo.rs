//! MAYO-1 as submitted to round 2 of NIST's additional signatures, by `pq-mayo`.
//!
//! The library's `Mayo2` is an interim parameter set that no specification contains, so it is not offered.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use pq_mayo::{ExpandedSigningKey, ExpandedVerifyingKey, Mayo1};
use signature::Verifier as _;
use zeroize::Zeroizing;

use super::{Family, exactly, implementation, put};
use crate::drbg::{Given, with_system};
use crate::proof::kat;
use crate::proof::{KnownAnswers, equal};
use crate::{Proof, ProofError, version};

const PUBLIC_KEY: usize = 1420;
const SECRET_KEY: usize = 24;

pub(super) fn family() -> Family {
    vec![("mayo-1-round2", vec![implementation("pq-mayo", version::of("pq-mayo"), Mayo, prove)])]
}

struct Mayo;

impl Signature for Mayo {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SECRET_KEY]);
        random(&mut *seed);
        let pair = pq_mayo::KeyPair::<Mayo1>::from_seed(&*seed).map_err(library)?;
        Ok(KeyPair { secret: seed.to_vec(), public: pair.verifying_key().as_ref().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let seed: &[u8; SECRET_KEY] = exactly("a MAYO-1 secret key", secret)?;
        let pair = pq_mayo::KeyPair::<Mayo1>::from_seed(seed).map_err(library)?;
        Ok(Box::new(Signing {
            expanded: pair.signing_key().expand(),
            public: pair.verifying_key().as_ref().to_vec(),
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUBLIC_KEY] = exactly("a MAYO-1 public key", public)?;
        let key =
            ExpandedVerifyingKey::try_from(&public[..]).map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(Box::new(Verifying(key)))
    }
}

struct Signing {
    expanded: ExpandedSigningKey<Mayo1>,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        with_system(|random| self.sign_from(random, message, signature))
    }

    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let signed = self.expanded.sign_with_rng(&mut Given(random), message).map_err(library)?;
        put(signature, signed.as_ref());
        Ok(())
    }
}

struct Verifying(ExpandedVerifyingKey<Mayo1>);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let signature =
            pq_mayo::Signature::<Mayo1>::try_from(signature).map_err(|_| Error::InvalidSignature)?;
        self.0.verify(message, &signature).map_err(|_| Error::InvalidSignature)
    }
}

fn library(error: pq_mayo::Error) -> Error {
    Error::Library(error.to_string())
}

/// SHA-256 of `PQCsignKAT_24_MAYO_1.rsp`, 1,062,751 bytes, of the round-2 submission (PQCMayo/MAYO-C, 4b7cd94).
const KAT: &str = "4e56d600d7c0027952dd40725cb9ff05c0b5b10550dcdd72b17ce904f70e86de";

/// The whole known-answer file, byte for byte: 100 key pairs, 100 signatures.
fn prove(code: &dyn Signature) -> Result<Proof, ProofError> {
    let mut cases = KnownAnswers::from("PQCsignKAT_24_MAYO_1.rsp of the round-2 submission");
    let mut file = String::from("# MAYO_1\n\n");
    for start in kat::starts() {
        cases.case(start.count, || {
            let answer = kat::answer(&start, code)?;
            file += &kat::write(&start, &answer);
            file.push('\n');
            Ok(())
        })?;
    }
    equal("SHA-256 of the regenerated file", &super::hex(KAT), &kat::sha256(file.as_bytes()))
        .map_err(|mismatch| cases.failure("all", mismatch.0))?;
    Ok(Proof::of([cases]))
}
