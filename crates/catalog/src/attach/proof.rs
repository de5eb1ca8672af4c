//! What is asked of an algorithm that is attached before anything of it is timed.

use std::time::Duration;

use data_encoding::HEXLOWER_PERMISSIVE;
use fieldtest_engine::Engine;
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{Signature as _, VerifyingKey};
use serde::Deserialize;

use crate::proof::{self, KnownAnswers, Mismatch};
use crate::{Proof, ProofError};

/// Requests for nothing of which the median is told.
const REQUESTS: usize = 101;

/// An answer that its author vouches for, in hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Answer {
    /// Of which the key pair is made.
    seed: Option<Hex>,
    secret_key: Option<Hex>,
    public_key: Hex,
    message: Hex,
    signature: Hex,
}

/// Octets, written as hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<Hex, &'static str> {
        let octets = HEXLOWER_PERMISSIVE.decode(digits.as_bytes());
        octets.map(Hex).map_err(|_| "known answers are pairs of hexadecimal digits")
    }
}

/// What can be asked of anybody's algorithm: its author's answers, a round trip, and that it does what it says of itself.
pub(super) fn prove(engine: &Engine, answers: &[Answer], is_library: bool) -> Result<Proof, ProofError> {
    let mut own =
        KnownAnswers::unofficial(format!("its author's own answers, {}, none official", answers.len()));
    for (at, answer) in answers.iter().enumerate() {
        own.case(at + 1, || reproduce(engine, answer, is_library))?;
    }
    let mut said = KnownAnswers::unofficial("a message has one signature, as it says");
    if engine.is_deterministic() {
        said.case(1, || has_one_signature(engine))?;
    }
    let round_trip = proof::round_trip("agreement with itself", engine)?;
    let mut damaged = KnownAnswers::unofficial("refuses signatures with flipped bits, cut and lengthened");
    damaged.case(1, || refuses(engine))?;
    let mut cost = Duration::ZERO;
    KnownAnswers::unofficial("requests for nothing").case(1, || {
        cost = engine.attachment(REQUESTS).map_err(Mismatch::from)?;
        Ok(())
    })?;
    let mut whole = Proof::of([own, said, damaged]);
    whole.origins.extend(round_trip.origins);
    whole.origins.push(format!(
        "attached by pipes: a request for nothing takes {:.1} µs there and back, which every operation of it has in it",
        cost.as_secs_f64() * 1e6
    ));
    Ok(whole)
}

/// One answer of its author's: the key pair where there is what it is made of, the signature where there is but one, that it
/// verifies, and that none does in which a bit is another.
fn reproduce(engine: &Engine, answer: &Answer, is_library: bool) -> Result<(), Mismatch> {
    let Answer {
        seed,
        secret_key,
        public_key: Hex(public),
        message: Hex(message),
        signature: Hex(signature),
    } = answer;
    // As it is stored: a library's with the public key behind it.
    let mut secret = secret_key.as_ref().map(|Hex(secret)| match is_library {
        true => [&secret[..], public].concat(),
        false => secret.clone(),
    });
    if let Some(Hex(seed)) = seed {
        let pair = engine.generate_from(&mut |octets: &mut [u8]| {
            octets.fill(0);
            let length = seed.len().min(octets.len());
            octets[..length].copy_from_slice(&seed[..length]);
        })?;
        proof::equal("public key", public, &pair.public)?;
        if let Some(secret) = &secret {
            proof::equal("secret key", secret, &pair.secret)?;
        }
        secret.get_or_insert(pair.secret);
    }
    if let Some(secret) = secret {
        let key = engine.signing_key(&secret)?;
        proof::equal("public key", public, &key.public_key())?;
        if engine.is_deterministic() {
            let mut found = Vec::new();
            key.sign(message, &mut found)?;
            proof::equal("signature", signature, &found)?;
        }
    }
    let key = engine.verifying_key(public)?;
    proof::accepted(key.verify(message, signature))?;
    nothing_else(key.as_ref(), message, signature)
}

/// That no other signature verifies, and that the engine says so: whoever ends at a wrong signature has not refused it.
fn nothing_else(key: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Mismatch> {
    let refused = |what: &str, found: &[u8]| match key.verify(message, found) {
        Err(Error::InvalidSignature) => Ok(()),
        Ok(()) => Err(Mismatch(format!("a signature with {what} was accepted"))),
        Err(error) => Err(Mismatch(format!("of a signature with {what}: {error}"))),
    };
    // A hundred of them, spread over all octets: an engine that takes milliseconds is to be proven in a second.
    for at in (0..signature.len()).step_by(signature.len().div_ceil(100).max(1)) {
        let mut damaged = signature.to_vec();
        damaged[at] ^= 1 << (at % 8);
        refused(&format!("a flipped bit in octet {at}"), &damaged)?;
    }
    refused("an octet less", &signature[..signature.len().saturating_sub(1)])?;
    refused("an octet more", &[signature, &[0]].concat())
}

/// As [`nothing_else`], of a signature of its own.
fn refuses(engine: &Engine) -> Result<(), Mismatch> {
    let pair = engine.generate()?;
    let mut signature = Vec::new();
    engine.signing_key(&pair.secret)?.sign(b"message", &mut signature)?;
    nothing_else(engine.verifying_key(&pair.public)?.as_ref(), b"message", &signature)
}

/// The same message, with another in between.
fn has_one_signature(engine: &Engine) -> Result<(), Mismatch> {
    let key = engine.signing_key(&engine.generate()?.secret)?;
    let [mut first, mut other, mut second] = [const { Vec::new() }; 3];
    key.sign(b"message", &mut first)?;
    key.sign(b"massage", &mut other)?;
    key.sign(b"message", &mut second)?;
    proof::equal("second signature of a message", &first, &second)
}
