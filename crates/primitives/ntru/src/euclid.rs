//! The extended Euclidean algorithm, as the binary one that looks at the highest and lowest bits only and updates the whole
//! numbers once in 31 steps (T. Pornin, "Optimized Binary GCD for Modular Inversion", ePrint 2020/972).
//!
//! The time depends on how many words the numbers have, and on whether `g` is even.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::big::{add_product, negate_if, subtract_shifted};

/// The steps on the abbreviated numbers.
const STEPS: usize = 31;

type Number = Zeroizing<Vec<u64>>;

/// (F, G) with f·G - g·F = 1, in as many words as f and g, which are of equal length and not about to overflow: |F| ≤ |f|
/// and |G| ≤ |g|. `None` where f and g are not coprime.
pub(crate) fn bezout(f: &[u64], g: &[u64]) -> Option<(Number, Number)> {
    let [sign_f, sign_g] = [f, g].map(|a| (a[a.len() - 1].cast_signed() >> 63).cast_unsigned());
    let mut f = Zeroizing::new(f.to_vec());
    let mut g = Zeroizing::new(g.to_vec());
    negate_if(&mut f, sign_f);
    negate_if(&mut g, sign_g);
    // |f|·u - |g|·v = 1, or the other way around: one of them has to be odd to compute modulo it.
    if g[0] & 1 == 1 {
        let mut u = invert(&f, &g)?;
        let mut v = quotient(&f, &u, &g);
        negate_if(&mut u, sign_f);
        negate_if(&mut v, sign_g);
        Some((v, u))
    } else if f[0] & 1 == 1 {
        let mut u = invert(&g, &f)?;
        let mut v = quotient(&g, &u, &f);
        negate_if(&mut u, !sign_g);
        negate_if(&mut v, !sign_f);
        Some((u, v))
    } else {
        None
    }
}

/// (a·u - 1)/m, which is an integer: found from the lowest word upwards, modulo 2^(64 words).
fn quotient(a: &[u64], u: &[u64], m: &[u64]) -> Number {
    let words = a.len();
    let mut rest = Zeroizing::new(vec![0_u64; words]);
    rest[0] = 1;
    // 1 - a·u, of which the words are taken off.
    for (at, factor) in u.iter().enumerate() {
        subtract_multiple(&mut rest[at..], a, *factor);
    }
    let inverse = inverse_of_word(m[0]);
    let mut quotient = Zeroizing::new(vec![0; words]);
    for at in 0..words {
        quotient[at] = rest[at].wrapping_mul(inverse);
        subtract_multiple(&mut rest[at..], m, quotient[at]);
    }
    // That was (1 - a·u)/m.
    negate_if(&mut quotient, u64::MAX);
    quotient
}

/// `rest -= factor · number`, as far as `rest` goes.
fn subtract_multiple(rest: &mut [u64], number: &[u64], factor: u64) {
    let mut borrow = 0_u64;
    for (rest, word) in rest.iter_mut().zip(number) {
        let product = u128::from(factor) * u128::from(*word) + u128::from(borrow);
        let (difference, under) = rest.overflowing_sub(product as u64);
        *rest = difference;
        borrow = (product >> 64) as u64 + u64::from(under);
    }
}

/// 1/a modulo 2^64, of an odd number.
fn inverse_of_word(a: u64) -> u64 {
    (0..6).fold(1_u64, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(a.wrapping_mul(inverse))))
}

/// u with a·u = 1 modulo m and 0 ≤ u < m, where m is odd. Neither number uses its highest bits.
fn invert(a: &[u64], m: &[u64]) -> Option<Number> {
    let words = m.len();
    let modulus = m;
    let inverse = inverse_of_word(m[0]).wrapping_neg();
    let mut a = Zeroizing::new(a.to_vec());
    let mut b = Zeroizing::new(m.to_vec());
    let mut u = Zeroizing::new(vec![0; words]);
    let mut v = Zeroizing::new(vec![0; words]);
    let mut scratch = Zeroizing::new(vec![0; words]);
    u[0] = 1;
    // Invariant: a is (what a was)·u and b is (what a was)·v, modulo m; b is odd.
    // Two numbers of so many bits are done after twice as many steps.
    for _ in 0..(2 * 64 * words).div_ceil(STEPS) {
        let factors = steps(&a, &b);
        let [negative_a, negative_b] = combine(&mut a, &mut b, factors);
        let signed = [(factors[0], negative_a), (factors[1], negative_b)]
            .map(|([f, g], negative)| [(f ^ negative) - negative, (g ^ negative) - negative]);
        combine_modulo(&mut u, &mut v, &mut scratch, signed, modulus, inverse);
    }
    // a is 0 and b the greatest common divisor.
    let is_one = b[1..].iter().fold(b[0] ^ 1, |wrong, word| wrong | word) == 0;
    is_one.then_some(v)
}

