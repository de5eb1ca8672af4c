//! The diffusion layer (RFC 5794, section 2.4.3): each byte becomes the sum of seven others.
//!
//! The sixteen bytes are four words of four. Within each word one byte is the *base*, and the sums of the base with
//! the others are its three *pairs*. All that the layer needs of another word is one of its pairs or the sum of all
//! four bytes, which is the sum of the three pairs. That makes 62 additions of two, or 42 of up to three.

/// Bytes, or bits of bytes, that belong to the same place of several blocks.
pub(crate) trait Sum: Copy {
    fn xor(self, b: Self) -> Self;

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
}

impl Sum for u8 {
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        self ^ b
    }
}

impl Sum for u64 {
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        self ^ b
    }
}

/// Which byte of each word is the base.
const BASE_IN: [usize; 4] = [3, 0, 1, 2];

/// Which byte of each word of the result is the sum of the word's base and one pair of each other word.
const BASE_OUT: [usize; 4] = [0, 1, 3, 2];

/// From which word the base takes the pair of the distance 1, 2 or 3 (the XOR of the numbers of the pair's bytes).
const OTHER: [[usize; 4]; 4] = [[0, 2, 1, 3], [1, 3, 0, 2], [2, 0, 3, 1], [3, 1, 2, 0]];

#[inline(always)]
pub(crate) fn diffuse<S: Sum>(bytes: [S; 16]) -> [S; 16] {
    diffuse_and_add(bytes, |_, a, b| a.xor(b))
}

/// The layer with sixteen additions left to the caller, who can add a round key there at no cost where three are
/// added in one instruction: `add(i, a, b)` is the sum of `a`, `b` and the byte `i` of what [`spread`] makes of
/// the key.
#[inline(always)]
pub(crate) fn diffuse_and_add<S: Sum>(x: [S; 16], add: impl Fn(usize, S, S) -> S) -> [S; 16] {
    let (mut pairs, mut sums) = ([[x[0]; 4]; 4], [x[0]; 4]);
    for word in 0..4 {
        let base = x[4 * word + BASE_IN[word]];
        for distance in 1..4 {
            let byte = x[4 * word + (BASE_IN[word] ^ distance)];
            pairs[word][distance] = add(4 * word + distance, base, byte);
        }
        sums[word] = pairs[word][1].xor3(pairs[word][2], pairs[word][3]);
    }
    let mut y = x;
    for word in 0..4 {
        let base = x[4 * word + BASE_IN[word]];
        let pair = |distance: usize| pairs[OTHER[word][distance]][distance];
        let first = add(4 * word, base.xor3(pair(1), pair(2)), pair(3));
        y[4 * word + BASE_OUT[word]] = first;
        for distance in 1..4 {
            let [a, b] = others(distance);
            let sum = sums[OTHER[word][a]].xor(sums[OTHER[word][b]]);
            y[4 * word + (BASE_OUT[word] ^ distance)] = first.xor3(pairs[word][distance], sum);
        }
    }
    y
}

/// What has to be added in [`diffuse_and_add`] so that the result is the layer's plus `key`.
pub(crate) fn spread(key: [u8; 16]) -> [u8; 16] {
    let mut spread = [0; 16];
    let sums: [u8; 4] = core::array::from_fn(|word| (0..4).fold(0, |sum, byte| sum ^ key[4 * word + byte]));
    for word in 0..4 {
        let first = key[4 * word + BASE_OUT[word]];
        for distance in 1..4 {
            let [a, b] = others(distance).map(|distance| sums[OTHER[word][distance]]);
            spread[4 * word + distance] = first ^ key[4 * word + (BASE_OUT[word] ^ distance)] ^ a ^ b;
        }
    }
    for word in 0..4 {
        let pairs = (1..4).map(|distance| spread[4 * OTHER[word][distance] + distance]);
        spread[4 * word] = pairs.fold(key[4 * word + BASE_OUT[word]], |sum, pair| sum ^ pair);
    }
    spread
}

/// The two distances beside one.
#[inline(always)]
const fn others(distance: usize) -> [usize; 2] {
    match distance {
        1 => [2, 3],
        2 => [1, 3],
        _ => [1, 2],
    }
}

/// The equations of RFC 5794, section 2.4.3: which bytes each byte of the result is the sum of.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // for single blocks in registers, and the tests
pub(crate) const EQUATIONS: [[usize; 7]; 16] = [
    [3, 4, 6, 8, 9, 13, 14],
    [2, 5, 7, 8, 9, 12, 15],
    [1, 4, 6, 10, 11, 12, 15],
    [0, 5, 7, 10, 11, 13, 14],
    [0, 2, 5, 8, 11, 14, 15],
    [1, 3, 4, 9, 10, 14, 15],
    [0, 2, 7, 9, 10, 12, 13],
    [1, 3, 6, 8, 11, 12, 13],
    [0, 1, 4, 7, 10, 13, 15],
    [0, 1, 5, 6, 11, 12, 14],
    [2, 3, 5, 6, 8, 13, 15],
    [2, 3, 4, 7, 9, 12, 14],
    [1, 2, 6, 7, 9, 11, 12],
    [0, 3, 6, 7, 8, 10, 13],
    [0, 3, 4, 5, 9, 11, 14],
    [1, 2, 4, 5, 8, 10, 15],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The layer is linear, so the sixteen unit vectors tell all.
    #[test]
    fn equations() {
        for place in 0..16 {
            let unit: [u8; 16] = core::array::from_fn(|i| u8::from(i == place));
            let expected = EQUATIONS.map(|row| u8::from(row.contains(&place)));
            assert_eq!(diffuse(unit), expected);
            assert_eq!(diffuse(expected), unit);

            let constants = spread(unit);
            let keyed = diffuse_and_add([0; 16], |i, a, b| a ^ b ^ constants[i]);
            assert_eq!(keyed, unit);
        }
    }
}
