//! Eight words in a register of AVX2, with the rotations and the ternary logic of AVX-512VL where there are any.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set_epi64x, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_extracti128_si256,
    _mm256_inserti128_si256, _mm256_or_si256, _mm256_rol_epi32, _mm256_set1_epi32, _mm256_shuffle_epi8,
    _mm256_slli_epi32, _mm256_srl_epi32, _mm256_srli_epi32, _mm256_ternarylogic_epi32, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::{Rounds, Vector, absorb};
use crate::block::{Block, State};

/// Eight messages at once with AVX2 alone; see [`absorb`].
#[target_feature(enable = "avx2")]
pub(crate) fn compress<R: Rounds>(states: &mut [State; 8], messages: &[&[Block]; 8]) -> usize {
    // SAFETY: this function has the target feature.
    unsafe { absorb::<R, Words<false>, 8>(states, messages) }
}

/// Eight messages at once with the help of AVX-512VL; see [`absorb`].
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(crate) fn compress_ternary<R: Rounds>(states: &mut [State; 8], messages: &[&[Block]; 8]) -> usize {
    // SAFETY: this function has the target features.
    unsafe { absorb::<R, Words<true>, 8>(states, messages) }
}

/// Eight words; `TERNARY` is true where AVX-512VL is there.
#[derive(Clone, Copy)]
struct Words<const TERNARY: bool>(__m256i);

impl<const TERNARY: bool> Vector<8> for Words<TERNARY> {
    #[inline(always)]
    unsafe fn gather(place: impl Fn(usize) -> *const u32) -> Self {
        // SAFETY: as for this function.
        unsafe {
            let one = _mm256_castsi128_si256(_mm_loadu_si128(place(0).cast()));
            Self(_mm256_inserti128_si256::<1>(one, _mm_loadu_si128(place(1).cast())))
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, mut place: impl FnMut(usize) -> *mut u32) {
        // SAFETY: as for this function; `self` is the proof of the instructions.
        unsafe {
            _mm_storeu_si128(place(0).cast(), _mm256_extracti128_si256::<0>(self.0));
            _mm_storeu_si128(place(1).cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)))
        }
    }

    #[inline(always)]
    fn unpack_words(self, b: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm256_unpacklo_epi32(self.0, b.0)), Self(_mm256_unpackhi_epi32(self.0, b.0))] }
    }

    #[inline(always)]
    fn unpack_pairs(self, b: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm256_unpacklo_epi64(self.0, b.0)), Self(_mm256_unpackhi_epi64(self.0, b.0))] }
    }

    #[inline(always)]
    fn splat(self, word: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            Self(if TERNARY {
                _mm256_rol_epi32::<LEFT>(self.0)
            } else {
                _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0))
            })
        }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // Its sibling with a constant count wants another type than that of AVX-512; the compiler sees the constant.
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(BITS.cast_signed()))) }
    }

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_xor_si256(self.0, b.0)) }
    }

    // The constants of the ternary logic are the truth tables of the three functions.

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            Self(if TERNARY {
                _mm256_ternarylogic_epi32::<0x96>(self.0, b.0, c.0)
            } else {
                _mm256_xor_si256(_mm256_xor_si256(self.0, b.0), c.0)
            })
        }
    }

    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            Self(if TERNARY {
                _mm256_ternarylogic_epi32::<0xca>(self.0, b.0, c.0)
            } else {
                _mm256_xor_si256(c.0, _mm256_and_si256(self.0, _mm256_xor_si256(b.0, c.0)))
            })
        }
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            Self(if TERNARY {
                _mm256_ternarylogic_epi32::<0xe8>(self.0, b.0, c.0)
            } else {
                _mm256_xor_si256(
                    b.0,
                    _mm256_and_si256(_mm256_xor_si256(self.0, b.0), _mm256_xor_si256(b.0, c.0)),
                )
            })
        }
    }
}
