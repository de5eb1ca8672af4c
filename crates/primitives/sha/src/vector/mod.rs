//! Vectors of 32-bit words, one message per element.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

pub(crate) mod avx2;
pub(crate) mod avx512;

use crate::block::{Block, State};

/// Vectors of `W` words. Only the constructors are unsafe: whoever holds a value has proven that the processor has
/// the instructions. Every method is inlined into a function with the target feature, which is why implementations
/// say `inline(always)`.
pub(crate) trait Vector<const W: usize>: Copy {
    /// The words of one block per element.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn load_blocks(blocks: [&Block; W]) -> [Self; 16];

    /// The words of one state per element.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn load_states(states: &[State; W]) -> [Self; 8];

    /// Writes one state per element.
    fn store_states(words: [Self; 8], states: &mut [State; W]);

    /// A vector with `word` in each element; `self` is only the proof.
    fn splat(self, word: u32) -> Self;

    /// The sum modulo 2^32 of each element.
    fn add(self, other: Self) -> Self;

    /// Each element rotated left by `LEFT` bits; `RIGHT` is `32 - LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    /// Each element shifted right by `BITS` bits.
    fn shift_right<const BITS: u32>(self) -> Self;

    /// `self ^ b ^ c`, the Parity of FIPS 180-4, section 4.1.1.
    fn parity(self, b: Self, c: Self) -> Self;

    /// `self ^ b`.
    fn xor(self, b: Self) -> Self;

    /// `b` where `self` has a one and `c` elsewhere, the Ch of FIPS 180-4, section 4.1.1.
    fn choose(self, b: Self, c: Self) -> Self;

    /// The majority of each bit, the Maj of FIPS 180-4, section 4.1.1.
    fn majority(self, b: Self, c: Self) -> Self;
}

/// The rounds of a hash in vectors.
pub(crate) trait Rounds {
    /// Absorbs one block per element, given as its words, into the states.
    fn rounds<V: Vector<W>, const W: usize>(before: [V; 8], w: [V; 16]) -> [V; 8];
}

/// Absorbs as many blocks as the shortest of the messages has, each into its own state; returns how many.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
unsafe fn absorb<R: Rounds, V: Vector<W>, const W: usize>(
    states: &mut [State; W],
    messages: &[&[Block]; W],
) -> usize {
    let count = messages.iter().map(|message| message.len()).min().unwrap_or(0);
    // SAFETY: as for this function.
    let mut words = unsafe { V::load_states(states) };
    for index in 0..count {
        // SAFETY: as for this function. `index` is below the length of every message.
        let w = unsafe { V::load_blocks(core::array::from_fn(|lane| messages[lane].get_unchecked(index))) };
        words = R::rounds(words, w);
    }
    V::store_states(words, states);
    count
}
