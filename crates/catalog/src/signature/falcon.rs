//! Falcon-512 as submitted to round 3 of NIST's first competition, by `fn-dsa` 0.3, the last version that has it.
//!
//! Signatures are padded to 666 bytes. Falcon signs with floating-point numbers; the library uses the processor's.
//! The library does not check that the parts of a secret key belong together, and with a damaged one that still decodes
//! it signs for ever: give it keys from a trusted place.

use std::sync::Mutex;

use falcon::{
    DOMAIN_NONE, FN_DSA_LOGN_512, HASH_ID_ORIGINAL_FALCON, KeyPairGenerator as _, KeyPairGenerator512,
    SigningKey as _, SigningKey512, VerifyingKey as _, VerifyingKey512,
};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::{Family, exactly, implementation, put};
use crate::drbg::{Drbg, Given};
use crate::proof::kat::{self, sha256};
use crate::proof::{KnownAnswers, accepted, equal, refused, table};
use crate::{Proof, ProofError, version};

const PUBLIC_KEY: usize = 897;
const SECRET_KEY: usize = 1281;
const SIGNATURE: usize = 666;

pub(super) fn family() -> Family {
    vec![("falcon-512", vec![implementation("fn-dsa", version::of("fn-dsa 0.3"), Falcon512, prove)])]
}

struct Falcon512;

impl Signature for Falcon512 {
    fn generate(&self) -> Result<KeyPair, Error> {
        let mut drbg = Drbg::from_system()?;
        self.generate_from(&mut |out| drbg.fill(out))
    }

    /// The library's own key generator: not the one of the submission, so its known answers do not come out.
    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (mut secret, mut public) = (vec![0; SECRET_KEY], vec![0; PUBLIC_KEY]);
        KeyPairGenerator512::default().keygen(FN_DSA_LOGN_512, &mut Given(random), &mut secret, &mut public);
        Ok(KeyPair { secret, public })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let secret: Zeroizing<[u8; SECRET_KEY]> = Zeroizing::new(exactly("a Falcon-512 secret key", secret)?);
        let key = decode(&secret)?;
        Ok(Box::new(Signing { secret, prepared: Mutex::new(vec![key]) }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: [u8; PUBLIC_KEY] = exactly("a Falcon-512 public key", public)?;
        let key = VerifyingKey512::decode(&public)
            .ok_or_else(|| Error::MalformedKey("these bytes encode no Falcon-512 public key".to_string()))?;
        Ok(Box::new(Verifying(Box::new(key))))
    }
}

fn decode(secret: &[u8; SECRET_KEY]) -> Result<Box<SigningKey512>, Error> {
    SigningKey512::decode(secret)
        .map(Box::new)
        .ok_or_else(|| Error::MalformedKey("these bytes encode no Falcon-512 secret key".to_string()))
}

/// A prepared key carries the signer's scratch space, so each signature takes one for itself; threads that sign at the
/// same time prepare more of them.
struct Signing {
    secret: Zeroizing<[u8; SECRET_KEY]>,
    prepared: Mutex<Vec<Box<SigningKey512>>>,
}

impl Signing {
    fn with_prepared<T>(&self, work: impl FnOnce(&mut SigningKey512) -> T) -> Result<T, Error> {
        let idle = self.prepared.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
        let mut key = idle.map_or_else(|| decode(&self.secret), Ok)?;
        let result = work(&mut key);
        self.prepared.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(key);
        Ok(result)
    }
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        let mut public = vec![0; PUBLIC_KEY];
        // The secret key was decoded once, so it decodes again.
        let _ = self.with_prepared(|key| key.to_verifying_key(&mut public));
        public
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let mut drbg = Drbg::from_system()?;
        self.sign_from(&mut |out| drbg.fill(out), message, signature)
    }

    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        put(signature, &[0; SIGNATURE]);
        self.with_prepared(|key| {
            key.sign(&mut Given(random), &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message, signature);
        })
    }
}

struct Verifying(Box<VerifyingKey512>);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        if self.0.verify(signature, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message) {
            Ok(())
        } else {
            Err(Error::InvalidSignature)
        }
    }
}

/// Public keys derived from the submission's secret keys, its signatures verified, and new ones by its keys.
fn prove(code: &dyn Signature) -> Result<Proof, ProofError> {
    let mut official = KnownAnswers::from("falcon512-KAT.rsp of the round-3 submission, signatures padded");
    let starts = kat::starts();
    for row in table::rows(include_str!("../../../../vectors/falcon-512.txt")) {
        let start = &starts[row.count(0)];
        official.case(start.count, || {
            let signing = code.signing_key(&row.bytes(1))?;
            let public = signing.public_key();
            equal("SHA-256 of the public key", &row.bytes(2), &sha256(&public))?;
            let key = code.verifying_key(&public)?;
            let mut signature = [&[0x39][..], &row.bytes(3), &row.bytes(4)].concat();
            signature.resize(SIGNATURE, 0);
            accepted(key.verify(&start.message, &signature))?;
            refused(key.verify(&start.message[1..], &signature))?;
            signing.sign(&start.message, &mut signature)?;
            accepted(key.verify(&start.message, &signature))
        })?;
    }
    Ok(Proof::of([official]))
}
