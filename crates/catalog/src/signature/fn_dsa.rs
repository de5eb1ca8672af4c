//! FN-DSA-512, by `fn-dsa` 0.4: its author's best public guess at FIPS 206, which is not published.
//!
//! Messages are signed as they are, without a domain string. Not compatible with round-3 Falcon.

use std::sync::Mutex;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fn_dsa::{
    DOMAIN_NONE, FN_DSA_LOGN_512, HASH_ID_RAW, KeyPairGenerator as _, KeyPairGenerator512, SigningKey as _,
    SigningKey512, VerifyingKey as _, VerifyingKey512,
};
use zeroize::Zeroizing;

use super::{Family, exactly, implementation, put};
use crate::drbg::{Drbg, Given};
use crate::proof::round_trip;
use crate::{Proof, ProofError, version};

const PUBLIC_KEY: usize = 897;
const SECRET_KEY: usize = 1345;
const SIGNATURE: usize = 666;

pub(super) fn family() -> Family {
    vec![("fn-dsa-512", vec![implementation("fn-dsa", version::of("fn-dsa 0.4"), FnDsa512, prove)])]
}

struct FnDsa512;

impl Signature for FnDsa512 {
    fn generate(&self) -> Result<KeyPair, Error> {
        let mut drbg = Drbg::from_system()?;
        self.generate_from(&mut |out| drbg.fill(out))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (mut secret, mut public) = (vec![0; SECRET_KEY], vec![0; PUBLIC_KEY]);
        KeyPairGenerator512::default().keygen(FN_DSA_LOGN_512, &mut Given(random), &mut secret, &mut public);
        Ok(KeyPair { secret, public })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let secret: Zeroizing<[u8; SECRET_KEY]> =
            Zeroizing::new(exactly("an FN-DSA-512 secret key", secret)?);
        let key = decode(&secret)?;
        Ok(Box::new(Signing { secret, prepared: Mutex::new(vec![key]) }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: [u8; PUBLIC_KEY] = exactly("an FN-DSA-512 public key", public)?;
        let key = VerifyingKey512::decode(&public)
            .ok_or_else(|| Error::MalformedKey("these bytes encode no FN-DSA-512 public key".to_string()))?;
        Ok(Box::new(Verifying(Box::new(key))))
    }
}

fn decode(secret: &[u8; SECRET_KEY]) -> Result<Box<SigningKey512>, Error> {
    SigningKey512::decode(secret)
        .map(Box::new)
        .ok_or_else(|| Error::MalformedKey("these bytes encode no FN-DSA-512 secret key".to_string()))
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
            key.sign(&mut Given(random), &DOMAIN_NONE, &HASH_ID_RAW, message, signature)
        })?
        .ok_or_else(|| Error::MalformedKey("signing with this key fails; it is damaged".to_string()))
    }
}

struct Verifying(Box<VerifyingKey512>);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        if self.0.verify(signature, &DOMAIN_NONE, &HASH_ID_RAW, message) {
            Ok(())
        } else {
            Err(Error::InvalidSignature)
        }
    }
}

/// There is nothing official to reproduce.
fn prove(code: &dyn Signature) -> Result<Proof, ProofError> {
    round_trip("no official vectors (FIPS 206 is not published); signs and verifies consistently", code)
}
