//! Two blocks in a 256-bit register: VPCLMULQDQ with AVX2.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_set_epi8, _mm_xor_si128, _mm256_broadcastsi128_si256, _mm256_castsi256_si128,
    _mm256_clmulepi64_epi128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_xor_si256, _mm256_zextsi128_si256,
};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(super) struct Ymm(pub(super) __m256i);

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has VPCLMULQDQ and AVX2.
impl Vector for Ymm {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as for this function.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn first_lane(block: __m128i) -> Self {
        // SAFETY: as for this function.
        Self(unsafe { _mm256_zextsi128_si256(block) })
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order))
        })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_clmulepi64_epi128::<HALVES>(self.0, other.0) })
    }

    #[inline(always)]
    fn folded(self) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)) }
    }
}
