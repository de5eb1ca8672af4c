//! Two blocks in a 256-bit register: VAES with AVX2.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_set_epi8, _mm256_add_epi64, _mm256_aesdec_epi128, _mm256_aesdeclast_epi128,
    _mm256_aesenc_epi128, _mm256_aesenclast_epi128, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_permute2x128_si256, _mm256_set_epi64x, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_xor_si256,
};

use fieldtest_block::masks::{self, Masks as _};

use super::vector::Vector;
use crate::Block;

#[derive(Clone, Copy)]
pub(crate) struct Ymm(__m256i);

/// See [`Vector::pinned`].
#[inline]
#[target_feature(enable = "avx2")]
fn pinned(mut register: __m256i) -> __m256i {
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(ymm_reg) register, options(nomem, nostack, preserves_flags));
    }
    register
}

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has VAES and AVX2.
impl Vector for Ymm {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn broadcast(block: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block, and no alignment is needed.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        // SAFETY: as for this function; no alignment is needed.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn masks(first: &Block) -> [Self; 8] {
        // SAFETY: as for this function.
        let [a, b, c, d, e, f, g, h] = unsafe { masks::Ymm::first(first) }.0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    fn times_x_8_registers([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = masks::Ymm([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]).next().0;
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    unsafe fn numbers(first: u128) -> [Self; 8] {
        // SAFETY: as for this function.
        unsafe {
            let (upper, lower) = ((first >> 64) as i64, first as i64);
            let start = _mm256_set_epi64x(upper, lower, upper, lower);
            let mut numbers = [Self(start); 8];
            for (at, to) in (0..).step_by(2).zip(&mut numbers) {
                to.0 = _mm256_add_epi64(start, _mm256_set_epi64x(0, at + 1, 0, at));
            }
            numbers
        }
    }

    #[inline(always)]
    fn plus_8_registers(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_add_epi64(self.0, _mm256_set_epi64x(0, 16, 0, 16)) })
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
    fn preceded_by(self, before: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(before.0, self.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesenc_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesenclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesdec_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesdeclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn pinned(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { pinned(self.0) })
    }
}
