//! 32 bytes in a register of AVX2, with the ternary logic of AVX-512VL where it is there.

#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_broadcastsi128_si256, _mm256_gf2p8affine_epi64_epi8,
    _mm256_gf2p8affineinv_epi64_epi8, _mm256_loadu_si256, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_storeu_si256, _mm256_ternarylogic_epi32, _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
    _mm256_xor_si256,
};

use super::Vector;
use super::gfni::Gfni;
use crate::Block;
use crate::diffusion::Sum;

/// 32 bytes; `TERNARY` is true where AVX-512VL is there.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<const TERNARY: bool>(pub(crate) __m256i);

impl<const TERNARY: bool> Sum for Bytes<TERNARY> {
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_xor_si256(self.0, b.0)) }
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        if TERNARY {
            // SAFETY: `self` is the proof.
            unsafe { Self(_mm256_ternarylogic_epi32::<0x96>(self.0, b.0, c.0)) }
        } else {
            self.xor(b).xor(c)
        }
    }
}

impl<const TERNARY: bool> Vector for Bytes<TERNARY> {
    #[inline(always)]
    unsafe fn load(blocks: *const Block) -> Self {
        // SAFETY: the caller vouches for the instructions and the blocks.
        unsafe { Self(_mm256_loadu_si256(blocks.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, blocks: *mut Block) {
        // SAFETY: the caller vouches for the blocks.
        unsafe { _mm256_storeu_si256(blocks.cast(), self.0) };
    }

    #[inline(always)]
    fn repeat_block(self, block: &Block) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_broadcastsi128_si256(_mm_loadu_si128(block.as_ptr().cast()))) }
    }

    #[inline(always)]
    fn repeat_word(self, word: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm256_unpacklo_epi8(self.0, other.0)), Self(_mm256_unpackhi_epi8(self.0, other.0))] }
    }
}

impl<const TERNARY: bool> Gfni for Bytes<TERNARY> {
    #[inline(always)]
    unsafe fn affine<const CONSTANT: i32>(self, rows: u64) -> Self {
        // SAFETY: the caller vouches for GFNI.
        unsafe {
            Self(_mm256_gf2p8affine_epi64_epi8::<CONSTANT>(self.0, _mm256_set1_epi64x(rows.cast_signed())))
        }
    }

    #[inline(always)]
    unsafe fn invert_then_affine<const CONSTANT: i32>(self, rows: u64) -> Self {
        // SAFETY: the caller vouches for GFNI.
        unsafe {
            Self(_mm256_gf2p8affineinv_epi64_epi8::<CONSTANT>(self.0, _mm256_set1_epi64x(rows.cast_signed())))
        }
    }
}
