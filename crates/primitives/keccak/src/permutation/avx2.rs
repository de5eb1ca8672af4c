//! Four states side by side in registers of AVX2.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_andnot_si256, _mm256_castsi128_si256,
    _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64,
    _mm256_srl_epi64, _mm256_storeu_si256, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::vector::{Side, Vector};
use super::word::Word;

/// Absorbs as many blocks as the shortest of four messages has, each into its own state; returns how many.
#[target_feature(enable = "avx2")]
pub(crate) fn absorb<const RATE: usize>(
    states: &mut [Side<4>; 25],
    messages: &[&[[u8; RATE]]; 4],
    iota: &[u64],
) -> usize {
    // SAFETY: this function has the target feature.
    unsafe { super::vector::absorb::<Lanes, RATE, 4>(states, messages, iota) }
}

#[target_feature(enable = "avx2")]
pub(crate) fn permute_four(states: &mut [Side<4>; 25], iota: &[u64]) {
    // SAFETY: this function has the target feature.
    unsafe { super::vector::permute::<Lanes, 4, 4>(states, 0, iota) }
}

#[target_feature(enable = "avx2")]
pub(crate) fn permute_two_fours(states: &mut [Side<8>; 25], iota: &[u64]) {
    // SAFETY: this function has the target feature.
    unsafe {
        super::vector::permute::<Lanes, 4, 8>(states, 0, iota);
        super::vector::permute::<Lanes, 4, 8>(states, 4, iota);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Lanes(pub(super) __m256i);

impl Word for Lanes {
    const TERNARY: bool = false;

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof of the instructions.
        unsafe { Self(_mm256_xor_si256(self.0, b.0)) }
    }

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0))) }
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // The siblings with a constant count would need it as a parameter of the type; the compiler sees the constant.
        let count = |bits: u32| bits.cast_signed();
        // SAFETY: `self` is the proof.
        unsafe {
            let left = _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(count(bits)));
            let right = _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(count(64 - bits)));
            Self(_mm256_or_si256(left, right))
        }
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
        unsafe {
            let two = |first: usize| {
                let part = |index: usize| _mm_loadu_si128(messages[first + 2 * index].cast::<__m128i>());
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(part(0)), part(1))
            };
            let (even, odd) = (two(0), two(1));
            [Self(_mm256_unpacklo_epi64(even, odd)), Self(_mm256_unpackhi_epi64(even, odd))]
        }
    }
}
