//! What points and signatures need of the residues modulo a prime.

use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

/// The residues modulo a prime. Everything takes the same time for all values unless its name says otherwise.
pub trait PrimeField:
    Copy
    + Debug
    + Default
    + Eq
    + Send
    + Sync
    + Zeroize
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// An integer of as many limbs as the prime has, the least significant first.
    type Integer: Copy + Default + AsRef<[u64]> + AsMut<[u64]> + Zeroize;

    const ZERO: Self;
    const ONE: Self;
    /// Bytes of the prime.
    const BYTES: usize;

    fn modulus() -> Self::Integer;

    /// The residue of an integer, or nothing if it is not below the prime. That it is below may be learnt by timing.
    fn from_integer(value: &Self::Integer) -> Option<Self>;

    /// The residue of any integer of this many limbs.
    fn from_integer_reduced(value: &Self::Integer) -> Self;

    /// The integer below the prime.
    fn to_integer(self) -> Self::Integer;

    /// The integer of big-endian bytes, of which there are at most [`Self::BYTES`].
    fn integer_from_bytes(bytes: &[u8]) -> Self::Integer;

    /// Writes the integer below the prime as [`Self::BYTES`] big-endian bytes.
    fn write_bytes(self, bytes: &mut [u8]);

    #[must_use]
    fn square(self) -> Self;

    /// All ones for zero, else zero.
    fn is_zero_mask(self) -> u64;

    /// `a` if the mask is all ones, `b` if it is zero.
    fn select(mask: u64, a: &Self, b: &Self) -> Self;

    /// Takes the bits of the other in where the mask is all ones: a step of reading one entry out of many.
    fn merge(&mut self, mask: u64, other: &Self);

    /// The inverse; zero for zero.
    #[must_use]
    fn invert(self) -> Self;

    /// The inverse; zero for zero.
    #[must_use]
    fn invert_vartime(self) -> Self;

    #[inline(always)]
    #[must_use]
    fn double(self) -> Self {
        self + self
    }

    #[inline(always)]
    #[must_use]
    fn triple(self) -> Self {
        self + self + self
    }
}

/// Replaces each value by its inverse, with a single inversion. None may be zero.
pub(crate) fn invert_all_vartime<F: PrimeField>(values: &mut [F], scratch: &mut alloc::vec::Vec<F>) {
    scratch.clear();
    let mut product = F::ONE;
    for value in values.iter() {
        scratch.push(product);
        product = product * *value;
    }
    let mut inverse = product.invert_vartime();
    for (value, before) in values.iter_mut().zip(scratch.iter()).rev() {
        (*value, inverse) = (inverse * *before, inverse * *value);
    }
}
