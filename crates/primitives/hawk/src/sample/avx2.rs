//! The Gaussian distribution by AVX2: sixteen numbers at a time, in digits of 15 or 16 bits.
//!
//! How many entries of a descending table are above a number is found in two steps. First, by one digit each: an entry whose
//! first digit that is not zero is its j-th is compared by that digit alone, where all digits of the number before it are
//! zero. At one level no two entries of a coset have the same digit (a test sees to it), so that at most one entry can be
//! above the number that was not counted: the one that follows those that were. Second, that one is looked up, and compared
//! as a whole. With it, and with unary codes read word by word, HAWK-512 signs in 0.64 of the time.

#![allow(unsafe_code)] // SIMD intrinsics
#![allow(clippy::needless_range_loop)] // iterators would need closures, into which intrinsics are not inlined

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cmpgt_epi16,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_or_si256, _mm256_packs_epi16, _mm256_permute4x64_epi64,
    _mm256_set1_epi16, _mm256_setr_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16,
    _mm256_srai_epi16, _mm256_storeu_si256, _mm256_sub_epi16, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    _mm256_xor_si256,
};

use crate::binary::Binary;
use crate::params::Row;

/// Digits of a number: 15 high bits, then 15 and three times 16 of the 63 low ones.
const DIGITS: usize = 5;

/// [`super::fill`]. Only a path that has AVX2 comes here.
pub(super) fn fill(levels: &Levels, words: &[[[u64; 4]; 5]], cosets: &Binary, x: &mut [i8]) -> u32 {
    // SAFETY: the path that alone comes here exists only where the processor has the instructions.
    unsafe { compiled(levels, words, cosets, x) }
}

/// The digits of an entry, those of 16 bits less 2^15 since comparisons have signs.
const fn digits((high, low): (u16, u64)) -> [i16; DIGITS] {
    let flip = 1 << 15;
    let lows = [(low >> 48) as u16, (low >> 32) as u16 ^ flip, (low >> 16) as u16 ^ flip, low as u16 ^ flip];
    [high as i16, lows[0] as i16, lows[1] as i16, lows[2] as i16, lows[3] as i16]
}

/// What no digit is below.
const LEAST: [i16; DIGITS] = [0, 0, i16::MIN, i16::MIN, i16::MIN];

/// The first digit that is not zero; behind the last if there is none.
const fn level(entry: &[i16; DIGITS]) -> usize {
    let mut at = 0;
    while at < DIGITS && entry[at] == LEAST[at] {
        at += 1;
    }
    at
}

/// A table for both steps. Nothing of it is secret.
pub(super) struct Levels {
    /// For each digit, those of the entries whose level it is: of the even coset, and what changes it to the odd one's.
    steps: [[[i16; 2]; 16]; DIGITS],
    counts: [usize; DIGITS],
    /// For each digit and coset, the lower and the upper bytes of all entries, and of one behind that nothing is below.
    bytes: [[[[u8; 16]; 2]; 2]; DIGITS],
}

impl Levels {
    pub(super) const fn new(rows: &[Row]) -> Self {
        let mut levels =
            Levels { steps: [[[0; 2]; 16]; DIGITS], counts: [0; DIGITS], bytes: [[[[0; 16]; 2]; 2]; DIGITS] };
        let mut number = 0;
        while number <= rows.len() {
            let [even, odd] = if number < rows.len() { rows[number] } else { [(0, 0); 2] };
            let entries = [digits(even), digits(odd)];
            let mut at = 0;
            while at < DIGITS {
                let mut here = [LEAST[at]; 2];
                let mut coset = 0;
                while coset < 2 {
                    let digit = entries[coset][at];
                    [levels.bytes[at][coset][0][number], levels.bytes[at][coset][1][number]] =
                        digit.to_le_bytes();
                    if level(&entries[coset]) == at {
                        here[coset] = digit;
                    }
                    coset += 1;
                }
                if here[0] != LEAST[at] || here[1] != LEAST[at] {
                    levels.steps[at][levels.counts[at]] = [here[0], here[0] ^ here[1]];
                    levels.counts[at] += 1;
                }
                at += 1;
            }
            number += 1;
        }
        levels
    }
}

