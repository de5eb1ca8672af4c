//! Four blocks in a 512-bit register: VPCLMULQDQ with AVX-512.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_set_epi8, _mm_xor_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_xor_si256, _mm512_broadcast_i32x4, _mm512_castsi512_si256, _mm512_clmulepi64_epi128,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_shuffle_epi8,
    _mm512_xor_si512, _mm512_zextsi128_si512,
};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(super) struct Zmm(pub(super) __m512i);

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has VPCLMULQDQ and AVX-512 F and BW.
impl Vector for Zmm {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as for this function.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn first_lane(block: __m128i) -> Self {
        // SAFETY: as for this function.
        Self(unsafe { _mm512_zextsi128_si512(block) })
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(order))
        })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_clmulepi64_epi128::<HALVES>(self.0, other.0) })
    }

    #[inline(always)]
    fn folded(self) -> __m128i {
        // SAFETY: see above.
        unsafe {
            let halves =
                _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            _mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
        }
    }
}
