//! Four states side by side in the lower halves of AVX-512's registers, by its rotations and its functions of three operands.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m256i, _mm256_loadu_si256, _mm256_rolv_epi64, _mm256_set1_epi64x, _mm256_storeu_si256,
    _mm256_ternarylogic_epi64, _mm256_xor_si256,
};

use super::avx2;
use super::vector::{Side, Vector};
use super::word::Word;

#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(crate) fn permute_four(states: &mut [Side<4>; 25], iota: &[u64]) {
    // SAFETY: this function has the target features.
    unsafe { super::vector::permute::<Lanes, 4, 4>(states, 0, iota) }
}

#[derive(Clone, Copy)]
struct Lanes(__m256i);

impl Word for Lanes {
    const TERNARY: bool = true;

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof of the instructions.
        unsafe { Self(_mm256_xor_si256(self.0, b.0)) }
    }

    // The constants of the ternary logic are the truth tables of the two functions.

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_ternarylogic_epi64::<0x96>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_ternarylogic_epi64::<0xd2>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_rolv_epi64(self.0, _mm256_set1_epi64x(i64::from(bits)))) }
    }

    #[inline(always)]
    fn iota(self, constant: u64) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_xor_si256(self.0, _mm256_set1_epi64x(constant.cast_signed()))) }
    }
}

impl Vector<4> for Lanes {
    #[inline(always)]
    unsafe fn load(side: &Side<4>) -> Self {
        // SAFETY: the caller vouches for the instructions; 32 bytes are read.
        unsafe { Self(_mm256_loadu_si256(side.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, side: &mut Side<4>) {
        // SAFETY: `self` is the proof; 32 bytes are written.
        unsafe { _mm256_storeu_si256(side.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn two_words(messages: [*const u8; 4]) -> [Self; 2] {
        // SAFETY: as for this function.
        let [even, odd] = unsafe { avx2::Lanes::two_words(messages) };
        [Self(even.0), Self(odd.0)]
    }
}
