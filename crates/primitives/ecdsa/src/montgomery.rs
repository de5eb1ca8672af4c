//! Residues modulo a prime, in Montgomery form.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

use zeroize::DefaultIsZeroes;

use crate::field::PrimeField;
use crate::limbs::{
    add, add_carry, from_bytes, is_zero_mask, mask, multiply_add, select, sub, subtract_once, to_bytes,
    unrolled,
};

/// A product of two integers: its low and its high limbs.
pub(crate) type Wide<const L: usize> = [[u64; L]; 2];

/// A prime between `2^(64 L - 1)` and `2^(64 L)`, and what is fastest modulo it. R is `2^(64 L)`.
pub trait Modulus<const L: usize>: Copy + Default + Eq + Send + Sync + 'static {
    /// The prime.
    const MODULUS: [u64; L];
    /// R modulo the prime.
    const R: [u64; L] = power_of_two(&Self::MODULUS, 64 * L);
    /// R^2 modulo the prime.
    const R2: [u64; L] = power_of_two(&Self::MODULUS, 2 * 64 * L);
    /// R^3 modulo the prime.
    const R3: [u64; L] = power_of_two(&Self::MODULUS, 3 * 64 * L);
    /// `-1 / MODULUS` modulo 2^64.
    const NEGATED_INVERSE: u64 = inverse_of_limb(Self::MODULUS[0]).wrapping_neg();

    /// The product divided by R, modulo the prime. The product must be below R times the prime.
    #[inline(always)]
    fn reduce(product: Wide<L>) -> [u64; L] {
        reduce_by_limbs(product, &Self::MODULUS, Self::NEGATED_INVERSE)
    }

    /// The product of two values below the prime, divided by R.
    #[inline(always)]
    fn multiply(a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        Self::reduce(multiply(a, b))
    }

    /// The square of a value below the prime, divided by R.
    #[inline(always)]
    fn square(a: &[u64; L]) -> [u64; L] {
        Self::reduce(square(a))
    }

    /// The inverse of a value below the prime in constant time; 0 for 0.
    fn invert(value: &[u64; L]) -> [u64; L];

    /// The same in a time that depends on the value.
    fn invert_vartime(value: &[u64; L]) -> [u64; L];
}

/// `value * R` modulo the prime `M`, always below the prime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Residue<M, const L: usize>([u64; L], PhantomData<M>);

impl<M: Modulus<L>, const L: usize> Residue<M, L> {
    const fn new(limbs: [u64; L]) -> Self {
        Self(limbs, PhantomData)
    }

    /// The residue of a constant, which must be below the prime.
    pub(crate) const fn constant(value: &[u64; L]) -> Self {
        // The product with R by doubling, for the multiplication is not `const`.
        let (mut doubled, mut i) = (*value, 0);
        while i < 64 * L {
            doubled = double(&doubled, &M::MODULUS);
            i += 1;
        }
        Self::new(doubled)
    }

    #[inline(always)]
    fn product(a: &[u64; L], b: &[u64; L]) -> Self {
        Self::new(M::multiply(a, b))
    }
}

impl<M: Modulus<L>, const L: usize> PrimeField for Residue<M, L>
where
    [u64; L]: Default,
{
    type Integer = [u64; L];

    const ZERO: Self = Self::new([0; L]);
    const ONE: Self = Self::new(M::R);
    const BYTES: usize = 8 * L;

    #[inline]
    fn modulus() -> [u64; L] {
        M::MODULUS
    }

    #[inline]
    fn from_integer(value: &[u64; L]) -> Option<Self> {
        let (_, borrow) = sub(value, &M::MODULUS);
        (borrow == 1).then(|| Self::product(value, &M::R2))
    }

    #[inline]
    fn from_integer_reduced(value: &[u64; L]) -> Self {
        // The prime is above R/2, so that one subtraction is enough.
        Self::product(&subtract_once(value, 0, &M::MODULUS), &M::R2)
    }

    #[inline]
    fn to_integer(self) -> [u64; L] {
        M::reduce([self.0, [0; L]])
    }

    fn integer_from_bytes(bytes: &[u8]) -> [u64; L] {
        from_bytes(bytes)
    }

    fn write_bytes(self, bytes: &mut [u8]) {
        to_bytes(&self.to_integer(), bytes);
    }

    #[inline(always)]
    fn square(self) -> Self {
        Self::new(M::square(&self.0))
    }

    #[inline(always)]
    fn is_zero_mask(self) -> u64 {
        is_zero_mask(&self.0)
    }

    #[inline(always)]
    fn select(mask: u64, a: &Self, b: &Self) -> Self {
        Self::new(select(mask, &a.0, &b.0))
    }

    #[inline(always)]
    fn merge(&mut self, mask: u64, other: &Self) {
        for (limb, other) in self.0.iter_mut().zip(&other.0) {
            *limb |= mask & other;
        }
    }

    fn invert(self) -> Self {
        Self::product(&M::invert(&self.0), &M::R3)
    }

    fn invert_vartime(self) -> Self {
        Self::product(&M::invert_vartime(&self.0), &M::R3)
    }
}

impl<M: Modulus<L>, const L: usize> Add for Residue<M, L> {
    type Output = Self;

