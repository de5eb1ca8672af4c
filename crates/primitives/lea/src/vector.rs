//! What is asked of vectors of blocks, whichever processor they are for.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

use crate::Block;
use crate::words::Words;

/// A vector register, which holds a row of whole blocks in memory and, after the transposition, one word of each block
/// of four rows.
pub(crate) trait Vector: Words {
    /// Blocks in a row.
    const ROW: usize;

    /// Where the transposition puts the blocks of a group: block `ROW · i + j` becomes element `4 · j + i`.
    const PLACES: [u32; 16] = {
        let (mut places, mut element) = ([0; 16], 0);
        while element < 16 {
            places[element] = (Self::ROW * (element % 4) + element / 4) as u32;
            element += 1;
        }
        places
    };

    /// From so many blocks on, a group is quicker than plain registers are.
    const WORTHWHILE: usize;

    /// The first `count` blocks at `from`; the others are zero. At most [`Self::ROW`].
    ///
    /// # Safety
    /// The processor has the vector's instructions, and `count` blocks can be read at `from`.
    unsafe fn load(from: *const Block, count: usize) -> Self;

    /// Writes the first `count` blocks to `to`. At most [`Self::ROW`].
    ///
    /// # Safety
    /// `count` blocks can be written at `to`.
    unsafe fn store(self, to: *mut Block, count: usize);

    /// A word again and again.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn repeat(word: u32) -> Self;

    /// As many of the words as there is room for.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn words(words: &[u32; 16]) -> Self;

    fn xor(self, other: Self) -> Self;

    fn shift_left<const BITS: u32>(self) -> Self;

    fn shift_right<const BITS: u32>(self) -> Self;

    /// Each word shifted left by its own number of bits.
    fn shift_left_each(self, bits: Self) -> Self;

    /// Each word shifted right by its own number of bits; nothing is left of it after 32.
    fn shift_right_each(self, bits: Self) -> Self;

    /// The bytes of each word in the opposite order.
    fn swap_bytes(self) -> Self;

    /// Turns four rows into four vectors of one word each, and these into rows again: within each 128 bits, what was
    /// row `i` and word `j` becomes row `j` and word `i`.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}
