//! MAYO as submitted to rounds 2 and 3 of NIST's additional signatures. The secret key is the seed.

mod own;
mod pq_mayo;
mod vectors;

use fieldtest_text::own::OWN;
use fieldtest_mayo::ParameterSet;

use self::vectors::{ROUND_2, ROUND_3};
use super::{Family, List, Prove};

pub(super) fn family() -> Family {
    let mut one = own(ParameterSet::ONE, |code| vectors::whole_file(&ROUND_2[0], code));
    one.add("pq-mayo", "pq-mayo", pq_mayo::Mayo);
    vec![
        ("mayo-1", own(ParameterSet::ROUND3_ONE, |code| vectors::first_entry(&ROUND_3[0], code)).all),
        ("mayo-2", own(ParameterSet::ROUND3_TWO, |code| vectors::first_entry(&ROUND_3[1], code)).all),
        ("mayo-1-round2", one.all),
        ("mayo-2-round2", own(ParameterSet::TWO, |code| vectors::whole_file(&ROUND_2[1], code)).all),
    ]
}

fn own(set: ParameterSet, prove: Prove) -> List {
    let mut list = List::proven_by(prove);
    list.add(OWN, "fieldtest-mayo", own::Mayo(set));
    list
}
