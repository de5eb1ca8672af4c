//! Calls in any order with any arguments that a C compiler takes: every one ends with a code.

// The C functions are called as C calls them; all pointers are to the tests' own memory.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, missing_docs)]

mod support;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_with_a_code(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        support::calls::run(&bytes);
    }
}