    #[inline(always)]
    #[allow(clippy::suspicious_arithmetic_impl)] // a - (p - b)
    fn add(self, other: Self) -> Self {
        // Unlike a sum, this leaves no carry. The opposite of zero is the prime itself here.
        self - Self::new(sub(&M::MODULUS, &other.0).0)
    }
}

impl<M: Modulus<L>, const L: usize> Sub for Residue<M, L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (difference, borrow) = sub(&self.0, &other.0);
        let mask = mask(borrow);
        let correction = M::MODULUS.map(|limb| limb & mask);
        Self::new(add(&difference, &correction).0)
    }
}

impl<M: Modulus<L>, const L: usize> Neg for Residue<M, L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::new([0; L]) - self
    }
}

impl<M: Modulus<L>, const L: usize> Mul for Residue<M, L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::product(&self.0, &other.0)
    }
}

impl<M: Modulus<L>, const L: usize> Default for Residue<M, L> {
    fn default() -> Self {
        Self::new([0; L])
    }
}

impl<M: Modulus<L>, const L: usize> DefaultIsZeroes for Residue<M, L> {}

impl<M, const L: usize> fmt::Debug for Residue<M, L> {
    /// Shows nothing of the value, which may be secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Residue").finish_non_exhaustive()
    }
}

/// The product of two integers, row by row.
///
/// The carries of a row's own products and those of its addition run in chains of their own, which takes two additions
/// for a product where one chain for both takes four.
#[inline(always)]
fn multiply<const L: usize>(a: &[u64; L], b: &[u64; L]) -> Wide<L> {
    let mut wide = [[0; L]; 2];
    let limbs = wide.as_flattened_mut();
    unrolled!(i in 0, L => {
        let (row, last) = multiply_row(a[i], b);
        let mut carry = 0;
        unrolled!(j in 0, L => {
            (limbs[i + j], carry) = add_carry(limbs[i + j], row[j], carry);
        });
        limbs[i + L] = last + carry;
    });
    wide
}

/// The product of a limb and an integer, and its highest limb.
#[inline(always)]
fn multiply_row<const L: usize>(a: u64, b: &[u64; L]) -> ([u64; L], u64) {
    let mut row = [0; L];
    let (mut last, mut carry) = (0, 0);
    unrolled!(j in 0, L => {
        let (low, high) = multiply_add(0, a, b[j], 0);
        (row[j], carry) = add_carry(low, last, carry);
        last = high;
    });
    (row, last + carry)
}

/// The square of an integer: the products of unlike limbs once, doubled, and the squares of the limbs.
#[inline(always)]
fn square<const L: usize>(a: &[u64; L]) -> Wide<L> {
    let mut wide = [[0; L]; 2];
    let limbs = wide.as_flattened_mut();
    unrolled!(i in 0, L => {
        let mut carry = 0;
        unrolled!(j in i + 1, L => {
            (limbs[i + j], carry) = multiply_add(limbs[i + j], a[i], a[j], carry);
        });
        limbs[i + L] = carry;
    });
    let (mut carry, mut shifted_out) = (0, 0);
    unrolled!(i in 0, L => {
        let (low, high) = (limbs[2 * i], limbs[2 * i + 1]);
        let (square_low, square_high) = multiply_add(0, a[i], a[i], 0);
        (limbs[2 * i], carry) = add_carry(low << 1 | shifted_out, square_low, carry);
        (limbs[2 * i + 1], carry) = add_carry(high << 1 | low >> 63, square_high, carry);
        shifted_out = high >> 63;
    });
    let _ = (carry, shifted_out);
    wide
}

/// Montgomery's reduction: each step adds the multiple of the modulus that makes the lowest limb zero.
#[inline(always)]
fn reduce_by_limbs<const L: usize>(product: Wide<L>, modulus: &[u64; L], negated_inverse: u64) -> [u64; L] {
    let mut wide = product;
    let limbs = wide.as_flattened_mut();
    let mut top = 0;
    unrolled!(i in 0, L => {
        let factor = limbs[i].wrapping_mul(negated_inverse);
        let (row, last) = multiply_row(factor, modulus);
        let mut carry = 0;
        unrolled!(j in 0, L => {
            (limbs[i + j], carry) = add_carry(limbs[i + j], row[j], carry);
        });
        (limbs[i + L], top) = add_carry(limbs[i + L], last + carry, top);
    });
    subtract_once(&wide[1], top, modulus)
}

/// Twice the value, modulo the modulus.
const fn double<const L: usize>(value: &[u64; L], modulus: &[u64; L]) -> [u64; L] {
    let (sum, carry) = add(value, value);
    let (difference, borrow) = sub(&sum, modulus);
    if carry < borrow { sum } else { difference }
}

/// `2^exponent` modulo the modulus.
const fn power_of_two<const L: usize>(modulus: &[u64; L], exponent: usize) -> [u64; L] {
    let (mut power, mut i) = ([0; L], 0);
    power[0] = 1;
    while i < exponent {
        power = double(&power, modulus);
        i += 1;
    }
    power
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that are right, and an odd
/// number is its own inverse modulo 8.
pub(crate) const fn inverse_of_limb(odd: u64) -> u64 {
    let (mut inverse, mut bits) = (odd, 3);
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}
