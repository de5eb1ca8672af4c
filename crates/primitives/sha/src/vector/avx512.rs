//! Sixteen words in a register of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm_set_epi64x, _mm_storeu_si128, _mm512_add_epi32, _mm512_broadcast_i32x4,
    _mm512_castsi128_si512, _mm512_extracti32x4_epi32, _mm512_inserti32x4, _mm512_rol_epi32,
    _mm512_set1_epi32, _mm512_shuffle_epi8, _mm512_srli_epi32, _mm512_ternarylogic_epi32,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};

use super::{Rounds, Vector, absorb};
use crate::block::{Block, State};

/// Sixteen messages at once; see [`absorb`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) fn compress<R: Rounds>(states: &mut [State; 16], messages: &[&[Block]; 16]) -> usize {
    // SAFETY: this function has the target feature.
    unsafe { absorb::<R, Words, 16>(states, messages) }
}

#[derive(Clone, Copy)]
struct Words(__m512i);

impl Vector<16> for Words {
    #[inline(always)]
    unsafe fn gather(place: impl Fn(usize) -> *const u32) -> Self {
        // SAFETY: as for this function.
        unsafe {
            let part = |part: usize| _mm_loadu_si128(place(part).cast());
            let one = _mm512_castsi128_si512(part(0));
            let two = _mm512_inserti32x4::<1>(one, part(1));
            let three = _mm512_inserti32x4::<2>(two, part(2));
            Self(_mm512_inserti32x4::<3>(three, part(3)))
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, mut place: impl FnMut(usize) -> *mut u32) {
        // SAFETY: as for this function; `self` is the proof of the instructions.
        unsafe {
            _mm_storeu_si128(place(0).cast(), _mm512_extracti32x4_epi32::<0>(self.0));
            _mm_storeu_si128(place(1).cast(), _mm512_extracti32x4_epi32::<1>(self.0));
            _mm_storeu_si128(place(2).cast(), _mm512_extracti32x4_epi32::<2>(self.0));
            _mm_storeu_si128(place(3).cast(), _mm512_extracti32x4_epi32::<3>(self.0));
        }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(order)))
        }
    }

    #[inline(always)]
    fn unpack_words(self, b: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm512_unpacklo_epi32(self.0, b.0)), Self(_mm512_unpackhi_epi32(self.0, b.0))] }
    }

    #[inline(always)]
    fn unpack_pairs(self, b: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm512_unpacklo_epi64(self.0, b.0)), Self(_mm512_unpackhi_epi64(self.0, b.0))] }
    }

    #[inline(always)]
    fn splat(self, word: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_rol_epi32::<LEFT>(self.0)) }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_srli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_xor_si512(self.0, b.0)) }
    }

    // The constants of the ternary logic are the truth tables of the three functions.

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi32::<0x96>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi32::<0xca>(self.0, b.0, c.0)) }
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi32::<0xe8>(self.0, b.0, c.0)) }
    }
}
