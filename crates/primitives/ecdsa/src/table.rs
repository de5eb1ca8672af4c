//! Tables of multiples of a fixed point, and how a scalar is read against them.
//!
//! A scalar is odd, or else the order less the scalar is. An odd number is a sum of digits times powers of `2^w` where
//! every digit is odd and between `-2^w` and `2^w` (Joye and Tunstall, "Exponent recoding and regular exponentiation
//! algorithms", 2009). Row `i` of a table has the odd multiples `1, 3, ..., 2^w - 1` of `2^(w i)` times the point, so that
//! the product with a scalar is a sum of one entry of each row or its opposite: there are no doublings and no zeros.
//!
//! A table may have but every second row. The digits between those take the row before theirs, and the sum of what they
//! select is doubled w times before the other digits' entries are added.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroize;

use crate::field::{PrimeField, invert_all_vartime};
use crate::limbs::{mask, sub_borrow};
use crate::point::{Affine, Doubling, Sum};

/// The table of a point.
#[derive(Clone)]
pub struct Table<F> {
    /// Bits of a digit, at least 2.
    window: usize,
    /// Digits that share a row.
    phases: usize,
    points: Box<[Affine<F>]>,
}

/// An odd scalar that is congruent to the one that was given, or to its opposite.
pub(crate) struct Odd<I: Zeroize> {
    scalar: I,
    /// All ones if it is the opposite.
    negated: u64,
}

impl<I: AsRef<[u64]> + AsMut<[u64]> + Copy + Zeroize> Odd<I> {
    /// The scalar must be below the order, which is odd. Zero becomes the order.
    #[inline]
    pub(crate) fn new(scalar: I, order: I) -> Self {
        let negated = mask(scalar.as_ref()[0] & 1 ^ 1);
        let (mut odd, mut borrow) = (scalar, 0);
        for (limb, order) in odd.as_mut().iter_mut().zip(order.as_ref()) {
            let difference;
            (difference, borrow) = sub_borrow(*order, *limb, borrow);
            *limb ^= negated & (*limb ^ difference);
        }
        Self { scalar: odd, negated }
    }

    /// The place of digit `i` of `count` in its row, and all ones if the opposite of what is there is meant.
    ///
    /// The digit is `t - 2^w`, where t is the window's bits and the next one, made odd: below zero if the next bit is
    /// not set. The last digit has no next bit; it counts as set.
    #[inline(always)]
    fn digit(&self, window: usize, i: usize, count: usize) -> (u64, u64) {
        let bits = self.bits(i * window, window + 1) | u64::from(i + 1 == count) << window;
        let negative = mask(bits >> window & 1 ^ 1);
        (((bits ^ negative) & ((1 << window) - 1)) >> 1, negative ^ self.negated)
    }

    /// So many bits from a place on, with zeros after the last.
    #[inline(always)]
    fn bits(&self, from: usize, count: usize) -> u64 {
        let limb = |i| self.scalar.as_ref().get(i).copied().unwrap_or_default();
        (limb(from / 64) >> (from % 64) | limb(from / 64 + 1) << 1 << (63 - from % 64)) & ((1 << count) - 1)
    }
}

impl<I: Zeroize> Drop for Odd<I> {
    fn drop(&mut self) {
        self.scalar.zeroize();
        self.negated.zeroize();
    }
}

impl<F: PrimeField> Table<F> {
    /// The table for digits of `window` bits, at least 2, of which `phases` share a row of `2^(w - 1)` entries.
    pub(crate) fn new_vartime(point: Affine<F>, window: usize, phases: usize) -> Self {
        let rows = digits::<F>(window).div_ceil(phases);
        let row_length = 1 << (window - 1);
        let powers = powers_vartime(point, rows, window, phases);
        let mut points = vec![Affine::default(); rows * row_length];
        for (row, powers) in points.chunks_exact_mut(row_length).zip(powers.chunks_exact(window)) {
            row[0] = powers[0];
        }
        let mut slopes: Vec<F> = Vec::with_capacity(points.len() / 2);
        let mut scratch = Vec::with_capacity(points.len() / 2);
        // From the odd multiples below 2^bit to those below twice that, by adding 2^bit times the row's point. That is
        // never equal or opposite to an odd multiple: the orders are prime and far above.
        for bit in 1..window {
            let known = 1 << (bit - 1);
            let rows = || powers.chunks_exact(window).map(|powers| powers[bit]);
            slopes.clear();
            for (row, power) in points.chunks_exact(row_length).zip(rows()) {
                slopes.extend(row[..known].iter().map(|point| point.x - power.x));
            }
            invert_all_vartime(&mut slopes, &mut scratch);
            let slopes = slopes.chunks_exact(known);
            for ((row, power), slopes) in points.chunks_exact_mut(row_length).zip(rows()).zip(slopes) {
                let (known_points, new) = row.split_at_mut(known);
                for ((point, new), inverse) in known_points.iter().zip(new).zip(slopes) {
                    let slope = (point.y - power.y) * *inverse;
                    new.x = slope.square() - point.x - power.x;
                    new.y = slope * (power.x - new.x) - power.y;
                }
            }
        }
        Self { window, phases, points: points.into() }
    }

    /// The table of a point that is multiplied once, for which more rows cost more than they save.
    pub(crate) fn of_one_row_vartime(point: Affine<F>) -> Self {
        let window = 4;
        // On the isomorphic curve where twice the point has denominators of 1; additions are the same on both. Twice the
        // point is never equal or opposite to an odd multiple: the orders are prime and far above.
        let Sum { x, y, zz, zzz } = Sum::from(point).doubled();
        let first = Sum::from(Affine { x: point.x * zz, y: point.y * zzz });
        let sums = core::iter::successors(Some(first), |sum| Some(sum.plus_distinct(&Affine { x, y })));
        let back = |sum: Sum<F>| Sum { zz: sum.zz * zz, zzz: sum.zzz * zzz, ..sum };
        let points = affine_vartime(&sums.take(1 << (window - 1)).map(back).collect::<Vec<_>>());
        Self { window, phases: digits::<F>(window), points: points.into() }
    }

