//! The rounds with the instructions for GF(256): an affine map and an inversion with an affine map after it.

#![allow(unsafe_code)] // vectors are made with instructions that not every processor has

use super::{Rounds, Vector};
use crate::affine::Affine;
use crate::diffusion::diffuse_and_add;
use crate::prepared::Prepared;
use crate::sbox::{AFTER_1, AFTER_2, BEFORE_3, BEFORE_4, IDENTITY};

pub(crate) trait Gfni: Vector {
    /// An affine map of each byte, given as [`Affine::rows`] and its constant.
    ///
    /// # Safety
    /// The processor has GFNI for these vectors.
    unsafe fn affine<const CONSTANT: i32>(self, rows: u64) -> Self;

    /// An affine map of the inverse of each byte.
    ///
    /// # Safety
    /// The processor has GFNI for these vectors.
    unsafe fn invert_then_affine<const CONSTANT: i32>(self, rows: u64) -> Self;
}

const fn constant(map: &Affine) -> i32 {
    map.constant as i32
}

impl<V: Gfni> Rounds for V {
    const ADD_LAST_KEY: bool = false;

    #[inline(always)]
    unsafe fn rounds(state: [Self; 16], keys: &Prepared) -> [Self; 16] {
        let [first, pairs @ .., _] = &keys.middle[..keys.rounds] else { return state };
        // SAFETY: the caller vouches for GFNI.
        unsafe {
            let mut state = round(state, 0, first);
            for pair in pairs.as_chunks::<2>().0 {
                state = round(round(state, 2, &pair[0]), 0, &pair[1]);
            }
            substitute(state, 2)
        }
    }
}

/// # Safety
/// The processor has GFNI for these vectors.
#[inline(always)]
unsafe fn round<V: Gfni>(state: [V; 16], first: usize, key: &[u32; 16]) -> [V; 16] {
    // SAFETY: as for this function.
    let state = unsafe { substitute(state, first) };
    diffuse_and_add(state, |i, a, b| a.xor3(b, a.repeat_word(key[i])))
}

/// The substitution layer that begins with the S-box `first`.
///
/// # Safety
/// The processor has GFNI for these vectors.
#[inline(always)]
unsafe fn substitute<V: Gfni>(mut state: [V; 16], first: usize) -> [V; 16] {
    for word in 0..4 {
        let place = |s_box: usize| 4 * word + (s_box + first) % 4;
        let [one, two, three, four] = [0, 1, 2, 3].map(place);
        // SAFETY: as for this function.
        unsafe {
            state[one] = state[one].invert_then_affine::<{ constant(&AFTER_1) }>(const { AFTER_1.rows() });
            state[two] = state[two].invert_then_affine::<{ constant(&AFTER_2) }>(const { AFTER_2.rows() });
            state[three] = state[three]
                .affine::<{ constant(&BEFORE_3) }>(const { BEFORE_3.rows() })
                .invert_then_affine::<0>(const { IDENTITY.rows() });
            state[four] = state[four]
                .affine::<{ constant(&BEFORE_4) }>(const { BEFORE_4.rows() })
                .invert_then_affine::<0>(const { IDENTITY.rows() });
        }
    }
    state
}
