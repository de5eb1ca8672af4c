//! One block in a 128-bit register: PCLMULQDQ with the encodings of AVX.

use core::arch::x86_64::{__m128i, _mm_clmulepi64_si128, _mm_loadu_si128, _mm_setzero_si128, _mm_xor_si128};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(super) struct Xmm(pub(super) __m128i);

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has PCLMULQDQ and AVX.
impl Vector for Xmm {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as for this function.
        Self(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn first_lane(block: __m128i) -> Self {
        Self(block)
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { super::element::reversed(self.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn multiply<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_clmulepi64_si128::<HALVES>(self.0, other.0) })
    }

    #[inline(always)]
    fn folded(self) -> __m128i {
        self.0
    }
}
