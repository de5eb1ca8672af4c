//! Known answers of BLAKE2b and BLAKE2bp.
//!
//! The reference's file has digests of 64 bytes. A digest of 32 is another function, with the length in its first word,
//! whose only official answer is the self-test of RFC 7693; the file shows that the library's core is right.

use ::blake2::Blake2b512;
use blake2b_simd::{Params, blake2b, blake2bp};
use fieldtest_kinds::hash::Hash;
use sha2::Digest as _;

use crate::kat::{KnownAnswers, Mismatch, equal, nist};
use crate::adapt::hex;
use crate::{KatResult, KatError};

use super::super::kats::{Vector, counting, digest_of_digests, digests};

/// SHA-256 of the 256 unkeyed digests of BLAKE2b in blake2-kat.json (BLAKE2/BLAKE2, testvectors), one after another:
/// the messages are 00, 01, … of 0 to 255 bytes.
const KAT_B: &str = "edb6025a7aba90e4ad1d5ccfc7485d26f988929ca564b1897e33d43a901efba2";
/// The same of BLAKE2bp.
const KAT_BP: &str = "cc71963a23bf530be748ad7d9b454e134102511fac8eea39e0251660253de2c2";
/// SHA-256 of the 256 digests of 32 bytes of the same messages, by CPython 3.11's `hashlib.blake2b` (libb2's code).
const PYTHON_B_256: &str = "45708603b906e7e9ce3b7a6f308aa9c0a2d969341b58d539eb07c75b8189cb1a";
/// SHA-256 of the digests of 32 bytes of messages of 0 to 4096 bytes (0, 1, …, 250, 0, …) by libb2 0.98.1's BLAKE2bp.
const LIBB2_BP_256: &str = "7629116fe081c5875cb42109ae0d27a887cee1568b4a5d94b3cb0cf4583eb632";
/// The result of RFC 7693, appendix E.
const SELF_TEST: &str = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475";

pub(super) fn prove_b_simd(hash: &dyn Hash) -> Result<KatResult, KatError> {
    prove_b(hash, |message| blake2b(message).as_bytes().to_vec())
}

pub(super) fn prove_b_rustcrypto(hash: &dyn Hash) -> Result<KatResult, KatError> {
    prove_b(hash, |message| Blake2b512::digest(message).to_vec())
}

fn prove_b(hash: &dyn Hash, with_64_bytes: fn(&[u8]) -> Vec<u8>) -> Result<KatResult, KatError> {
    let core = core("blake2-kat.json, BLAKE2b", KAT_B, with_64_bytes)?;
    let [rfc, python] = prove_b_256(hash)?;
    Ok(KatResult::of([rfc, core, python]))
}

/// Of a library that is asked for digests of 32 bytes alone.
pub(super) fn prove_b_host(hash: &dyn Hash) -> Result<KatResult, KatError> {
    Ok(KatResult::of(prove_b_256(hash)?))
}

fn prove_b_256(hash: &dyn Hash) -> Result<[KnownAnswers; 2], KatError> {
    let mut rfc = KnownAnswers::from("RFC 7693, appendix E (its other lengths and keys by blake2b_simd)");
    let message = self_test_message(hash).map_err(|why| rfc.failure("the digests within", why.0))?;
    digests(&mut rfc, hash, [Vector { message, digest: hex(SELF_TEST) }])?;
    let mut python = KnownAnswers::unofficial("agreement with CPython's hashlib.blake2b over 256 lengths");
    python.case("0 to 255 bytes", || {
        equal("SHA-256 of all digests", &hex(PYTHON_B_256), &digest_of_digests(hash, first_bytes())?)
    })?;
    Ok([rfc, python])
}

pub(super) fn prove_bp(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let core = core("blake2-kat.json, BLAKE2bp", KAT_BP, |message| {
        blake2bp::Params::new().hash(message).as_bytes().to_vec()
    })?;
    Ok(KatResult::of([core, bp_256(hash, "libb2 0.98.1")?]))
}

/// libb2 is not held against itself: blake2b_simd agrees with the same digest.
pub(super) fn prove_bp_host(hash: &dyn Hash) -> Result<KatResult, KatError> {
    Ok(KatResult::of([bp_256(hash, "blake2b_simd")?]))
}

fn bp_256(hash: &dyn Hash, with: &str) -> Result<KnownAnswers, KatError> {
    let origin = format!("agreement in 32 bytes with {with} over 4097 lengths");
    let mut set = KnownAnswers::unofficial(origin);
    set.case("0 to 4096 bytes", || {
        let messages = (0..=4096).map(counting);
        equal("SHA-256 of all digests", &hex(LIBB2_BP_256), &digest_of_digests(hash, messages)?)
    })?;
    Ok(set)
}

/// The reference's file, by the same library's function with digests of 64 bytes.
fn core(file: &str, expected: &str, hash: fn(&[u8]) -> Vec<u8>) -> Result<KnownAnswers, KatError> {
    let origin = format!("{file}, 256 digests of 64 bytes by the same library's core (a cross-check)");
    let mut set = KnownAnswers::unofficial(origin);
    set.case("all", || {
        let all: Vec<u8> = first_bytes().flat_map(|message| hash(&message)).collect();
        equal("SHA-256 of all digests", &hex(expected), &nist::sha256(&all))
    })?;
    Ok(set)
}

/// The messages of the reference's file.
fn first_bytes() -> impl Iterator<Item = Vec<u8>> {
    (0..=255).map(|length| (0..length).collect())
}

/// What RFC 7693, appendix E, hashes in the end: the digests of six messages with four lengths of digests, without and
/// with a key. Those of 32 bytes without a key are `hash`'s own.
fn self_test_message(hash: &dyn Hash) -> Result<Vec<u8>, Mismatch> {
    let mut all = Vec::new();
    for digest_length in [20, 32, 48, 64] {
        for message_length in [0, 3, 128, 129, 255, 1024] {
            let message = self_test_sequence(message_length);
            let key = self_test_sequence(digest_length);
            let mut parameters = Params::new();
            parameters.hash_length(digest_length);
            if digest_length == 32 {
                let mut digest = [0; 32];
                hash.digest(&[], &message, &mut digest)?;
                all.extend_from_slice(&digest);
            } else {
                all.extend_from_slice(parameters.hash(&message).as_bytes());
            }
            all.extend_from_slice(parameters.key(&key).hash(&message).as_bytes());
        }
    }
    Ok(all)
}

/// `selftest_seq` of RFC 7693, appendix E: a Fibonacci sequence's high bytes, seeded with the length.
fn self_test_sequence(length: usize) -> Vec<u8> {
    let (mut a, mut b) = (0xdead_4bad_u32.wrapping_mul(length as u32), 1_u32);
    (0..length)
        .map(|_| {
            (a, b) = (b, a.wrapping_add(b));
            (b >> 24) as u8
        })
        .collect()
}
