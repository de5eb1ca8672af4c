//! Comparison of secrets.

use core::hint::black_box;

/// Whether they are equal, which takes the same time wherever they differ. They are equally long.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    black_box(a.iter().zip(b).fold(0, |differing, (a, b)| differing | (a ^ b))) == 0
}
