//! One block in a 128-bit register: AES-NI with the encodings of AVX.

use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_aesdec_si128, _mm_aesdeclast_si128, _mm_aesenc_si128, _mm_aesenclast_si128,
    _mm_loadu_si128, _mm_set_epi8, _mm_set_epi64x, _mm_shuffle_epi8, _mm_storeu_si128, _mm_xor_si128,
};

use fieldtest_block::masks::{self, Masks as _};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(crate) struct Xmm(__m128i);

#[inline(always)]
fn from_number(number: u128) -> Xmm {
    // SAFETY: SSE2 is part of x86-64.
    Xmm(unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) })
}

/// See [`Vector::pinned`].
#[inline]
#[target_feature(enable = "avx")]
fn pinned(mut register: __m128i) -> __m128i {
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(xmm_reg) register, options(nomem, nostack, preserves_flags));
    }
    register
}

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has AES-NI and AVX.
impl Vector for Xmm {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn broadcast(block: &Block) -> Self {
        // SAFETY: the reference covers a block.
        unsafe { Self::load(block) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        // SAFETY: as for this function; no alignment is needed.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn masks(first: &Block) -> [Self; 8] {
        // SAFETY: as for this function.
        let [a, b, c, d, e, f, g, h] = unsafe { masks::Xmm::first(first) }.0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    fn times_x_8_registers([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = masks::Xmm([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]).next().0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    unsafe fn numbers(first: u128) -> [Self; 8] {
        let mut numbers = [from_number(first); 8];
        for (number, to) in (first..).zip(&mut numbers) {
            *to = from_number(number);
        }
        numbers
    }

    #[inline(always)]
    fn plus_8_registers(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_add_epi64(self.0, _mm_set_epi64x(0, 8)) })
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            _mm_shuffle_epi8(self.0, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        })
    }

    #[inline(always)]
    fn preceded_by(self, before: Self) -> Self {
        before
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_aesenc_si128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_aesenclast_si128(self.0, key.0) })
    }

    #[inline(always)]
    fn inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_aesdec_si128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_aesdeclast_si128(self.0, key.0) })
    }

    #[inline(always)]
    fn pinned(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { pinned(self.0) })
    }
}
