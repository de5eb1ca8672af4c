//! MAYO as submitted to rounds 2 and 3 of NIST's additional signatures. The secret key is the seed.

mod own;
mod pq_mayo;
mod vectors;

use fieldtest_kinds::own::OWN;
use fieldtest_kinds::signature::Signature;
use fieldtest_mayo::ParameterSet;

use self::vectors::{ROUND_2, ROUND_3};
use super::{Family, implementation};
use crate::{Implementation, Proof, ProofError, version};

pub(super) fn family() -> Family {
    let mut one = vec![own(ParameterSet::ONE, |code| vectors::whole_file(&ROUND_2[0], code))];
    one.push(implementation("pq-mayo", version::of("pq-mayo"), pq_mayo::Mayo, |code| {
        vectors::whole_file(&ROUND_2[0], code)
    }));
    vec![
        ("mayo-1", vec![own(ParameterSet::ROUND3_ONE, |code| vectors::first_entry(&ROUND_3[0], code))]),
        ("mayo-2", vec![own(ParameterSet::ROUND3_TWO, |code| vectors::first_entry(&ROUND_3[1], code))]),
        ("mayo-1-round2", one),
        ("mayo-2-round2", vec![own(ParameterSet::TWO, |code| vectors::whole_file(&ROUND_2[1], code))]),
    ]
}

fn own(set: ParameterSet, prove: fn(&dyn Signature) -> Result<Proof, ProofError>) -> Implementation {
    implementation(OWN, version::of("fieldtest-mayo"), own::Mayo(set), prove)
}
