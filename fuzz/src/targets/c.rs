//! libfieldtest's functions, in any order with any arguments that a C compiler takes: no parser, but what C hands over is as foreign.

use super::Target;

/// What the property test of these calls has: the same calls, drawn from bytes.
// The C functions are called as C calls them; all pointers are to the target's own memory.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
#[path = "../../../crates/c/tests/support/mod.rs"]
mod support;

pub(super) const TARGETS: &[Target] = &[Target { name: "c-calls", run: support::calls::run, seeds }];

/// Every call once, each behind keys of every kind and with arguments as they should be.
fn seeds() -> Vec<Vec<u8>> {
    let keys: Vec<u8> = (0..4)
        .flat_map(|at| [8, 1, at, 0, 10, 1, at, 1, 12, 1, at + 7, 0, 13, 1, at + 9, 0, 14, 1, at])
        .collect();
    (0..24)
        .map(|call| [&keys[..], &[call, 3, 5, 7, 9, 11, 1, 4, 2, 8, 6, 3, 40, 9, 5, 20]].concat())
        .collect()
}
