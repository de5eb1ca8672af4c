//! The permutation and the absorption of blocks, by the path that was chosen.

#![allow(unsafe_code)] // calls of functions with target features

use crate::path::{Kind, Path};
use crate::permutation::{self, State};
#[cfg(target_arch = "x86_64")]
use crate::permutation::{avx2, avx512, avx512vl, bmi, rows};

/// Permutes one state with these round constants, of a multiple of six rounds.
pub(crate) fn permute(path: Path, state: &mut State, iota: &[u64]) {
    absorb(path, state, &[[0; 8]], iota); // zeros change nothing before the permutation
}

pub(crate) fn absorb<const RATE: usize>(path: Path, state: &mut State, blocks: &[[u8; RATE]], iota: &[u64]) {
    match path.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path exists only where the processor has its instructions.
        Kind::Avx512 => unsafe { rows::absorb(state, blocks, iota) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx2 => unsafe { bmi::absorb(state, blocks, iota) },
        Kind::Portable => permutation::absorb(state, blocks, iota),
    }
}

/// `W` states side by side.
#[cfg(target_arch = "x86_64")]
pub(crate) type States<const W: usize> = [[u64; W]; 25];

/// Absorbs as many blocks as the shortest of the messages has, each into its own state; returns how many.
#[cfg(target_arch = "x86_64")]
pub(crate) type AbsorbSeveral<const RATE: usize, const W: usize> =
    fn(&mut States<W>, &[&[[u8; RATE]]; W], &[u64]) -> usize;

/// Permutes eight states side by side with these round constants.
pub(crate) fn permute_eight(path: Path, states: &mut [[u64; 8]; 25], iota: &[u64]) {
    match path.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path exists only where the processor has its instructions.
        Kind::Avx512 => unsafe { avx512::permute(states, iota) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx2 => unsafe { avx2::permute_two_fours(states, iota) },
        Kind::Portable => permute_each(states, iota),
    }
}

/// Permutes four states side by side with these round constants.
pub(crate) fn permute_four(path: Path, states: &mut [[u64; 4]; 25], iota: &[u64]) {
    match path.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path exists only where the processor has its instructions.
        Kind::Avx512 => unsafe { avx512vl::permute_four(states, iota) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx2 => unsafe { avx2::permute_four(states, iota) },
        Kind::Portable => permute_each(states, iota),
    }
}

/// Permutes states one after the other, where no instruction takes several.
fn permute_each<const W: usize>(states: &mut [[u64; W]; 25], iota: &[u64]) {
    for lane in 0..W {
        let mut state = states.map(|side| side[lane]);
        permute(Path::PORTABLE, &mut state, iota);
        for (side, word) in states.iter_mut().zip(state) {
            side[lane] = word;
        }
    }
}

pub(crate) enum Several<const RATE: usize> {
    OneByOne,
    #[cfg(target_arch = "x86_64")]
    Four(AbsorbSeveral<RATE, 4>),
    #[cfg(target_arch = "x86_64")]
    Eight(AbsorbSeveral<RATE, 8>),
}

/// How this path takes several messages. Even two cost no more side by side than one after the other.
pub(crate) fn several<const RATE: usize>(path: Path) -> Several<RATE> {
    match path.kind() {
        Kind::Portable => Several::OneByOne,
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Several::Four(|states, messages, iota| {
            // SAFETY: this path exists only where the processor has its instructions.
            unsafe { avx2::absorb(states, messages, iota) }
        }),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => Several::Eight(|states, messages, iota| {
            // SAFETY: this path exists only where the processor has its instructions.
            unsafe { avx512::absorb(states, messages, iota) }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permutation::last_rounds;

    /// The first and the last lane of the permutation of zeros, and the first of the permutation of that
    /// (`KeccakF-1600-IntermediateValues.txt` of the Keccak team).
    #[test]
    fn permutation_of_zeros() {
        for path in Path::available() {
            let mut state = [0; 25];
            permute(path, &mut state, last_rounds(24));
            assert_eq!(
                (state[0], state[24]),
                (0xf125_8f79_40e1_dde7, 0xeaf1_ff7b_5cec_a249),
                "{}",
                path.name()
            );
            permute(path, &mut state, last_rounds(24));
            assert_eq!(state[0], 0x2d5c_954d_f96e_cb3c, "{}", path.name());
        }
    }

    /// A state whose lanes are all different, by every path.
    #[test]
    fn paths_agree() {
        let lanes: State = core::array::from_fn(|lane| (lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for rounds in [12, 24] {
            let permuted = |path| {
                let mut state = lanes;
                permute(path, &mut state, last_rounds(rounds));
                state
            };
            for path in Path::available() {
                assert_eq!(permuted(path), permuted(Path::PORTABLE), "{}", path.name());
            }
        }
    }
}
