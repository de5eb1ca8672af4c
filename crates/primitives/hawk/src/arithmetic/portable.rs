//! Eight numbers in an array.

use super::vector::Eight;

#[derive(Clone, Copy)]
pub(super) struct Numbers([u32; 8]);

impl Numbers {
    #[inline(always)]
    fn with(self, b: Self, combine: impl Fn(u32, u32) -> u32) -> Self {
        Numbers(core::array::from_fn(|at| combine(self.0[at], b.0[at])))
    }
}

impl Eight for Numbers {
    type Wide = [i64; 8];

    #[inline(always)]
    unsafe fn load(from: &[u32; 8]) -> Self {
        Numbers(*from)
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        Numbers([value; 8])
    }

    #[inline(always)]
    fn store(self, to: &mut [u32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.with(b, u32::wrapping_add)
    }

    #[inline(always)]
    fn subtract(self, b: Self) -> Self {
        self.with(b, u32::wrapping_sub)
    }

    #[inline(always)]
    fn least(self, b: Self) -> Self {
        // Not by a comparison, which could become a branch.
        self.with(b, |a, b| {
            let less = (i64::from(a) - i64::from(b)) >> 63;
            b ^ ((a ^ b) & less as u32)
        })
    }

    #[inline(always)]
    fn half(self) -> Self {
        Numbers(self.0.map(|a| (a.cast_signed() >> 1).cast_unsigned()))
    }

    #[inline(always)]
    fn montgomery(self, factor: Self, p: Self, inverse: Self) -> Self {
        Numbers(core::array::from_fn(|at| {
            let product = u64::from(self.0[at]) * u64::from(factor.0[at]);
            let multiple = (product as u32).wrapping_mul(inverse.0[at]);
            let multiple = u64::from(multiple) * u64::from(p.0[at]);
            ((product >> 32) as u32).wrapping_sub((multiple >> 32) as u32)
        }))
    }

    #[inline(always)]
    fn product(self, b: Self) -> Self::Wide {
        core::array::from_fn(|at| i64::from(self.0[at].cast_signed()) * i64::from(b.0[at].cast_signed()))
    }

    #[inline(always)]
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        core::array::from_fn(|at| a[at].wrapping_add(b[at]))
    }

    #[inline(always)]
    fn difference(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        core::array::from_fn(|at| a[at].wrapping_sub(b[at]))
    }

    #[inline(always)]
    fn upper(wide: Self::Wide) -> Self {
        Numbers(wide.map(|wide| (wide >> 32) as u32))
    }

    #[inline(always)]
    fn reverse(mut self) -> Self {
        self.0.reverse();
        self
    }

    #[inline(always)]
    fn transpose(square: [Self; 8]) -> [Self; 8] {
        core::array::from_fn(|column| Numbers(core::array::from_fn(|row| square[row].0[column])))
    }
}
