//! One state in plain Rust, compiled for processors that rotate without a copy and complement one operand of an
//! `and`.

use super::State;

/// Absorbs blocks of `RATE` bytes.
#[target_feature(enable = "bmi1,bmi2")]
pub(crate) fn absorb<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]], iota: &[u64]) {
    super::absorb(state, blocks, iota);
}
