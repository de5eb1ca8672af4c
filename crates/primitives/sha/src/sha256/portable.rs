//! The compression function of SHA-256 as FIPS 180-4, section 6.2.2, states it; every other path is compared with it.

use super::K;
use crate::block::{Block, State, words};

pub(crate) fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        compress_block(state, words(block));
    }
}

fn compress_block(state: &mut State, mut w: [u32; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for t in 0..64 {
        if t >= 16 {
            // Equation 6.2.2 (1) in a ring of sixteen words.
            let (early, late) = (w[(t + 1) % 16], w[(t + 14) % 16]);
            let small_0 = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
            let small_1 = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
            w[t % 16] = w[t % 16].wrapping_add(small_0).wrapping_add(w[(t + 9) % 16]).wrapping_add(small_1);
        }
        let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(big_1).wrapping_add(choice).wrapping_add(K[t]).wrapping_add(w[t % 16]);
        let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = big_0.wrapping_add(majority);
        (a, b, c, d, e, f, g, h) = (t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g);
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}
