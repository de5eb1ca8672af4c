//! Plain Rust: two blocks side by side, since one alone leaves a processor waiting.

use fieldtest_block::masks::times_x;

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

/// Blocks whose masks are made at a time.
const CHUNK: usize = 32;

/// Runs the cipher over runs of blocks, each XORed before and after with the run's first mask times a power of x in
/// GF(2^128).
pub(crate) fn run_xex<D: Direction>(
    schedule: &Schedule,
    blocks: &mut [Block],
    length: usize,
    first: &[Block],
) {
    for (blocks, first) in blocks.chunks_mut(length).zip(first) {
        let mut next = u128::from_le_bytes(*first);
        for blocks in blocks.chunks_mut(CHUNK) {
            let mut masks = [[0; 16]; CHUNK];
            for mask in &mut masks {
                *mask = next.to_le_bytes();
                next = times_x(next);
            }
            run::<D>(schedule, blocks, Some(&masks));
        }
    }
}
