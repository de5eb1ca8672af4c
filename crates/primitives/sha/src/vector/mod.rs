//! Vectors of 32-bit words, one message per element.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

pub(crate) mod avx2;
pub(crate) mod avx512;

use crate::block::{Block, State};

/// Vectors of `W` words. Only the constructors are unsafe: whoever holds a value has proven that the processor has
/// the instructions. Every method is inlined into a function with the target feature, which is why implementations
/// say `inline(always)`.
pub(crate) trait Vector<const W: usize>: Copy {
    /// Four words of each of `W / 4` messages, or states: sixteen bytes from each place, behind each other.
    ///
    /// # Safety
    /// The processor has the vector's instructions, and each place has sixteen readable bytes.
    unsafe fn gather(place: impl Fn(usize) -> *const u32) -> Self;

    /// Writes sixteen bytes to each of `W / 4` places.
    ///
    /// # Safety
    /// Each place has sixteen writable bytes.
    unsafe fn scatter(self, place: impl FnMut(usize) -> *mut u32);

    /// The bytes of each word in reverse order.
    fn swap_bytes(self) -> Self;

    /// The first two words of each sixteen bytes of the two vectors, alternating; then the last two.
    fn unpack_words(self, other: Self) -> [Self; 2];

    /// The first eight bytes of each sixteen of the two vectors, alternating; then the last eight.
    fn unpack_pairs(self, other: Self) -> [Self; 2];

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

/// Turns four words of each message into four vectors of one word each. Done twice, it gives back what there was.
#[inline(always)]
fn transpose<V: Vector<W>, const W: usize>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let [ab_low, ab_high] = a.unpack_words(b);
    let [cd_low, cd_high] = c.unpack_words(d);
    let ([first, second], [third, fourth]) = (ab_low.unpack_pairs(cd_low), ab_high.unpack_pairs(cd_high));
    [first, second, third, fourth]
}

/// Four words of each message, from its place on: one vector for each. Messages that stand four apart are gathered into
/// the same vector. No closure stands between the vectors and the function with the target feature, since it would not
/// always be inlined.
///
/// # Safety
/// The processor has the vector's instructions, and each place sixteen readable bytes.
#[inline(always)]
unsafe fn load_four<V: Vector<W>, const W: usize, const SWAP: bool>(places: [*const u32; W]) -> [V; 4] {
    // SAFETY: as for this function.
    let mut rows = unsafe {
        [
            V::gather(|part| places[4 * part]),
            V::gather(|part| places[4 * part + 1]),
            V::gather(|part| places[4 * part + 2]),
            V::gather(|part| places[4 * part + 3]),
        ]
    };
    if SWAP {
        let [a, b, c, d] = rows;
        rows = [a.swap_bytes(), b.swap_bytes(), c.swap_bytes(), d.swap_bytes()];
    }
    transpose(rows)
}

/// The words of one block per element.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
unsafe fn load_blocks<V: Vector<W>, const W: usize>(blocks: [&Block; W]) -> [V; 16] {
    let places = |quarter: usize| blocks.map(|block| block.as_ptr().wrapping_add(16 * quarter).cast());
    // SAFETY: as for this function; each quarter of a block has sixteen bytes.
    let [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]] = unsafe {
        [
            load_four::<V, W, true>(places(0)),
            load_four::<V, W, true>(places(1)),
            load_four::<V, W, true>(places(2)),
            load_four::<V, W, true>(places(3)),
        ]
    };
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

/// The words of one state per element.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
unsafe fn load_states<V: Vector<W>, const W: usize>(states: &[State; W]) -> [V; 8] {
    let places = |half: usize| states.each_ref().map(|state| state.as_ptr().wrapping_add(4 * half));
    // SAFETY: as for this function; each half of a state has sixteen bytes.
    let [[a, b, c, d], [e, f, g, h]] =
        unsafe { [load_four::<V, W, false>(places(0)), load_four::<V, W, false>(places(1))] };
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn store_states<V: Vector<W>, const W: usize>([a, b, c, d, e, f, g, h]: [V; 8], states: &mut [State; W]) {
    for (half, words) in [[a, b, c, d], [e, f, g, h]].into_iter().enumerate() {
        for (row, four) in transpose(words).into_iter().enumerate() {
            // SAFETY: each half of a state has sixteen bytes.
            unsafe { four.scatter(|part| states[row + 4 * part].as_mut_ptr().add(4 * half)) };
        }
    }
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
    let mut words = unsafe { load_states::<V, W>(states) };
    for index in 0..count {
        // SAFETY: as for this function. `index` is below the length of every message.
        let w = unsafe { load_blocks(core::array::from_fn(|lane| messages[lane].get_unchecked(index))) };
        words = R::rounds(words, w);
    }
    store_states(words, states);
    count
}
