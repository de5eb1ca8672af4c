//! The compression function of SHA-1 as FIPS 180-4, section 6.1.2, states it; every other path is compared with it.

use super::K;
use crate::block::{Block, State, words};

/// Absorbs `blocks` into `state`, whose first five words count.
pub(crate) fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        compress_block(state, words(block));
    }
}

fn compress_block(state: &mut State, mut w: [u32; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, ..] = *state;
    for t in 0..80 {
        if t >= 16 {
            // Equation 6.1.2 (1) in a ring of sixteen words (section 6.1.3).
            w[t % 16] = (w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16]).rotate_left(1);
        }
        let (f, k) = match t {
            0..20 => ((b & c) ^ (!b & d), K[0]),
            20..40 => (b ^ c ^ d, K[1]),
            40..60 => ((b & c) ^ (b & d) ^ (c & d), K[2]),
            _ => (b ^ c ^ d, K[3]),
        };
        let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(w[t % 16]);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(new);
    }
}
