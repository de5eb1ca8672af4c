//! HAWK-512 by `hawk512`. HAWK is broken and withdrawn: it is here so that published figures can be repeated.
//!
//! The library prepares no keys: each signature recomputes f and g from the seed, each verification decodes the key.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use hawk512::params::{KGSEED_LEN, PRIV_LEN, PUB_LEN, SIG_LEN};
use hawk512::{PublicKey, SecretKey, codec, ntrugen, xof};

use super::{Family, exactly, implementation, put};
use crate::drbg::{Drbg, Given, with_system};
use crate::proof::kat::{self, sha256};
use crate::proof::{KnownAnswers, accepted, equal, refused, table};
use crate::{Proof, ProofError, version};

pub(super) fn family() -> Family {
    vec![("hawk-512", vec![implementation("hawk512", version::of("hawk512"), Hawk512, prove)])]
}

struct Hawk512;

impl Signature for Hawk512 {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (public, secret) = hawk512::keygen(&mut Given(random)).map_err(library)?;
        Ok(KeyPair { secret: secret.as_bytes().to_vec(), public: public.as_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let secret: &[u8; PRIV_LEN] = exactly("a HAWK-512 secret key", secret)?;
        let public = public_key_of(secret)
            .ok_or_else(|| Error::MalformedKey("these bytes encode no HAWK-512 secret key".to_string()))?;
        Ok(Box::new(Signing { secret: SecretKey(*secret), public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUB_LEN] = exactly("a HAWK-512 public key", public)?;
        match codec::decode_public(public) {
            Some(_) => Ok(Box::new(Verifying(PublicKey(*public)))),
            None => Err(Error::MalformedKey("these bytes encode no HAWK-512 public key".to_string())),
        }
    }
}

/// Generates the pair again from the seed at the head of the secret key, which must lead to the rest of it: signing with
/// any other secret key might never end.
fn public_key_of(secret: &[u8; PRIV_LEN]) -> Option<Vec<u8>> {
    let seed = &secret[..KGSEED_LEN];
    let (big_f, big_g, q00, q01) = ntrugen::hawk::keygen_attempt(seed)?;
    let public = codec::encode_public(&q00, &q01)?;
    let hash = xof::shake256(&public, hawk512::params::HPUB_LEN);
    (codec::encode_private(seed, &big_f, &big_g, &hash) == secret).then_some(public)
}

struct Signing {
    secret: SecretKey,
    public: Vec<u8>,
}

impl Drop for Signing {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.secret.0);
    }
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
        let signed = hawk512::sign(message, &self.secret, &mut Given(random)).map_err(library)?;
        put(signature, signed.as_bytes());
        Ok(())
    }
}

struct Verifying(PublicKey);

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let signature: [u8; SIG_LEN] = signature.try_into().map_err(|_| Error::InvalidSignature)?;
        hawk512::verify(message, &hawk512::Signature(signature), &self.0).map_err(|_| Error::InvalidSignature)
    }
}

fn library(error: hawk512::HawkError) -> Error {
    Error::Library(format!("{error:?}"))
}

/// Cases of the known-answer file: the key pair regenerated from the case's seed, the signature verified, and one of our
/// own by the official secret key.
fn prove(code: &dyn Signature) -> Result<Proof, ProofError> {
    let mut official = KnownAnswers::from("PQCsignKAT_184.rsp of HAWK 1.0");
    let starts = kat::starts();
    for row in table::rows(include_str!("../../vectors/hawk-512.txt")) {
        let start = &starts[row.count(0)];
        official.case(start.count, || {
            let mut drbg = Drbg::new(&start.seed);
            let pair = code.generate_from(&mut |out| drbg.fill(out))?;
            equal(
                "SHA-256 of the key pair",
                &row.bytes(1),
                &sha256(&[&pair.public[..], &pair.secret].concat()),
            )?;
            let key = code.verifying_key(&pair.public)?;
            accepted(key.verify(&start.message, &row.bytes(2)))?;
            refused(key.verify(&start.message[1..], &row.bytes(2)))?;
            let mut signature = Vec::new();
            code.signing_key(&pair.secret)?.sign(&start.message, &mut signature)?;
            accepted(key.verify(&start.message, &signature))
        })?;
    }
    Ok(Proof::of([official]))
}
