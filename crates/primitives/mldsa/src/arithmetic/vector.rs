//! What the NTT and the products need of sixteen coefficients side by side.

use crate::params::Q;
use crate::poly::Short;

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

/// For sixteen numbers, each `step` bits behind the one before, of which `step / 2` bytes have four: the byte of its four
/// in which a number begins, and how many bits before it.
#[cfg(target_arch = "x86_64")]
pub(super) const fn places(step: usize) -> [(usize, u32); 16] {
    let mut places = [(0, 0); 16];
    let mut at = 0;
    while at < 16 {
        let bit = at % 4 * step;
        places[at] = (bit / 8, (bit % 8) as u32);
        at += 1;
    }
    places
}

/// For a shuffle of bytes within 16 of them: the four bytes from the place of each number on; the bytes of four numbers
/// begin where `start` says for them.
#[cfg(target_arch = "x86_64")]
pub(super) const fn shuffle(step: usize, start: [usize; 4]) -> [[u8; 4]; 16] {
    let places = places(step);
    let mut shuffle = [[0; 4]; 16];
    let mut at = 0;
    while at < 16 {
        let mut byte = 0;
        while byte < 4 {
            shuffle[at][byte] = (start[at / 4] + places[at].0 + byte) as u8;
            byte += 1;
        }
        at += 1;
    }
    shuffle
}

/// The bits before each number.
#[cfg(target_arch = "x86_64")]
pub(super) const fn shifts(step: usize) -> [u32; 16] {
    let places = places(step);
    let mut shifts = [0; 16];
    let mut at = 0;
    while at < 16 {
        shifts[at] = places[at].1;
        at += 1;
    }
    shifts
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

    fn product(self, b: Self) -> Self::Wide;

    fn add_product(self, b: Self, sum: Self::Wide) -> Self::Wide;

    /// The sum divided by 2^32 modulo q; between -q and q for sums between -2^31 q and 2^31 q.
    fn reduce(sum: Self::Wide) -> Self;

    fn transpose(square: [Self; 16]) -> [Self; 16];

    /// Sixteen numbers of `BITS` bits from the first bit on, each `STEP` bits, an even number up to 24, behind the one
    /// before.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn fields<const STEP: usize, const BITS: usize>(from: &[u8; 64]) -> Self;

    /// The sum of the windows that start at these bytes, modulo 256.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn windows(from: &Short, starts: &[u16]) -> [i8; 256];

    /// Writes those coefficients that are below q one behind the other, and anything behind them; returns how many.
    fn below_q(self, to: &mut [i32; 16]) -> usize;
}
