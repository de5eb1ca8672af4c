//! GF(16) = GF(2)\[x\] / (x⁴ + x + 1) (bit i of a nibble is the coefficient of xⁱ), one element at a
//! time and sixteen in the nibbles of a word. Nothing here branches or reads memory by an element.

/// The lowest bit of each nibble.
const ONES: u64 = 0x1111_1111_1111_1111;

#[inline(always)]
pub(crate) const fn times_x(a: u8) -> u8 {
    ((a << 1) ^ ((a >> 3) * 0b1_0011)) & 15
}

#[inline(always)]
pub(crate) const fn multiply(a: u8, b: u8) -> u8 {
    let (b1, b2) = (times_x(b), times_x(times_x(b)));
    let b3 = times_x(b2);
    (a & 1).wrapping_neg() & b
        ^ (a >> 1 & 1).wrapping_neg() & b1
        ^ (a >> 2 & 1).wrapping_neg() & b2
        ^ (a >> 3 & 1).wrapping_neg() & b3
}

/// 1 / a, and 0 of 0: a¹⁴.
#[inline(always)]
pub(crate) const fn invert(a: u8) -> u8 {
    let a2 = multiply(a, a);
    let a4 = multiply(a2, a2);
    multiply(multiply(a2, a4), multiply(a4, a4))
}

/// All nibbles times x.
#[inline(always)]
const fn words_times_x(word: u64) -> u64 {
    let top = word >> 3 & ONES;
    ((word & !(8 * ONES)) << 1) ^ top ^ (top << 1)
}

/// The bits of an element as masks of a word.
#[inline(always)]
pub(crate) const fn masks(a: u8) -> [u64; 4] {
    let a = a as u64;
    [
        (a & 1).wrapping_neg(),
        (a >> 1 & 1).wrapping_neg(),
        (a >> 2 & 1).wrapping_neg(),
        (a >> 3 & 1).wrapping_neg(),
    ]
}

/// All nibbles of a word times the element with these [`masks`].
#[inline(always)]
pub(crate) const fn scale(word: u64, masks: [u64; 4]) -> u64 {
    let w1 = words_times_x(word);
    let w2 = words_times_x(w1);
    let w3 = words_times_x(w2);
    word & masks[0] ^ w1 & masks[1] ^ w2 & masks[2] ^ w3 & masks[3]
}

/// Elements from packed nibbles, the lower nibble first (the specification's Decode_vec). An odd number of elements ends in a
/// lower nibble.
#[inline(always)]
pub(crate) fn decode(packed: &[u8], elements: &mut [u8]) {
    for (pair, byte) in elements.chunks_mut(2).zip(packed) {
        pair[0] = byte & 15;
        if let Some(second) = pair.get_mut(1) {
            *second = byte >> 4;
        }
    }
}

/// The opposite of [`decode`].
#[inline(always)]
pub(crate) fn encode(elements: &[u8], packed: &mut [u8]) {
    for (pair, byte) in elements.chunks(2).zip(packed) {
        *byte = pair[0] | pair.get(1).copied().unwrap_or(0) << 4;
    }
}