#[target_feature(enable = "avx2")]
fn compiled(levels: &Levels, words: &[[[u64; 4]; 5]], cosets: &Binary, x: &mut [i8]) -> u32 {
    let (zero, ones) = (_mm256_setzero_si256(), _mm256_set1_epi16(-1));
    let low = _mm256_set1_epi16(0x7fff);
    let bits =
        _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, i16::MIN);
    let mut squares = zero;
    for (at, (x, words)) in x.as_chunks_mut::<16>().0.iter_mut().zip(words).enumerate() {
        let cosets = _mm256_set1_epi16((cosets[at / 4] >> (16 * (at % 4))) as i16);
        let odd = _mm256_cmpeq_epi16(_mm256_and_si256(cosets, bits), bits);
        // A lane has four numbers, and the words with their low bits lie in four vectors: a square of digits in each lane.
        let (a, b, c, d) = (load(&words[0]), load(&words[1]), load(&words[2]), load(&words[3]));
        let (ab, cd) = (_mm256_unpacklo_epi16(a, b), _mm256_unpacklo_epi16(c, d));
        let first = [_mm256_unpacklo_epi32(ab, cd), _mm256_unpackhi_epi32(ab, cd)];
        let (ab, cd) = (_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi16(c, d));
        let second = [_mm256_unpacklo_epi32(ab, cd), _mm256_unpackhi_epi32(ab, cd)];
        let signed = _mm256_unpackhi_epi64(first[1], second[1]);
        let flip = _mm256_set1_epi16(i16::MIN);
        let number = [
            _mm256_and_si256(load(&words[4]), low),
            _mm256_and_si256(signed, low),
            _mm256_xor_si256(_mm256_unpacklo_epi64(first[1], second[1]), flip),
            _mm256_xor_si256(_mm256_unpackhi_epi64(first[0], second[0]), flip),
            _mm256_xor_si256(_mm256_unpacklo_epi64(first[0], second[0]), flip),
        ];

        let (mut count, mut zeros) = (zero, ones);
        for digit in 0..DIGITS {
            let mut here = zero;
            for [even, change] in &levels.steps[digit][..levels.counts[digit]] {
                let entry = _mm256_xor_si256(
                    _mm256_set1_epi16(*even),
                    _mm256_and_si256(odd, _mm256_set1_epi16(*change)),
                );
                here = _mm256_sub_epi16(here, _mm256_cmpgt_epi16(entry, number[digit]));
            }
            count = _mm256_add_epi16(count, _mm256_and_si256(here, zeros));
            let none = _mm256_cmpeq_epi16(number[digit], _mm256_set1_epi16(LEAST[digit]));
            zeros = _mm256_and_si256(zeros, none);
        }

        // Places of bytes: one with its highest bit set gives zero, so that of four only the coset's two give something.
        let both = _mm256_set1_epi16(i16::from_le_bytes([0x80; 2]));
        let (lower, upper) = (_mm256_set1_epi16(i16::from_le_bytes([0, 0x80])), _mm256_set1_epi16(0x80));
        let places = [_mm256_or_si256(count, lower), _mm256_or_si256(_mm256_slli_epi16::<8>(count), upper)];
        let hidden = _mm256_and_si256(odd, both);
        let shown = _mm256_xor_si256(hidden, both);
        let mut less = zero;
        for digit in (0..DIGITS).rev() {
            let mut entry = zero;
            for half in 0..2 {
                for (coset, hide) in [hidden, shown].into_iter().enumerate() {
                    let bytes = twice(&levels.bytes[digit][coset][half]);
                    let part = _mm256_shuffle_epi8(bytes, _mm256_or_si256(places[half], hide));
                    entry = _mm256_or_si256(entry, part);
                }
            }
            let equal = _mm256_cmpeq_epi16(entry, number[digit]);
            let above = _mm256_cmpgt_epi16(entry, number[digit]);
            less = _mm256_or_si256(above, _mm256_and_si256(equal, less));
        }
        let count = _mm256_sub_epi16(count, less);

        let value = _mm256_sub_epi16(_mm256_add_epi16(count, count), odd);
        squares = _mm256_add_epi32(squares, _mm256_madd_epi16(value, value));
        let sign = _mm256_srai_epi16::<15>(signed);
        let value = _mm256_sub_epi16(_mm256_xor_si256(value, sign), sign);
        let bytes = _mm256_permute4x64_epi64::<0b10_00>(_mm256_packs_epi16(value, value));
        // SAFETY: 16 bytes are written.
        unsafe { _mm_storeu_si128(x.as_mut_ptr().cast(), _mm256_castsi256_si128(bytes)) };
    }
    let mut sums = [0_u32; 8];
    // SAFETY: 32 bytes are written.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), squares) };
    sums.iter().sum()
}

#[inline(always)]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: only code with the instructions calls it; 32 bytes are read.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// The same bytes in both halves.
#[inline(always)]
fn twice(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: as for `load`; 16 bytes are read.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::params::{Constants, Hawk256, Hawk512, Hawk1024};

    /// What makes the first step leave one entry.
    #[test]
    fn no_two_entries_of_a_level_have_the_same_digit() {
        for rows in [Hawk256::DISTRIBUTION, Hawk512::DISTRIBUTION, Hawk1024::DISTRIBUTION] {
            assert!(rows.len() < 16);
            for coset in 0..2 {
                let entries = rows.iter().map(|row| digits(row[coset]));
                let firsts = entries.map(|entry| (level(&entry), entry)).filter(|(at, _)| *at < DIGITS);
                let firsts: Vec<_> = firsts.map(|(at, entry)| (at, entry[at])).collect();
                // Levels go up, and within them the digits go down.
                assert!(firsts.is_sorted_by(|a, b| (a.0, b.1) < (b.0, a.1)));
            }
        }
    }
}
