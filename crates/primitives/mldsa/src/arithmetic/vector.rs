//! What the NTT and the products need of sixteen coefficients side by side.

use crate::params::Q;

/// 1 / q modulo 2^32.
pub(super) const Q_INVERSE: i32 = inverse_of_q();

/// Newton's iteration, which doubles the right bits each time.
const fn inverse_of_q() -> i32 {
    let mut inverse = 1_i32;
    let mut bits = 1;
    while bits < 32 {
        inverse = inverse.wrapping_mul(2_i32.wrapping_sub(Q.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// Sixteen coefficients.
///
/// # Safety
/// Values are made by `load` and `splat` alone, whose callers vouch for the processor's instructions; so a value is the
/// proof of them.
pub(super) trait Vector: Copy {
    /// Sixteen sums of products, in twice as many bits.
    type Wide: Copy;

    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn load(from: &[i32; 16]) -> Self;

    /// # Safety
    /// As for `load`.
    unsafe fn splat(value: i32) -> Self;

    fn store(self, to: &mut [i32; 16]);

    fn add(self, b: Self) -> Self;

    fn subtract(self, b: Self) -> Self;

    /// `self · factor / 2^32` modulo q, where `twisted` is `factor / q` modulo 2^32; between -q and q for factors between
    /// -q and q.
    fn montgomery(self, factor: Self, twisted: Self) -> Self;

    /// `self · b`.
    fn product(self, b: Self) -> Self::Wide;

    /// `sum + self · b`.
    fn add_product(self, b: Self, sum: Self::Wide) -> Self::Wide;

    /// The sum divided by 2^32 modulo q; between -q and q for sums between -2^31 q and 2^31 q.
    fn reduce(sum: Self::Wide) -> Self;

    fn transpose(square: [Self; 16]) -> [Self; 16];
}
