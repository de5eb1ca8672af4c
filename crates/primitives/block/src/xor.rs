//! XOR of blocks.

use crate::Block;

/// The XOR of two blocks.
#[inline(always)]
#[must_use]
pub fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// XORs each block with its counterpart.
#[inline(always)]
pub fn xor_blocks(blocks: &mut [Block], others: &[Block]) {
    for (block, other) in blocks.iter_mut().zip(others) {
        *block = xor(block, other);
    }
}
