//! Secret polynomials: those of a key, out of a seed (algorithm 12), and those of a signature (algorithm 14).
//!
//! No branch and no address depends on what comes out.

#[cfg(target_arch = "x86_64")]
mod avx2;

use fieldtest_keccak::shake;
use zeroize::Zeroizing;

use crate::binary::Binary;
use crate::params::{MOST, ParameterSet, Row};
use crate::path::{Kind, Path};

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
/// `x`; gives their squared norm. The seed is in pieces; `words` is room for as much as is sampled
/// from, 5 for every 8 coefficients of both, which the caller wipes.
pub(crate) fn gaussian<P: ParameterSet>(
    path: Path,
    seed: &[&[u8]],
    t: [&Binary; 2],
    x: &mut [[i8; MOST]; 2],
    words: &mut [[u64; 4]],
) -> u32 {
    shake::four(path.keccak(), seed, words);
    let halves = words.as_chunks::<5>().0.chunks_exact(P::N / 16);
    let mut norm = 0;
    for ((x, words), t) in x.iter_mut().zip(halves).zip(t) {
        norm += match path.kind() {
            Kind::Portable => fill(P::DISTRIBUTION, words, t, x),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => avx2::fill(const { &avx2::Levels::new(P::DISTRIBUTION) }, words, t, x),
        };
    }
    norm
}

/// The numbers of one polynomial; gives the sum of their squares.
fn fill(rows: &[Row], words: &[[[u64; 4]; 5]], cosets: &Binary, x: &mut [i8]) -> u32 {
    let mut squares = 0;
    for (at, (x, words)) in x.as_chunks_mut::<16>().0.iter_mut().zip(words).enumerate() {
        sixteen(rows, words, (cosets[at / 4] >> (16 * (at % 4))) as u16, x);
        squares += x.iter().map(|x| (i32::from(*x) * i32::from(*x)).cast_unsigned()).sum::<u32>();
    }
    squares
}

/// Sixteen numbers, of four words of low bits and a sign for each of four lanes, and one of high bits.
fn sixteen(rows: &[Row], words: &[[u64; 4]; 5], cosets: u16, x: &mut [i8; 16]) {
    let (numbers, highs) = words.split_at(4);
    for (lane, high) in highs[0].iter().enumerate() {
        for (number, word) in numbers.iter().map(|words| words[lane]).enumerate() {
            let at = 4 * lane + number;
            let low = word & (u64::MAX >> 1);
            let high = (high >> (16 * number)) as u16 & 0x7fff;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Constants, Hawk256, Hawk512, Hawk1024};

    /// By what algorithm 14 says, of numbers of 78 bits.
    fn by_definition(rows: &[Row], words: &[[u64; 4]; 5], cosets: u16) -> [i8; 16] {
        core::array::from_fn(|at| {
            let word = words[at % 4][at / 4];
            let high = words[4][at / 4] >> (16 * (at % 4)) & 0x7fff;
            let number = u128::from(high) << 63 | u128::from(word & (u64::MAX >> 1));
            let coset = usize::from(cosets >> at & 1);
            let entry = |row: &Row| u128::from(row[coset].0) << 63 | u128::from(row[coset].1);
            let count = rows.iter().filter(|row| number < entry(row)).count();
            let value = (2 * count + coset) as i8;
            if word >> 63 == 1 { -value } else { value }
        })
    }

    /// Also of numbers that are, but for one, those of the table, which chance would never give.
    #[test]
    fn numbers_and_edges_of_the_table() {
        for rows in [Hawk256::DISTRIBUTION, Hawk512::DISTRIBUTION, Hawk1024::DISTRIBUTION] {
            for (number, entry) in rows.iter().flatten().enumerate() {
                for step in [-1, 0, 1] {
                    let edge = ((u128::from(entry.0) << 63 | u128::from(entry.1)) as i128 + step).max(0);
                    let mut words = [[0; 4]; 5];
                    for at in 0..16 {
                        let (lane, of) = (at / 4, at % 4);
                        let sign = (lane as u64 + of as u64 + number as u64) << 63;
                        words[of][lane] = edge as u64 & (u64::MAX >> 1) | sign;
                        words[4][lane] |= ((edge >> 63) as u64 | sign >> 48) << (16 * of);
                    }
                    let cosets = 0b1011_0010_1100_0101_u16.rotate_left(number as u32);
                    let expected = by_definition(rows, &words, cosets);
                    let mut t: Binary = [0; MOST / 64];
                    t[0] = cosets.into();
                    let mut x = [0; 16];
                    let squares = expected.iter().map(|x| i32::from(*x).pow(2).cast_unsigned()).sum();
                    assert_eq!(fill(rows, &[words], &t, &mut x), squares);
                    assert_eq!(x, expected);
                    #[cfg(target_arch = "x86_64")]
                    if Path::best() != Path::PORTABLE {
                        x = [0; 16];
                        assert_eq!(avx2::fill(&avx2::Levels::new(rows), &[words], &t, &mut x), squares);
                        assert_eq!(x, expected);
                    }
                }
            }
        }
    }

    /// The variance is what the parameter sets are made for: 4 σ², where σ is 1.010, 1.278 or 1.299.
    #[test]
    fn variance() {
        fn of<P: ParameterSet>(deviation: f64) {
            let t = [0x5a5a_5a5a_1234_5678; MOST / 64];
            let (mut x, mut words) = ([[0; MOST]; 2], [[0; 4]; MOST * 5 / 8]);
            let mut sum = 0;
            let count = 200;
            for seed in 0..count as u32 {
                sum += gaussian::<P>(
                    Path::best(),
                    &[&seed.to_le_bytes()],
                    [&t, &t],
                    &mut x,
                    &mut words[..P::N * 5 / 8],
                );
            }
            let mean = f64::from(sum) / (count * 2 * P::N) as f64;
            let expected = 4.0 * deviation * deviation;
            // The mean of so many squares is off by a thousandth or so.
            assert!((mean / expected - 1.0).abs() < 0.02, "{mean} {expected}");
        }
        of::<Hawk256>(1.010);
        of::<Hawk512>(1.278);
        of::<Hawk1024>(1.299);
    }
}
