//! Sixteen coefficients in plain Rust.

use core::array::from_fn;

use super::vector::{Q_INVERSE, Vector};
use crate::params::Q;
use crate::poly::Short;

#[derive(Clone, Copy)]
pub(super) struct Sixteen([i32; 16]);

/// Montgomery's reduction: `value / 2^32` modulo q.
fn reduce(value: i64) -> i32 {
    let multiple = (value as i32).wrapping_mul(Q_INVERSE);
    ((value - i64::from(multiple) * i64::from(Q)) >> 32) as i32
}

impl Vector for Sixteen {
    type Wide = [i64; 16];

    #[inline(always)]
    unsafe fn load(from: &[i32; 16]) -> Self {
        Sixteen(*from)
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> Self {
        Sixteen([value; 16])
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 16]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Sixteen(from_fn(|i| self.0[i] + b.0[i]))
    }

    #[inline(always)]
    fn subtract(self, b: Self) -> Self {
        Sixteen(from_fn(|i| self.0[i] - b.0[i]))
    }

    #[inline(always)]
    fn montgomery(self, factor: Self, twisted: Self) -> Self {
        Sixteen(from_fn(|i| {
            let multiple = self.0[i].wrapping_mul(twisted.0[i]);
            ((i64::from(self.0[i]) * i64::from(factor.0[i]) - i64::from(multiple) * i64::from(Q)) >> 32)
                as i32
        }))
    }

    #[inline(always)]
    fn product(self, b: Self) -> Self::Wide {
        from_fn(|i| i64::from(self.0[i]) * i64::from(b.0[i]))
    }

    #[inline(always)]
    fn add_product(self, b: Self, sum: Self::Wide) -> Self::Wide {
        from_fn(|i| sum[i] + i64::from(self.0[i]) * i64::from(b.0[i]))
    }

    #[inline(always)]
    fn reduce(sum: Self::Wide) -> Self {
        Sixteen(sum.map(reduce))
    }

    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        from_fn(|row| Sixteen(from_fn(|column| square[column].0[row])))
    }

    #[inline(always)]
    unsafe fn fields<const STEP: usize, const BITS: usize>(from: &[u8; 64]) -> Self {
        Sixteen(from_fn(|i| {
            let (first, shift) = (i * STEP / 8, i * STEP % 8);
            let word = u32::from_le_bytes(from_fn(|byte| from[first + byte]));
            (word >> shift & ((1 << BITS) - 1)).cast_signed()
        }))
    }

    #[inline(always)]
    unsafe fn windows(from: &Short, starts: &[u16]) -> [i8; 256] {
        let mut sums = [0_i8; 256];
        for start in starts {
            for (sum, byte) in sums.iter_mut().zip(from.window(*start)) {
                *sum = sum.wrapping_add(*byte);
            }
        }
        sums
    }

    #[inline(always)]
    fn below_q(self, to: &mut [i32; 16]) -> usize {
        let mut count = 0;
        for number in self.0 {
            // Written always and kept if it is below q: A is public, but so few are not that a branch would be foreseen
            // at no cost, and the processor need not wait for the comparison.
            to[count] = number;
            count += usize::from(number < Q);
        }
        count
    }
}
