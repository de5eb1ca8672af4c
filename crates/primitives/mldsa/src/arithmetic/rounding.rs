//! Coefficient by coefficient: sums, ranges, high and low bits (FIPS 204, section 7.4). The loops are written so that
//! compilers make vectors of them; none has a branch that depends on a coefficient.

#![allow(unsafe_code)] // vectors are made where the processor's instructions are vouched for

use super::vector::Vector;
use crate::params::{Gamma2, Q};
use crate::poly::{Poly, Short};

#[inline(always)]
pub(super) fn add(a: &mut Poly, b: &Poly) {
    for (a, b) in a.0.iter_mut().zip(&b.0) {
        *a += b;
    }
}

#[inline(always)]
pub(super) fn freeze(poly: &mut Poly) {
    for a in &mut poly.0 {
        *a = frozen(*a);
    }
}

/// q is a little less than 2^23: what is left after as many q as the upper bits say is between -q and q.
#[inline(always)]
fn frozen(a: i32) -> i32 {
    let a = a - ((a + (1 << 22)) >> 23) * Q;
    positive(a)
}

/// A coefficient between -q and q.
#[inline(always)]
fn positive(a: i32) -> i32 {
    a + ((a >> 31) & Q)
}

/// A coefficient from 0 to q - 1 as the one next to zero.
#[inline(always)]
pub(crate) fn centred(value: i32) -> i32 {
    value - ((((Q - 1) / 2 - value) >> 31) & Q)
}

/// Adds a sum of windows, and returns the largest absolute value, not reduced.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn add_windows<V: Vector>(poly: &mut Poly, from: &Short, starts: &[u16]) -> i32 {
    // SAFETY: as for this function.
    let sums = unsafe { V::windows(from, starts) };
    let mut largest = 0;
    for (a, sum) in poly.0.iter_mut().zip(sums) {
        *a += i32::from(sum);
        largest = largest.max(a.abs());
    }
    largest
}

#[inline(always)]
pub(super) fn norm(poly: &Poly) -> i32 {
    poly.0.iter().fold(0, |largest, a| largest.max(a.abs().min(Q - a.abs())))
}

/// Algorithm 36.
#[inline(always)]
pub(super) fn decompose<const OF_88: bool>(low: &mut Poly, high: &mut Poly) {
    for (low, high) in low.0.iter_mut().zip(&mut high.0) {
        (*high, *low) = parts::<OF_88>(positive(*low));
    }
}

/// Algorithm 40.
#[inline(always)]
pub(super) fn use_hint<const OF_88: bool>(r: &mut Poly, hint: &Poly) {
    let values = gamma2::<OF_88>().high_values();
    for (r, hint) in r.0.iter_mut().zip(&hint.0) {
        let (high, low) = parts::<OF_88>(positive(*r));
        // 1 or -1 if there is a hint, up if the low bits are positive.
        let step = hint * (1 - 2 * i32::from(low <= 0));
        let moved = high + step;
        // Modulo the number of values.
        let moved = moved + ((moved >> 31) & values);
        *r = moved & !((values - 1 - moved) >> 31);
    }
}

/// Algorithm 39 on high and low bits of coefficients and what is added to them, less than γ2: the high bits change if the
/// sum leaves the range of the low ones. In place of the high bits.
#[inline(always)]
pub(super) fn make_hint<const OF_88: bool>(high: &mut Poly, low: &Poly, change: &Poly) {
    let lowest = const { -gamma2::<OF_88>().value() };
    for ((high, low), change) in high.0.iter_mut().zip(&low.0).zip(&change.0) {
        let moved = low + centred(*change);
        // The lowest is in the range of 0 alone: below 0 is the one range that is longer.
        *high = i32::from((moved.abs() > -lowest) | ((moved == lowest) & (*high != 0)));
    }
}

const fn gamma2<const OF_88: bool>() -> Gamma2 {
    if OF_88 { Gamma2::Of88 } else { Gamma2::Of32 }
}

/// High and low bits of a coefficient from 0 to q - 1.
#[inline(always)]
fn parts<const OF_88: bool>(r: i32) -> (i32, i32) {
    let range = const { 2 * gamma2::<OF_88>().value() };
    // The nearest multiple of the range, of two the lower one. 2 γ2 is 93 · 2^11 or 1023 · 2^9; division by the odd
    // factor is multiplication by its inverse, rounded up, which is exact for numbers so small (the tests try them all).
    let nearest = r + range / 2 - 1;
    let high = match OF_88 {
        true => ((nearest >> 11) * const { (1 << 18) / 93 + 1 }) >> 18,
        false => ((nearest >> 9) * const { (1 << 25) / 1023 + 1 }) >> 25,
    };
    let low = r - high * range;
    // The multiple next to q counts as 0, and what is below it as one less than it would be.
    let last = (const { gamma2::<OF_88>().high_values() - 1 } - high) >> 31;
    (high & !last, low + last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of algorithm 36, on integers of any size.
    fn specified(r: i32, gamma2: i32) -> (i32, i32) {
        let mut low = r % (2 * gamma2);
        if low > gamma2 {
            low -= 2 * gamma2;
        }
        if r - low == Q - 1 { (0, low - 1) } else { ((r - low) / (2 * gamma2), low) }
    }

    #[test]
    fn all_coefficients_have_the_high_and_low_bits_that_are_specified() {
        for r in 0..Q {
            assert_eq!(parts::<true>(r), specified(r, (Q - 1) / 88), "{r}");
            assert_eq!(parts::<false>(r), specified(r, (Q - 1) / 32), "{r}");
        }
    }

    #[test]
    fn coefficients_are_frozen() {
        for a in (i32::MIN + Q..=i32::MAX - Q).step_by(997).chain([
            i32::MIN + Q,
            -Q,
            -1,
            0,
            Q - 1,
            Q,
            i32::MAX - Q,
        ]) {
            assert_eq!(frozen(a), a.rem_euclid(Q), "{a}");
        }
    }
}
