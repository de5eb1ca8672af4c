//! SQIsign level I, by `sqisign-rs`: version 0.6 is round 3, version 0.4 round 2 (0.5 refuses valid signatures of
//! round 2). Signing is variable-time.
//!
//! A secret key begins with its public key, in both. The library checks little of a secret key: with a damaged one it
//! signs wrongly or panics, which becomes an error where panics unwind.

mod round2;
mod round3;

use std::panic::{AssertUnwindSafe, catch_unwind};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{Randomness, Signature, SigningKey};

use super::prepared::randomised;
use super::{Family, List};
use crate::kat::{KnownAnswers, accepted, equal, nist, refused, round_trip, table};
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut third = List::proven_by(prove_round3);
    third.add("sqisign-rs", "sqisign-rs 0.6", round3::Sqisign);
    let mut second = List::proven_by(prove_round2);
    second.add("sqisign-rs", "sqisign-rs 0.4", round2::Sqisign);
    vec![("sqisign-1", third.all), ("sqisign-1-round2", second.all)]
}

/// A secret key, whose library panics on damaged ones. The key is only read, so nothing stays half done.
fn signing(
    public: Vec<u8>,
    sign: impl Fn(&mut Randomness, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    randomised(public, move |random, message, signature| {
        catch_unwind(AssertUnwindSafe(|| sign(random, message, signature)))
            .unwrap_or_else(|_| Err(Error::Library("signing panicked; the secret key is damaged".to_string())))
    })
}

/// The known-answer files of round 3 were not to be had.
fn prove_round3(code: &dyn Signature) -> Result<KatResult, KatError> {
    round_trip(
        "the files of round 3 (September 2026) were not to be had; signs and verifies consistently",
        code,
    )
}

/// How many cases a proof regenerates; each takes a quarter of a second. A test regenerates the whole file.
const REGENERATED: usize = 1;

/// Every signature of the known-answer file verified; the first key pairs and signatures regenerated.
fn prove_round2(code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut official = KnownAnswers::from("PQCsignKAT_353_SQIsign_lvl1.rsp of the round-2 submission");
    let starts = nist::starts();
    for row in table::rows(include_str!("../../../vectors/sqisign-1-round2.txt")) {
        let start = &starts[row.count(0)];
        official.case(start.count, || {
            let key = code.verifying_key(&row.bytes(1))?;
            accepted(key.verify(&start.message, &row.bytes(2)))?;
            if start.count < REGENERATED {
                refused(key.verify(&start.message[1..], &row.bytes(2)))?;
                let answer = nist::answer(start, code)?;
                equal("public key", &row.bytes(1), &answer.public)?;
                equal("signature", &row.bytes(2), &answer.signature)?;
            }
            Ok(())
        })?;
    }
    Ok(KatResult::of([official]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::hex;

    /// KAT/PQCsignKAT_353_SQIsign_lvl1.rsp of SQISign/the-sqisign (51f7654), 796,348 bytes.
    #[test]
    #[ignore = "signs 100 times, half a minute with optimisation"]
    fn the_whole_round_2_file() {
        let mut file = String::from("# SQIsign_lvl1\n\n");
        for start in nist::starts() {
            file += &nist::write(&start, &nist::answer(&start, &round2::Sqisign).unwrap());
            file.push('\n');
        }
        assert_eq!(
            nist::sha256(file.as_bytes()),
            hex("03898a4b415c0fd038137b1e5716be07ea7641622161aef0777035a96fc9bba8")
        );
    }
}