    fn rows(&self) -> core::slice::ChunksExact<'_, Affine<F>> {
        self.points.chunks_exact(1 << (self.window - 1))
    }

    /// The scalar times the point, and `sum` times that power of two by which it is doubled meanwhile: 1 for a table of
    /// all rows.
    #[inline]
    pub(crate) fn add_product_vartime(&self, mut sum: Sum<F>, scalar: &Odd<F::Integer>) -> Sum<F> {
        let count = digits::<F>(self.window);
        for phase in (0..self.phases).rev() {
            for (row, i) in self.rows().zip((phase..count).step_by(self.phases)) {
                let (place, negative) = scalar.digit(self.window, i, count);
                if let Some(point) = row.get(place as usize) {
                    sum = sum.plus_vartime(&point.negated_if(negative));
                }
            }
            if phase > 0 {
                sum = (0..self.window).fold(sum, |sum, _| sum.doubled());
            }
        }
        sum
    }

    /// The scalar times the point.
    pub(crate) fn product_vartime(&self, scalar: &Odd<F::Integer>) -> Sum<F> {
        if self.phases < digits::<F>(self.window) {
            return self.add_product_vartime(Sum::INFINITY, scalar);
        }
        // With one row a digit, odd as in all tables, may begin at any bit, and zeros before it are skipped.
        let (mut digits, mut at, mut carry) = (vec![None; 8 * F::BYTES + 1], 0, 0);
        while at < digits.len() {
            if scalar.bits(at, 1) == carry {
                at += 1;
                continue;
            }
            let digit = scalar.bits(at, self.window + 1) + carry;
            carry = digit >> self.window;
            let negative = mask(carry);
            let place = ((digit ^ negative) & ((1 << self.window) - 1)) >> 1;
            digits[at] = Some(self.points[place as usize].negated_if(negative ^ scalar.negated));
            at += self.window + 1;
        }
        let add =
            |sum: Doubling<F>, point: &Option<_>| point.iter().fold(sum.doubled(), Doubling::plus_vartime);
        digits.iter().rev().skip_while(|digit| digit.is_none()).fold(Doubling::default(), add).into()
    }

    /// The scalar, which must not be zero, times the point, in constant time. The table must have all rows.
    ///
    /// Let `s` be the sum of the digits before row `i`, each times its power, and `d` the row's digit times its power
    /// `2^(w i)`. As no digit is zero or larger than `2^w - 1`, `|s| < 2^(w i) <= |d|`, so that `s` is not zero, and
    /// `s - d` and `s + d` are neither zero nor, unless this is the last row, as large as the order. So no addition but
    /// the last can meet infinity, equal points or opposite ones. The last is complete.
    pub(crate) fn product(&self, scalar: &Odd<F::Integer>, b: F) -> Affine<F> {
        debug_assert_eq!(self.phases, 1, "rows are missing");
        let rows = self.rows();
        let count = rows.len();
        let entry = |(i, row): (usize, &[Affine<F>])| {
            let (place, negative) = scalar.digit(self.window, i, count);
            read_all(row, place).negated_if(negative)
        };
        let mut entries = rows.enumerate().map(entry);
        let mut sum = entries.next().map_or(Sum::INFINITY, Sum::from);
        for _ in 2..count {
            if let Some(entry) = entries.next() {
                sum = sum.plus_distinct(&entry);
            }
        }
        entries.next().map_or(Affine::default(), |entry| sum.plus_complete(&entry, b))
    }
}

/// The entry at a secret place: all entries are read, and all but one masked away.
#[inline(always)]
fn read_all<F: PrimeField>(row: &[Affine<F>], place: u64) -> Affine<F> {
    let mut read = Affine::<F>::default();
    for (i, entry) in (0_u64..).zip(row) {
        let mask = mask((i ^ place).wrapping_sub(1) >> 63);
        read.x.merge(mask, &entry.x);
        read.y.merge(mask, &entry.y);
    }
    read
}

/// Digits of `window` bits that a scalar has.
fn digits<F: PrimeField>(window: usize) -> usize {
    (8 * F::BYTES).div_ceil(window)
}

/// For each row, the point times the row's power of two, twice that, and so on, one for each bit of a digit.
fn powers_vartime<F: PrimeField>(
    point: Affine<F>,
    rows: usize,
    window: usize,
    phases: usize,
) -> Vec<Affine<F>> {
    let sums: Vec<Sum<F>> = core::iter::successors(Some(Sum::from(point)), |sum| Some(sum.doubled()))
        .enumerate()
        .filter(|(bit, _)| bit % (window * phases) < window)
        .map(|(_, sum)| sum)
        .take(rows * window)
        .collect();
    affine_vartime(&sums)
}

/// The same points, none of them infinite, by a single inversion.
fn affine_vartime<F: PrimeField>(sums: &[Sum<F>]) -> Vec<Affine<F>> {
    let mut inverses: Vec<F> = sums.iter().map(|sum| sum.zzz).collect();
    invert_all_vartime(&mut inverses, &mut Vec::with_capacity(sums.len()));
    let to_affine = |(sum, inverse): (&Sum<F>, F)| {
        // ZZ / ZZZ is 1 / Z, whose square is 1 / ZZ.
        Affine { x: sum.x * (sum.zz * inverse).square(), y: sum.y * inverse }
    };
    sums.iter().zip(inverses).map(to_affine).collect()
}
