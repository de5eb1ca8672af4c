//! Counter blocks and the XOR of blocks.

use crate::Block;

/// Fills `blocks` with `first`, `first + 1`, … as big-endian numbers modulo 2^128, and returns the number after them
/// (the standard incrementing function of SP 800-38A, appendix B.1, over the whole block).
pub(crate) fn fill_counters(first: u128, blocks: &mut [Block]) -> u128 {
    let mut number = first;
    for block in blocks {
        *block = number.to_be_bytes();
        number = number.wrapping_add(1);
    }
    number
}

#[inline(always)]
pub(crate) fn xor(blocks: &mut [Block], other: &[Block]) {
    for (block, other) in blocks.iter_mut().zip(other) {
        *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
    }
}
