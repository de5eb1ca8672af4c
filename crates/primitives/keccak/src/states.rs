//! The permutation alone, for sponges that others build: with secrets that they wipe, or with many short outputs side
//! by side.

use crate::engine;
use crate::path::Path;
use crate::permutation::last_rounds;

/// Keccak-f\[1600\] (FIPS 202, section 3.3) on one state, the lane with the coordinates x and y at `x + 5 * y`.
pub fn permute(path: Path, state: &mut [u64; 25]) {
    engine::permute(path, state, last_rounds(24));
}

/// [`permute`] on four states that lie side by side: lane `n` of state `i` is `states[n][i]`.
pub fn permute_four(path: Path, states: &mut [[u64; 4]; 25]) {
    engine::permute_four(path, states, last_rounds(24));
}

/// [`permute`] on eight states that lie side by side: lane `n` of state `i` is `states[n][i]`.
pub fn permute_eight(path: Path, states: &mut [[u64; 8]; 25]) {
    engine::permute_eight(path, states, last_rounds(24));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_and_eight_states_are_permuted_as_one_is() {
        let word =
            |lane: usize, state: usize| ((lane * 8 + state) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for path in Path::available() {
            let mut eight: [[u64; 8]; 25] =
                core::array::from_fn(|lane| core::array::from_fn(|i| word(lane, i)));
            let mut four: [[u64; 4]; 25] =
                core::array::from_fn(|lane| core::array::from_fn(|i| word(lane, i)));
            permute_eight(path, &mut eight);
            permute_four(path, &mut four);
            assert_eq!(four, eight.map(|side| [side[0], side[1], side[2], side[3]]), "{}", path.name());
            for i in 0..8 {
                let mut one = core::array::from_fn(|lane| word(lane, i));
                permute(Path::PORTABLE, &mut one);
                assert_eq!(eight.map(|side| side[i]), one, "{} {i}", path.name());
            }
        }
    }
}
