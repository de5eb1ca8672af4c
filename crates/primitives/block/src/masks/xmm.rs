//! One mask in a register of SSE2.
#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_set_epi64x, _mm_slli_epi64, _mm_slli_si128, _mm_srli_si128, _mm_storeu_si128,
    _mm_xor_si128,
};

use super::{Masks, times_x};
use crate::Block;

/// Eight masks in as many registers, by what every x86-64 processor has.
#[derive(Clone, Copy)]
pub struct Xmm(pub [__m128i; 8]);

impl Masks for Xmm {
    const COUNT: usize = 8;

    #[inline(always)]
    unsafe fn first(mask: &Block) -> Self {
        let mut mask = u128::from_le_bytes(*mask);
        let mut masks = [from_number(mask); 8];
        for to in &mut masks[1..] {
            mask = times_x(mask);
            *to = from_number(mask);
        }
        Self(masks)
    }

    #[inline(always)]
    fn next(mut self) -> Self {
        for mask in &mut self.0 {
            // SAFETY: SSE2 is part of x86-64.
            *mask = unsafe {
                let carry = _mm_srli_si128::<15>(*mask);
                let fold = _mm_xor_si128(
                    _mm_xor_si128(carry, _mm_add_epi64(carry, carry)),
                    _mm_xor_si128(_mm_slli_epi64::<2>(carry), _mm_slli_epi64::<7>(carry)),
                );
                _mm_xor_si128(_mm_slli_si128::<1>(*mask), fold)
            };
        }
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        for (at, register) in self.0.into_iter().enumerate() {
            // SAFETY: as for this function.
            unsafe { _mm_storeu_si128(to.add(at).cast(), register) };
        }
    }
}

#[inline(always)]
fn from_number(number: u128) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
}
