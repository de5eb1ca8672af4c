//! Falcon-512 as submitted to round 3 of NIST's first competition, and FN-DSA-512 and -1024, its standard to be, which is
//! not compatible with it: by two versions of `fn-dsa`.
//!
//! Version 0.3 is the last that has Falcon. Version 0.4 is its author's best public guess at FIPS 206, which is not
//! published. Signatures are padded to one length; FN-DSA signs messages as they are, without a domain string. Both sign
//! with floating-point numbers; the library uses the processor's.

mod adapter;
mod damaged;

use fieldtest_kinds::signature::Signature;

use super::{Family, List};
use crate::kat::nist::{self, sha256};
use crate::kat::{KnownAnswers, accepted, equal, refused, round_trip, table};
use crate::{KatResult, KatError};

adapter::adapter!(
    falcon_512, falcon, "Falcon-512",
    degree: [FN_DSA_LOGN_512, KeyPairGenerator512, SigningKey512, VerifyingKey512], sizes: [1281, 897, 666],
    damaged: super::damaged::falcon, hash: HASH_ID_ORIGINAL_FALCON, outcome: Some
);
adapter::adapter!(
    fn_dsa_512, fn_dsa, "FN-DSA-512",
    degree: [FN_DSA_LOGN_512, KeyPairGenerator512, SigningKey512, VerifyingKey512], sizes: [1345, 897, 666],
    damaged: super::damaged::fn_dsa, hash: HASH_ID_RAW, outcome: std::convert::identity
);
adapter::adapter!(
    fn_dsa_1024, fn_dsa, "FN-DSA-1024",
    degree: [FN_DSA_LOGN_1024, KeyPairGenerator1024, SigningKey1024, VerifyingKey1024], sizes: [2369, 1793, 1280],
    damaged: super::damaged::fn_dsa, hash: HASH_ID_RAW, outcome: std::convert::identity
);

/// Bytes of a padded signature of Falcon-512.
const SIGNATURE: usize = 666;

pub(super) fn family() -> Family {
    let mut falcon = List::proven_by(prove_falcon);
    falcon.add("fn-dsa", "fn-dsa 0.3", falcon_512::Adapter);
    let (mut short, mut long) = (List::proven_by(prove_fn_dsa), List::proven_by(prove_fn_dsa));
    short.add("fn-dsa", "fn-dsa 0.4", fn_dsa_512::Adapter);
    long.add("fn-dsa", "fn-dsa 0.4", fn_dsa_1024::Adapter);
    vec![("falcon-512", falcon.all), ("fn-dsa-512", short.all), ("fn-dsa-1024", long.all)]
}

/// Public keys derived from the submission's secret keys, its signatures verified, and new ones by its keys.
fn prove_falcon(code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut official = KnownAnswers::from("falcon512-KAT.rsp of the round-3 submission, signatures padded");
    let starts = nist::starts();
    for row in table::rows(include_str!("../../../vectors/falcon-512.txt")) {
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
    Ok(KatResult::of([official]))
}

/// There is nothing official to reproduce.
fn prove_fn_dsa(code: &dyn Signature) -> Result<KatResult, KatError> {
    round_trip("FIPS 206 is not published; signs and verifies consistently", code)
}
