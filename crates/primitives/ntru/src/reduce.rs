//! Babai's reduction: multiples k of (f, g) are taken off (F, G) until they are about as short as (f, g).
//!
//! k is what rounding (F·f* + G·g*)/(f·f* + g·g*) gives, computed in doubles of the highest bits of all coefficients, so
//! that each turn takes off some thirty bits. What is subtracted is exact: (F, G) solves the equation before and after,
//! whatever the rounding was.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::big::{Big, add_product, bits_from, subtract_shifted};
use crate::fft;
use crate::ntt::Ntt;
use crate::prime::PRIMES;
use crate::residues::{combine, primes_for, residues};

/// Bits of a multiple, in one turn.
const TURN: usize = 32;
/// Values are rounded exactly where they have no more bits than these.
const LIMIT: i64 = 50;
/// From this degree on products go through the transform.
const TRANSFORMED: usize = 32;

/// Reduces (F, G) by (f, g), in place; `None` if a multiple is not a number, as where (f, g) is zero at a root.
/// `fully`: until nothing is left to take off, where once at the end is good enough otherwise.
pub(crate) fn reduce(f: &Big, g: &Big, big_f: &mut Big, big_g: &mut Big, fully: bool) -> Option<()> {
    let words = turns(f, g, big_f, big_g, fully)?;
    *big_f = big_f.in_words(words);
    *big_g = big_g.in_words(words);
    Some(())
}

/// [`reduce`]; gives how many words of each coefficient still count.
fn turns(f: &Big, g: &Big, big_f: &mut Big, big_g: &mut Big, fully: bool) -> Option<usize> {
    let degree = f.degree();
    let bits = f.bits().max(g.bits());
    let base = bits.saturating_sub(62);
    let divisor = Divisor::new(f, g, base);
    let mut multiplier = Multiplier::new(f, g);
    let mut k = Zeroizing::new(vec![0_i64; degree]);
    let mut words = big_f.words.max(big_g.words);
    let mut before = usize::MAX;
    loop {
        let long = big_f.bits_within(words).max(big_g.bits_within(words));
        words = long / 64 + 1;
        let from = long.saturating_sub(62);
        let shift = long.saturating_sub(bits + TURN);
        if shift > 0 && long >= before {
            // No progress: the rest is left to the next level, which checks what comes out in the end.
            return Some(words);
        }
        before = long;
        let exponent = from as i64 - base as i64 - shift as i64;
        let (most, more) = divisor.multiple(big_f, big_g, words, from, exponent, &mut k)?;
        // Where (f, g) is much shorter at some roots than at others, k is longer than its size tells.
        let shift = shift + more;
        if most == 0 && shift == 0 {
            return Some(words);
        }
        multiplier.subtract(&k, shift, words, big_f, big_g);
        if shift == 0 && !fully && most < 1 << 40 {
            return Some(words);
        }
    }
}

/// (f*, g*)/(f·f* + g·g*) at the roots.
struct Divisor {
    f: Zeroizing<Vec<f64>>,
    g: Zeroizing<Vec<f64>>,
}

impl Divisor {
    fn new(f: &Big, g: &Big, base: usize) -> Self {
        let [mut f, mut g] = [f, g].map(|poly| highest(poly, poly.words, base));
        let half = f.len() / 2;
        for at in 0..half {
            let norm =
                f[at] * f[at] + f[at + half] * f[at + half] + g[at] * g[at] + g[at + half] * g[at + half];
            for poly in [&mut f, &mut g] {
                poly[at] /= norm;
                poly[at + half] = -poly[at + half] / norm;
            }
        }
        Divisor { f, g }
    }

    /// Writes k / 2^more to `k`, and gives its largest absolute value (at most twice that) and `more`: as much as makes
    /// rounding exact, mostly nothing.
    fn multiple(
        &self,
        big_f: &Big,
        big_g: &Big,
        words: usize,
        from: usize,
        exponent: i64,
        k: &mut [i64],
    ) -> Option<(u64, usize)> {
        let mut x = highest(big_f, words, from);
        let y = highest(big_g, words, from);
        let half = x.len() / 2;
        for at in 0..half {
            let (a, b, c, d) = (x[at], x[at + half], y[at], y[at + half]);
            let (e, h) = ((self.f[at], self.f[at + half]), (self.g[at], self.g[at + half]));
            x[at] = a * e.0 - b * e.1 + c * h.0 - d * h.1;
            x[at + half] = a * e.1 + b * e.0 + c * h.1 + d * h.0;
        }
        fft::inverse(&mut x);
        // The exponent of the largest value, with its bias: without their signs, doubles are ordered as their bits are.
        let largest = x.iter().fold(0_u64, |largest, x| largest.max(x.to_bits() << 1)) >> 53;
        if largest == 0x7ff {
            return None;
        }
        let more = (largest as i64 - 1022 + exponent - LIMIT).max(0);
        // Values whose scale is smaller than this are rounded to zero.
        let scale = f64::from_bits(((1023 + (exponent - more).clamp(-200, 200)) as u64) << 52);
        let mut most = 0;
        for (k, x) in k.iter_mut().zip(x.iter()) {
            const ROUND: f64 = 1.5 * (1_u64 << 52) as f64;
            *k = ((x * scale + ROUND) - ROUND) as i64;
            most |= k.unsigned_abs();
        }
        Some((most, more as usize))
    }
}

