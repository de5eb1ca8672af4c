//! Secret polynomials: those of a key, out of a seed (algorithm 12), and those of a signature (algorithm 14).
//!
//! No branch and no address depends on what comes out.

use zeroize::{Zeroize, Zeroizing};

use crate::binary::Binary;
use crate::params::{MOST, ParameterSet, Row};
use crate::path::Path;
use crate::shake;

/// Algorithm 12: f and g, by centred binomial distributions.
pub(crate) fn regenerate<P: ParameterSet>(path: Path, seed: &[u8]) -> Zeroizing<[[i8; MOST]; 2]> {
    let bits = P::N / 64;
    let mut words = Zeroizing::new([[0_u64; 4]; MOST / 8]);
    let words = &mut words[..2 * P::N * bits / 256];
    shake::four(path.keccak(), &[seed], words);
    let mut both = Zeroizing::new([[0; MOST]; 2]);
    let (f, g) = words.as_flattened().split_at(words.len() * 2);
    for (poly, words) in both.iter_mut().zip([f, g]) {
        for (group, word) in poly.chunks_exact_mut(64 / bits).zip(words) {
            let ones = count(*word, bits);
            for (number, c) in group.iter_mut().enumerate() {
                *c = ((ones >> (bits * number)) as i8 & (2 * bits as i8 - 1)) - bits as i8 / 2;
            }
        }
    }
    both
}

/// The ones in groups of 4, 8 or 16 bits, in their places.
fn count(word: u64, bits: usize) -> u64 {
    let mut ones = word - (word >> 1 & 0x5555_5555_5555_5555);
    ones = (ones & 0x3333_3333_3333_3333) + (ones >> 2 & 0x3333_3333_3333_3333);
    if bits >= 8 {
        ones = (ones + (ones >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    }
    if bits >= 16 {
        ones = (ones + (ones >> 8)) & 0x001f_001f_001f_001f;
    }
    ones
}

/// Algorithm 14: 2 n numbers of the discrete Gaussian distribution on 2 Z or 2 Z + 1, as the bits of `t` say, written to
/// `x`; gives their squared norm. The seed is in pieces.
pub(crate) fn gaussian<P: ParameterSet>(
    path: Path,
    seed: &[&[u8]],
    t: [&Binary; 2],
    x: &mut [[i8; MOST]; 2],
) -> u32 {
    let mut words = [[0; 4]; MOST * 5 / 8];
    let words = &mut words[..P::N * 5 / 8];
    shake::four(path.keccak(), seed, words);
    let halves = words.as_chunks::<5>().0.chunks_exact(P::N / 16);
    for ((x, words), t) in x.iter_mut().zip(halves).zip(t) {
        for (at, (x, words)) in x.as_chunks_mut::<16>().0.iter_mut().zip(words).enumerate() {
            let cosets = (t[at / 4] >> (16 * (at % 4))) as u16;
            sixteen(P::DISTRIBUTION, words, cosets, x);
        }
    }
    words.as_flattened_mut().zeroize();
    x.iter().flat_map(|x| &x[..P::N]).map(|x| (i32::from(*x) * i32::from(*x)).cast_unsigned()).sum()
}

/// Sixteen numbers, of four words of low bits and a sign for each of four lanes, and one of high bits.
fn sixteen(rows: &[Row], words: &[[u64; 4]; 5], cosets: u16, x: &mut [i8; 16]) {
    for lane in 0..4 {
        for number in 0..4 {
            let at = 4 * lane + number;
            let word = words[number][lane];
            let low = word & (u64::MAX >> 1);
            let high = (words[4][lane] >> (16 * number)) as u16 & 0x7fff;
            let coset = cosets >> at & 1;
            let mut value = 0_i8;
            for [even, odd] in rows {
                let (even_less, odd_less) = (less(high, low, *even), less(high, low, *odd));
                value += (even_less ^ ((even_less ^ odd_less) & coset)) as i8;
            }
            let value = 2 * value + coset as i8;
            let sign = (word.cast_signed() >> 63) as i8;
            x[at] = (value ^ sign) - sign;
        }
    }
}

/// 1 if the number with these high and low bits is below the entry, else 0.
#[inline(always)]
fn less(high: u16, low: u64, entry: (u16, u64)) -> u16 {
    let borrow = low.wrapping_sub(entry.1) >> 63;
    high.wrapping_sub(entry.0).wrapping_sub(borrow as u16) >> 15
}
