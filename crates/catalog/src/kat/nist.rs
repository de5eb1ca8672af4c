//! The known-answer files of NIST's competitions (`PQCsignKAT_….rsp`), regenerated.
//!
//! `PQCgenKAT_sign.c` of the submission packages makes 100 cases: case `i` has a 48-byte seed and a message of
//! `33 · (i + 1)` bytes, both from one generator; key generation and signing then draw from a generator started with
//! that seed. The files are large, so a proof regenerates the text and compares its digest.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use fieldtest_kinds::signature::Signature;

use super::Mismatch;
use crate::drbg::{Drbg, SEED};

pub(crate) const CASES: usize = 100;

pub(crate) struct Start {
    /// The case's number, from 0.
    pub(crate) count: usize,
    /// The seed of the case's own generator.
    pub(crate) seed: [u8; SEED],
    pub(crate) message: Vec<u8>,
}

pub(crate) struct Answer {
    pub(crate) public: Vec<u8>,
    /// The secret key, as the file writes it.
    pub(crate) secret: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

/// Seeds and messages of all cases; they are the same in every file.
pub(crate) fn starts() -> Vec<Start> {
    let mut drbg = Drbg::new(&std::array::from_fn(|i| i as u8));
    (0..CASES)
        .map(|count| {
            let mut seed = [0; SEED];
            drbg.fill(&mut seed);
            let mut message = vec![0; 33 * (count + 1)];
            drbg.fill(&mut message);
            Start { count, seed, message }
        })
        .collect()
}

/// Generates the key pair, signs, and verifies what came out.
pub(crate) fn answer(start: &Start, code: &dyn Signature) -> Result<Answer, Mismatch> {
    let mut drbg = Drbg::new(&start.seed);
    let mut random = |out: &mut [u8]| drbg.fill(out);
    let pair = code.generate_from(&mut random)?;
    let mut signature = Vec::new();
    code.signing_key(&pair.secret)?.sign_from(&mut random, &start.message, &mut signature)?;
    super::accepted(code.verifying_key(&pair.public)?.verify(&start.message, &signature))?;
    Ok(Answer { public: pair.public, secret: pair.secret, signature })
}

/// One case as a file writes it that has the signature before the message, without the empty line after it.
pub(crate) fn write(start: &Start, answer: &Answer) -> String {
    written(start, answer, &[&answer.signature[..], &start.message].concat())
}

/// [`write`] for a file that has the message before the signature.
pub(crate) fn write_message_first(start: &Start, answer: &Answer) -> String {
    written(start, answer, &[&start.message[..], &answer.signature].concat())
}

fn written(start: &Start, answer: &Answer, signed: &[u8]) -> String {
    format!(
        "count = {}\nseed = {}\nmlen = {}\nmsg = {}\npk = {}\nsk = {}\nsmlen = {}\nsm = {}\n",
        start.count,
        upper_hex(&start.seed),
        start.message.len(),
        upper_hex(&start.message),
        upper_hex(&answer.public),
        upper_hex(&answer.secret),
        signed.len(),
        upper_hex(signed),
    )
}

/// SHA-256, as vector files state it.
pub(crate) fn sha256(data: &[u8]) -> Vec<u8> {
    Sha256::digest(data).to_vec()
}

fn upper_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}