/// The 64 bits from `from` on of all coefficients, transformed.
fn highest(poly: &Big, words: usize, from: usize) -> Zeroizing<Vec<f64>> {
    let mut values: Zeroizing<Vec<f64>> =
        Zeroizing::new(poly.coefficients().map(|number| bits_from(&number[..words], from) as f64).collect());
    fft::forward(&mut values);
    values
}

/// Multiplies f and g by small polynomials.
enum Multiplier<'a> {
    /// Coefficient by coefficient.
    Plain { f: &'a Big, g: &'a Big, sum: Zeroizing<Vec<u64>> },
    /// By residues: f and g at the roots, for each prime.
    Transformed { ntts: Vec<Ntt>, f: Zeroizing<Vec<u64>>, g: Zeroizing<Vec<u64>>, k: Zeroizing<Vec<u64>> },
}

impl<'a> Multiplier<'a> {
    fn new(f: &'a Big, g: &'a Big) -> Self {
        let degree = f.degree();
        if degree < TRANSFORMED {
            let words = f.words.max(g.words) + 2;
            return Multiplier::Plain { f, g, sum: Zeroizing::new(vec![0; words]) };
        }
        let bits = f.bits().max(g.bits()) + 51 + degree.trailing_zeros() as usize;
        let ntts: Vec<Ntt> = PRIMES[..primes_for(bits)].iter().map(|prime| Ntt::new(prime, degree)).collect();
        let [f, g] = [f, g].map(|poly| {
            let mut values = Zeroizing::new(vec![0; degree * ntts.len()]);
            for (values, ntt) in values.chunks_exact_mut(degree).zip(&ntts) {
                let prime = ntt.prime();
                residues(poly, prime, values);
                ntt.forward(values);
                values.iter_mut().for_each(|value| *value = prime.mul(*value, prime.r2));
            }
            values
        });
        Multiplier::Transformed { ntts, f, g, k: Zeroizing::new(vec![0; degree]) }
    }

    /// `(F, G) -= k·(f, g)·2^shift`, in the first words of all coefficients.
    fn subtract(&mut self, k: &[i64], shift: usize, words: usize, big_f: &mut Big, big_g: &mut Big) {
        match self {
            Multiplier::Plain { f, g, sum } => {
                for (small, big) in [(f, big_f), (g, big_g)] {
                    let stride = big.words;
                    for (at, to) in big.all.chunks_exact_mut(stride).enumerate() {
                        sum.fill(0);
                        for (other, factor) in k.iter().enumerate() {
                            // x^n is -1.
                            let index = (at + k.len() - other) % k.len();
                            let factor = if other > at { -factor } else { *factor };
                            let number = &small.all[index * small.words..(index + 1) * small.words];
                            add_product(sum, number, factor);
                        }
                        subtract_shifted(&mut to[..words], sum, shift);
                    }
                }
            }
            Multiplier::Transformed { ntts, f, g, k: transformed } => {
                let degree = k.len();
                let mut products = [f, g].map(|poly| poly.clone());
                for (at, ntt) in ntts.iter().enumerate() {
                    let prime = ntt.prime();
                    transformed.iter_mut().zip(k).for_each(|(to, k)| *to = prime.signed(*k));
                    ntt.forward(transformed);
                    for product in &mut products {
                        let values = &mut product[at * degree..(at + 1) * degree];
                        for (value, k) in values.iter_mut().zip(transformed.iter()) {
                            *value = prime.mul(*value, *k);
                        }
                        ntt.inverse(values);
                    }
                }
                for (product, big) in products.iter().zip([big_f, big_g]) {
                    let product = combine(product, degree);
                    let stride = big.words;
                    for (to, small) in big.all.chunks_exact_mut(stride).zip(product.coefficients()) {
                        subtract_shifted(&mut to[..words], small, shift);
                    }
                }
            }
        }
    }
}
