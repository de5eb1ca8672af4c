//! Calls in any order with any arguments that a C compiler takes: every one ends with a code.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_with_a_code(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        crate::support::calls::run(&bytes);
    }
}
