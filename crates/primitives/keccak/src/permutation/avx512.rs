//! Eight states side by side in registers of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm512_castsi128_si512, _mm512_inserti32x4, _mm512_loadu_si512,
    _mm512_rolv_epi64, _mm512_set1_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::vector::{Side, Vector};
use super::word::Word;

/// Absorbs as many blocks as the shortest of eight messages has, each into its own state; returns how many.
#[target_feature(enable = "avx512f")]
pub(crate) fn absorb<const RATE: usize>(
    states: &mut [Side<8>; 25],
    messages: &[&[[u8; RATE]]; 8],
    iota: &[u64],
) -> usize {
    // SAFETY: this function has the target feature.
    unsafe { super::vector::absorb::<Lanes, RATE, 8>(states, messages, iota) }
}

#[target_feature(enable = "avx512f")]
pub(crate) fn permute(states: &mut [Side<8>; 25], iota: &[u64]) {
    // SAFETY: this function has the target feature.
    unsafe { super::vector::permute::<Lanes, 8, 8>(states, 0, iota) }
}

#[derive(Clone, Copy)]
struct Lanes(__m512i);

impl Word for Lanes {
    const TERNARY: bool = true;

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof of the instructions.
        unsafe { Self(_mm512_xor_si512(self.0, b.0)) }
    }

    // The constants of the ternary logic are the truth tables of the two functions.

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi64::<0xd2>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_rolv_epi64(self.0, _mm512_set1_epi64(i64::from(bits)))) }
    }

    #[inline(always)]
    fn iota(self, constant: u64) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_xor_si512(self.0, _mm512_set1_epi64(constant.cast_signed()))) }
    }
}

impl Vector<8> for Lanes {
    #[inline(always)]
    unsafe fn load(side: &Side<8>) -> Self {
        // SAFETY: the caller vouches for the instructions; 64 bytes are read.
        unsafe { Self(_mm512_loadu_si512(side.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, side: &mut Side<8>) {
        // SAFETY: `self` is the proof; 64 bytes are written.
        unsafe { _mm512_storeu_si512(side.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn two_words(messages: [*const u8; 8]) -> [Self; 2] {
        // SAFETY: as for this function.
        unsafe {
            let four = |first: usize| {
                let part = |index: usize| _mm_loadu_si128(messages[first + 2 * index].cast::<__m128i>());
                let one = _mm512_castsi128_si512(part(0));
                let two = _mm512_inserti32x4::<1>(one, part(1));
                let three = _mm512_inserti32x4::<2>(two, part(2));
                _mm512_inserti32x4::<3>(three, part(3))
            };
            let (even, odd) = (four(0), four(1));
            [Self(_mm512_unpacklo_epi64(even, odd)), Self(_mm512_unpackhi_epi64(even, odd))]
        }
    }
}
