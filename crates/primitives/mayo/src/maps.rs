//! Maps of two vectors at a time, and what they do to rows.

use crate::engine::Engine;
use crate::scratch::Scratch;

/// Maps for `count` vectors of `length` scalars each, which stand one after another in `vectors`. Those of pair p of
/// entries are together, one for each pair of vectors: it multiplies a byte of two rows 2p, 2p + 1 by the entries 2p,
/// 2p + 1 of both vectors and adds, the first vector's sum in the lower nibble. What is missing in a pair is 0.
#[inline(always)]
pub(crate) fn of<E: Engine>(engine: E, vectors: &[u8], count: usize, length: usize) -> Scratch<E::Map> {
    let (pairs, width) = (length.div_ceil(2), count.div_ceil(2));
    // Entries beyond the end are those of a longer, zero-padded vector.
    let mut units = Scratch::new(2 * width * 2 * pairs);
    for (units, vector) in units.chunks_exact_mut(2 * pairs).zip(vectors.chunks_exact(length)) {
        for (unit, scalar) in units.iter_mut().zip(vector) {
            *unit = engine.unit(*scalar);
        }
    }
    let mut maps = Scratch::new(pairs * width);
    for (j, both) in units.chunks_exact(4 * pairs).enumerate() {
        let (first, second) = both.split_at(2 * pairs);
        for (p, (first, second)) in first.chunks_exact(2).zip(second.chunks_exact(2)).enumerate() {
            maps[p * width + j] = engine.map(first[0], first[1], second[0], second[1]);
        }
    }
    maps
}

/// Multiplications of both nibbles by the same scalar, one for each.
#[inline(always)]
pub(crate) fn scalars<E: Engine>(engine: E, scalars: &[u8], maps: &mut [E::Map]) {
    let nothing = engine.unit(0);
    for (map, scalar) in maps.iter_mut().zip(scalars) {
        let unit = engine.unit(*scalar);
        *map = engine.map(unit, nothing, nothing, unit);
    }
}

/// The sums of `input`'s rows under these maps: for each pair of vectors a row of `length` bytes.
#[inline(always)]
pub(crate) fn combine<E: Engine>(
    engine: E,
    maps: &[E::Map],
    width: usize,
    input: &[u8],
    length: usize,
) -> Scratch<u8> {
    let mut sums = Scratch::new(width * length);
    engine.combine(maps, width, input, &mut sums, length);
    sums
}

/// From bytes to words of m nibbles each: `sums` has for each pair of vectors `inner` m-vectors as [`crate::grid`] lays
/// them out, and the result for each vector its `inner` m-vectors, word by word: word w of m-vector i of vector j is
/// `(j * limbs + w) * inner + i`. Nibbles beyond m are cleared.
#[inline(always)]
pub(crate) fn unpair<E: Engine>(
    engine: E,
    sums: &[u8],
    inner: usize,
    half: usize,
    last_limb: u64,
) -> Scratch<u64> {
    let limbs = half / 8;
    let mut words = Scratch::new(sums.len() / 8);
    for (sums, words) in sums.chunks_exact(inner * 2 * half).zip(words.chunks_exact_mut(2 * inner * limbs)) {
        let (first, second) = words.split_at_mut(inner * limbs);
        for (i, sum) in sums.chunks_exact(2 * half).enumerate() {
            let (even, odd) = sum.split_at(half);
            let mut packed = [[0; MOST_BYTES]; 2];
            let [low, high] = &mut packed;
            engine.zip(even, odd, &mut low[..half], &mut high[..half]);
            for (words, packed) in [(&mut *first, low), (&mut *second, high)] {
                for (w, bytes) in packed[..half].chunks_exact(8).enumerate() {
                    let mut word = [0; 8];
                    word.copy_from_slice(bytes);
                    let mask = if w + 1 == limbs { last_limb } else { u64::MAX };
                    words[w * inner + i] = u64::from_le_bytes(word) & mask;
                }
            }
        }
    }
    words
}

/// Bytes of the longest m-vector, 142 nibbles in whole words.
pub(crate) const MOST_BYTES: usize = 72;
