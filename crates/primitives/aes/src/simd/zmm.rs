//! Four blocks in a 512-bit register: VAES with AVX-512.

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm_set_epi8, _mm512_add_epi64, _mm512_aesdec_epi128, _mm512_aesdeclast_epi128,
    _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_alignr_epi64, _mm512_broadcast_i32x4,
    _mm512_loadu_si512, _mm512_set_epi64, _mm512_shuffle_epi8, _mm512_storeu_si512, _mm512_xor_si512,
};

use fieldtest_block::masks::{self, Masks as _};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(crate) struct Zmm(__m512i);

/// See [`Vector::pinned`].
#[inline]
#[target_feature(enable = "avx512f")]
fn pinned(mut register: __m512i) -> __m512i {
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(zmm_reg) register, options(nomem, nostack, preserves_flags));
    }
    register
}

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has VAES, VPCLMULQDQ and AVX-512 F, BW and VL.
impl Vector for Zmm {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn broadcast(block: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block, and no alignment is needed.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        // SAFETY: as for this function; no alignment is needed.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn masks(first: &Block) -> [Self; 8] {
        // SAFETY: as for this function.
        let [a, b, c, d, e, f, g, h] = unsafe { masks::Zmm::first(first) }.0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    fn times_x_8_registers([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = masks::Zmm([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]).next().0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    unsafe fn numbers(first: u128) -> [Self; 8] {
        // SAFETY: as for this function.
        unsafe {
            let (upper, lower) = ((first >> 64) as i64, first as i64);
            let start = _mm512_set_epi64(upper, lower, upper, lower, upper, lower, upper, lower);
            let mut numbers = [Self(start); 8];
            for (at, to) in (0..).step_by(4).zip(&mut numbers) {
                let by = _mm512_set_epi64(0, at + 3, 0, at + 2, 0, at + 1, 0, at);
                to.0 = _mm512_add_epi64(start, by);
            }
            numbers
        }
    }

    #[inline(always)]
    fn plus_8_registers(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_epi64(self.0, _mm512_set_epi64(0, 32, 0, 32, 0, 32, 0, 32)) })
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
    fn preceded_by(self, before: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_alignr_epi64::<6>(self.0, before.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_aesenc_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_aesenclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_aesdec_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_aesdeclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn pinned(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { pinned(self.0) })
    }
}
