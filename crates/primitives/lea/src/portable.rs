//! Plain Rust: two blocks side by side, since one alone leaves a processor waiting.

use crate::Block;
use crate::rounds::{Direction, rounds};
use crate::schedule::Schedule;

/// Runs the cipher over each block. Each is XORed with its mask before and after if there are masks.
pub(crate) fn run<D: Direction>(schedule: &Schedule, blocks: &mut [Block], masks: Option<&[Block]>) {
    xor(blocks, masks);
    let (pairs, rest) = blocks.as_chunks_mut();
    for pair in pairs {
        together::<D, 2>(schedule, pair);
    }
    for block in rest {
        together::<D, 1>(schedule, core::array::from_mut(block));
    }
    xor(blocks, masks);
}

/// The cipher on `N` blocks at once.
fn together<D: Direction, const N: usize>(schedule: &Schedule, blocks: &mut [Block; N]) {
    let mut state = blocks.map(words);
    rounds::<D, u32, N>(schedule, &mut state);
    *blocks = state.map(bytes);
}

/// A block's words, which are in little-endian order.
#[inline]
fn words(block: Block) -> [u32; 4] {
    let whole = u128::from_le_bytes(block);
    core::array::from_fn(|place| (whole >> (32 * place)) as u32)
}

#[inline]
fn bytes(words: [u32; 4]) -> Block {
    words.iter().rev().fold(0, |whole, &word| whole << 32 | u128::from(word)).to_le_bytes()
}

fn xor(blocks: &mut [Block], masks: Option<&[Block]>) {
    for (block, mask) in blocks.iter_mut().zip(masks.unwrap_or_default()) {
        *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*mask)).to_ne_bytes();
    }
}
