//! 64 bytes in a register of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_broadcast_i32x4, _mm512_gf2p8affine_epi64_epi8,
    _mm512_gf2p8affineinv_epi64_epi8, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_storeu_si512, _mm512_ternarylogic_epi32, _mm512_unpackhi_epi8, _mm512_unpacklo_epi8,
    _mm512_xor_si512,
};

use super::Vector;
use super::gfni::Gfni;
use crate::Block;
use crate::diffusion::Sum;

/// 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes(__m512i);

impl Sum for Bytes {
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_xor_si512(self.0, b.0)) }
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_ternarylogic_epi32::<0x96>(self.0, b.0, c.0)) }
    }
}

impl Vector for Bytes {
    #[inline(always)]
    unsafe fn load(blocks: *const Block) -> Self {
        // SAFETY: the caller vouches for the instructions and the blocks.
        unsafe { Self(_mm512_loadu_si512(blocks.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, blocks: *mut Block) {
        // SAFETY: the caller vouches for the blocks.
        unsafe { _mm512_storeu_si512(blocks.cast(), self.0) };
    }

    #[inline(always)]
    fn repeat_block(self, block: &Block) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_broadcast_i32x4(_mm_loadu_si128(block.as_ptr().cast()))) }
    }

    #[inline(always)]
    fn repeat_word(self, word: u32) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: `self` is the proof.
        unsafe { [Self(_mm512_unpacklo_epi8(self.0, other.0)), Self(_mm512_unpackhi_epi8(self.0, other.0))] }
    }
}

impl Gfni for Bytes {
    #[inline(always)]
    unsafe fn affine<const CONSTANT: i32>(self, rows: u64) -> Self {
        // SAFETY: the caller vouches for GFNI.
        unsafe {
            Self(_mm512_gf2p8affine_epi64_epi8::<CONSTANT>(self.0, _mm512_set1_epi64(rows.cast_signed())))
        }
    }

    #[inline(always)]
    unsafe fn invert_then_affine<const CONSTANT: i32>(self, rows: u64) -> Self {
        // SAFETY: the caller vouches for GFNI.
        unsafe {
            Self(_mm512_gf2p8affineinv_epi64_epi8::<CONSTANT>(self.0, _mm512_set1_epi64(rows.cast_signed())))
        }
    }
}
