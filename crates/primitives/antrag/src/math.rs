//! Elementary functions, without the standard library and without branches, so that loops over them become vectors.
//!
//! All are sums, products and quotients of IEEE 754 in an order that is written down, so that every processor and every
//! path gives the same bits. Their errors are a few units in the last place.

use core::f64::consts::{LN_2, LOG2_E, SQRT_2, TAU};

/// Adding and subtracting it rounds to the nearest integer, for numbers below 2^51.
const ROUNDER: f64 = 1.5 * (1_u64 << 52) as f64;

/// The nearest integer, of two the even one.
#[inline(always)]
pub(crate) fn nearest(x: f64) -> f64 {
    (x + ROUNDER) - ROUNDER
}

#[inline(always)]
pub(crate) fn floor(x: f64) -> f64 {
    let near = nearest(x);
    near - if near > x { 1.0 } else { 0.0 }
}

/// e^-x for x from 0 to 700.
#[inline(always)]
pub(crate) fn exp_minus(x: f64) -> f64 {
    /// ln 2 in two parts, the first with 21 zeros at its end, so that small multiples of it are exact.
    const HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0x1f_ffff);
    /// LN_2 - HIGH, and what LN_2 is less than ln 2.
    const LOW: f64 = (LN_2 - HIGH) + 2.319_046_813_846_3e-17;
    const TERMS: [f64; 14] = reciprocal_factorials();

    let shifted = x * -LOG2_E + ROUNDER;
    let power = shifted - ROUNDER;
    let rest = (-x - power * HIGH) - power * LOW;
    // Taylor's series: the rest is at most ln 2 / 2.
    let mut sum = TERMS[13];
    let mut term = 13;
    while term > 0 {
        term -= 1;
        sum = sum * rest + TERMS[term];
    }
    // The low bits of `shifted` are the power.
    f64::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// 1 / k!
const fn reciprocal_factorials<const TERMS: usize>() -> [f64; TERMS] {
    let mut terms = [1.0; TERMS];
    let (mut k, mut factorial) = (1, 1.0);
    while k < TERMS {
        factorial *= k as f64;
        terms[k] = 1.0 / factorial;
        k += 1;
    }
    terms
}

/// ln x for positive normal x.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    // x = m 2^e with m between √½ and √2.
    let offset = SQRT_2.to_bits() & MANTISSA;
    let bits = x.to_bits().wrapping_add((1 << 52) - offset);
    let exponent =
        f64::from_bits((bits >> 52) | (1_u64 << 52).wrapping_mul(0x433)) - ((1_u64 << 52) + 1023) as f64;
    let m = f64::from_bits((bits & MANTISSA).wrapping_add(offset).wrapping_add(0x3fe << 52));
    // ln m = 2 artanh s
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 2.0 / 23.0;
    let mut odd = 23;
    while odd > 1 {
        odd -= 2;
        sum = sum * square + 2.0 / odd as f64;
    }
    exponent * LN_2 + s * sum
}

/// Cosine and sine of a turn times x, for x from -1 to 1.
#[inline(always)]
pub(crate) fn turn(x: f64) -> (f64, f64) {
    const TERMS: [f64; 19] = reciprocal_factorials();
    // The quarters next to x, and an angle of at most an eighth of a turn.
    let shifted = x * 4.0 + ROUNDER;
    let quarters = shifted.to_bits();
    let angle = (x - (shifted - ROUNDER) * 0.25) * TAU;
    let square = -(angle * angle);
    let (mut sine, mut cosine) = (TERMS[17], TERMS[18]);
    let mut term = 17;
    while term > 1 {
        term -= 2;
        sine = sine * square + TERMS[term];
        cosine = cosine * square + TERMS[term + 1];
    }
    cosine = cosine * square + 1.0;
    sine *= angle;
    // Rotated by the quarters.
    let odd = quarters & 1 == 1;
    let (a, b) = if odd { (sine, cosine) } else { (cosine, sine) };
    let sign = |bits: u64| (bits & 2) << 62;
    let cosine = f64::from_bits(a.to_bits() ^ sign(quarters.wrapping_add(1)));
    let sine = f64::from_bits(b.to_bits() ^ sign(quarters));
    (cosine, sine)
}

/// √x for x that are positive or 0.
#[inline(always)]
#[allow(unsafe_code)] // an intrinsic
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        use core::arch::x86_64::{_mm_cvtsd_f64, _mm_set_sd, _mm_sqrt_pd};
        // SAFETY: registers only, and this is compiled where SSE2 is part of the target.
        unsafe { _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(x))) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    integer_sqrt(x)
}

/// √x by integers, rounded as IEEE 754 wants it, for x that are 0 or positive and normal.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn integer_sqrt(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let exponent = (x.to_bits() >> 52) as i32 - 1075;
    let mantissa = u128::from(x.to_bits() & ((1 << 52) - 1) | 1 << 52);
    // An even exponent, and a root of more than 54 bits, the last of which says whether there is more behind it.
    let odd = exponent & 1;
    let square = mantissa << (58 + odd);
    let root = square.isqrt();
    let sticky = root << 1 | u128::from(root * root != square);
    let power = (exponent - odd - 58) / 2 - 1;
    sticky as f64 * f64::from_bits(((power + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    fn close(ours: f64, exact: f64, at: f64) {
        assert!((ours - exact).abs() <= 4e-16 * exact.abs(), "{ours:e} for {exact:e} at {at:e}");
    }

    #[test]
    fn exponential_logarithm_and_root_are_those_of_the_standard_library() {
        for number in 0..200_000_u32 {
            let x = f64::from(number) * 1e-4;
            close(exp_minus(x), (-x).exp(), x);
            let x = f64::from(number + 1) / 200_000.0;
            let exact = x.ln();
            assert!((ln(x) - exact).abs() <= 8e-16 * exact.abs().max(0.1), "{x}");
            assert_eq!(sqrt(x), x.sqrt());
            assert_eq!(integer_sqrt(x), x.sqrt());
            assert_eq!(integer_sqrt(x * 1e300), (x * 1e300).sqrt());
        }
        for power in 0..=64 {
            let x = 0.5_f64.powi(power);
            close(ln(x), x.ln(), x);
        }
        assert_eq!((sqrt(0.0), integer_sqrt(0.0)), (0.0, 0.0));
    }

    #[test]
    fn turns_are_those_of_the_standard_library() {
        for number in -100_000..=100_000_i32 {
            let x = f64::from(number) / 100_000.0;
            let (cosine, sine) = turn(x);
            // The standard library's argument is rounded, ours is not.
            assert!(
                (cosine - (x * TAU).cos()).abs() < 1e-15 && (sine - (x * TAU).sin()).abs() < 1e-15,
                "{x}"
            );
        }
        assert_eq!(turn(0.25), (0.0, 1.0));
        assert_eq!(turn(0.5), (-1.0, 0.0));
    }

    #[test]
    fn floors() {
        for (x, expected) in
            [(0.0, 0.0), (0.5, 0.0), (-0.5, -1.0), (1.5, 1.0), (2.0, 2.0), (-2.0, -2.0), (-1e-9, -1.0)]
        {
            assert_eq!(floor(x), expected, "{x}");
        }
    }
}
