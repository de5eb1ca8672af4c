//! One element of the field in a 128-bit register.

use core::arch::x86_64::{
    __m128i, _mm_clmulepi64_si128, _mm_loadu_si128, _mm_set_epi8, _mm_set_epi64x, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_slli_si128, _mm_srli_si128, _mm_storeu_si128, _mm_xor_si128,
};

use super::vector::{Products, Vector};
use crate::Block;

/// # Safety
/// The processor has AVX.
#[inline(always)]
pub(super) unsafe fn loaded(block: &Block) -> __m128i {
    // SAFETY: the reference covers a block; no alignment is needed.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

/// # Safety
/// The processor has AVX.
#[inline(always)]
pub(super) unsafe fn stored(element: __m128i) -> Block {
    let mut block = [0; 16];
    // SAFETY: the reference covers a block; no alignment is needed.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), element) };
    block
}

/// The bytes in the opposite order.
///
/// # Safety
/// The processor has AVX.
#[inline(always)]
pub(super) unsafe fn reversed(element: __m128i) -> __m128i {
    // SAFETY: as for this function.
    unsafe { _mm_shuffle_epi8(element, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) }
}

/// The element that a sum of products stands for; see `dot` of the portable path for the reduction.
///
/// # Safety
/// The processor has the vector's instructions and PCLMULQDQ.
#[inline(always)]
pub(super) unsafe fn reduced<V: Vector>(products: Products<V>) -> __m128i {
    // SAFETY: as for this function.
    unsafe {
        let (low, middle, high) = (products.low.folded(), products.middle.folded(), products.high.folded());
        let mut low = _mm_xor_si128(low, _mm_slli_si128::<8>(middle));
        let high = _mm_xor_si128(high, _mm_srli_si128::<8>(middle));
        let polynomial = _mm_set_epi64x(0, 0xc200_0000_0000_0000_u64.cast_signed());
        for _ in 0..2 {
            let product = _mm_clmulepi64_si128::<0x00>(low, polynomial);
            low = _mm_xor_si128(_mm_shuffle_epi32::<0x4e>(low), product);
        }
        _mm_xor_si128(high, low)
    }
}