/// 31 steps of the binary algorithm on a and b as their highest 33 and lowest 31 bits tell them: factors by which the
/// numbers after these steps are made of the numbers before, times 2^31.
fn steps(a: &[u64], b: &[u64]) -> [[i64; 2]; 2] {
    // The highest word in which either has a bit, and the one before, found without branches.
    let (mut high_a, mut high_b, mut low_a, mut low_b, mut found) = (0, 0, 0, 0, 0_u64);
    for at in (1..a.len()).rev() {
        let any = a[at] | b[at];
        let here = !found & ((any | any.wrapping_neg()).cast_signed() >> 63).cast_unsigned();
        high_a |= a[at] & here;
        high_b |= b[at] & here;
        low_a |= a[at - 1] & here;
        low_b |= b[at - 1] & here;
        found |= here;
    }
    low_a |= a[0] & !found;
    low_b |= b[0] & !found;
    let shift = (high_a | high_b | u64::from(high_a | high_b == 0)).leading_zeros();
    let whole = found == 0;
    let top = |high: u64, low: u64| {
        let both = u128::from(high) << 64 | u128::from(low);
        if whole { low } else { ((both << shift) >> 64) as u64 }
    };
    const LOW: u64 = (1 << STEPS) - 1;
    let abbreviated = |top: u64, word: u64| if whole { top } else { (top & !LOW) | (word & LOW) };
    let mut x = abbreviated(top(high_a, low_a), a[0]);
    let mut y = abbreviated(top(high_b, low_b), b[0]);
    let [mut f0, mut g0, mut f1, mut g1] = [1_i64, 0, 0, 1];
    for _ in 0..STEPS {
        let odd = (x & 1).wrapping_neg();
        let swap = odd & u64::from(x < y).wrapping_neg();
        let change = (x ^ y) & swap;
        x ^= change;
        y ^= change;
        let change = (f0 ^ f1) & swap.cast_signed();
        f0 ^= change;
        f1 ^= change;
        let change = (g0 ^ g1) & swap.cast_signed();
        g0 ^= change;
        g1 ^= change;
        x = x.wrapping_sub(y & odd);
        f0 -= f1 & odd.cast_signed();
        g0 -= g1 & odd.cast_signed();
        x >>= 1;
        f1 <<= 1;
        g1 <<= 1;
    }
    [[f0, g0], [f1, g1]]
}

/// a and b after 31 steps, and for each whether it came out negative and was negated (-1, else 0).
fn combine(a: &mut Number, b: &mut Number, factors: [[i64; 2]; 2]) -> [i64; 2] {
    let mut negative = [0; 2];
    let (mut carry_a, mut carry_b) = (0_i128, 0_i128);
    let [[f0, g0], [f1, g1]] = factors.map(|pair| pair.map(i128::from));
    // Shifted by 31 bits while the words come out.
    let (mut last_a, mut last_b) = (0_u64, 0_u64);
    let words = a.len();
    for at in 0..words {
        let (x, y) = (i128::from(a[at]), i128::from(b[at]));
        let to_a = x * f0 + y * g0 + carry_a;
        let to_b = x * f1 + y * g1 + carry_b;
        (carry_a, carry_b) = (to_a >> 64, to_b >> 64);
        if at > 0 {
            a[at - 1] = last_a >> STEPS | (to_a as u64) << (64 - STEPS);
            b[at - 1] = last_b >> STEPS | (to_b as u64) << (64 - STEPS);
        }
        (last_a, last_b) = (to_a as u64, to_b as u64);
    }
    a[words - 1] = last_a >> STEPS | (carry_a as u64) << (64 - STEPS);
    b[words - 1] = last_b >> STEPS | (carry_b as u64) << (64 - STEPS);
    for (number, (carry, negative)) in
        [a, b].into_iter().zip([carry_a, carry_b].into_iter().zip(&mut negative))
    {
        *negative = (carry >> 127) as i64;
        negate_if(number, negative.cast_unsigned());
    }
    negative
}

/// u and v after 31 steps, modulo m: divided by 2^31, for which a multiple of m is added that makes the lowest bits zero.
fn combine_modulo(
    u: &mut Number,
    v: &mut Number,
    scratch: &mut Number,
    factors: [[i64; 2]; 2],
    modulus: &[u64],
    inverse: u64,
) {
    let words = modulus.len();
    let [[f0, g0], [f1, g1]] = factors.map(|pair| pair.map(i128::from));
    let multiple = |f: i128, g: i128| {
        let low = (i128::from(u[0]) * f + i128::from(v[0]) * g) as u64;
        i128::from(low.wrapping_mul(inverse) & ((1 << STEPS) - 1))
    };
    let (k0, k1) = (multiple(f0, g0), multiple(f1, g1));
    let (mut carry_u, mut carry_v) = (0_i128, 0_i128);
    let (mut last_u, mut last_v) = (0_u64, 0_u64);
    for at in 0..words {
        let (x, y, m) = (i128::from(u[at]), i128::from(v[at]), i128::from(modulus[at]));
        let to_u = x * f0 + y * g0 + m * k0 + carry_u;
        let to_v = x * f1 + y * g1 + m * k1 + carry_v;
        (carry_u, carry_v) = (to_u >> 64, to_v >> 64);
        if at > 0 {
            u[at - 1] = last_u >> STEPS | (to_u as u64) << (64 - STEPS);
            v[at - 1] = last_v >> STEPS | (to_v as u64) << (64 - STEPS);
        }
        (last_u, last_v) = (to_u as u64, to_v as u64);
    }
    u[words - 1] = last_u >> STEPS | (carry_u as u64) << (64 - STEPS);
    v[words - 1] = last_v >> STEPS | (carry_v as u64) << (64 - STEPS);
    // Both are above -m and below 2m.
    for (number, carry) in [(u, carry_u), (v, carry_v)] {
        let negative = (carry >> 127) as u64;
        // Minus m, or plus m where negative.
        scratch.copy_from_slice(modulus);
        negate_if(scratch, negative);
        let mut reduced = core::mem::take(number);
        let before = Zeroizing::new(reduced.to_vec());
        subtract_shifted(&mut reduced, scratch, 0);
        // Below m already: as before.
        let still = !negative & (reduced[words - 1].cast_signed() >> 63).cast_unsigned();
        for (word, before) in reduced.iter_mut().zip(&*before) {
            *word ^= (*word ^ before) & still;
        }
        *number = reduced;
    }
}

/// `number · factor` in its own words.
pub(crate) fn multiplied(number: &[u64], factor: i64, words: usize) -> Number {
    let sign = (number[number.len() - 1].cast_signed() >> 63).cast_unsigned();
    let mut extended = Zeroizing::new(vec![sign; words]);
    extended[..number.len()].copy_from_slice(number);
    let mut product = Zeroizing::new(vec![0; words]);
    add_product(&mut product, &extended, factor);
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(f: i64, g: i64) -> Option<()> {
        let [wide_f, wide_g] = [f, g].map(|a| [a.cast_unsigned(), (a >> 63).cast_unsigned()]);
        let (big_f, big_g) = bezout(&wide_f, &wide_g)?;
        let number = |words: &[u64]| i128::from(words[1]) << 64 | i128::from(words[0]);
        let (big_f, big_g) = (number(&big_f), number(&big_g));
        assert_eq!(i128::from(f) * big_g - i128::from(g) * big_f, 1, "{f} {g}");
        assert!(big_f.unsigned_abs() <= f.unsigned_abs().max(1).into(), "{f} {g} {big_f}");
        assert!(big_g.unsigned_abs() <= g.unsigned_abs().max(1).into(), "{f} {g} {big_g}");
        Some(())
    }

    #[test]
    fn small_numbers_of_all_signs() {
        let gcd = |mut a: i64, mut b: i64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a.abs()
        };
        for f in -40..=40 {
            for g in -40..=40 {
                assert_eq!(holds(f, g).is_some(), gcd(f, g) == 1, "{f} {g}");
            }
        }
    }

    #[test]
    fn larger_numbers() {
        let mut state = 1_i64;
        let mut solved = 0;
        for _ in 0..3000 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state >> 2 >> (state >> 8 & 31)
            };
            solved += i32::from(holds(next(), next()).is_some());
        }
        assert!((1700..2000).contains(&solved), "{solved}"); // 6/π² of them
    }
}
