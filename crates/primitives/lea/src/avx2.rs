//! Eight words in a register of AVX2, with the rotation of AVX-512VL where there is one.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set_epi8, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_load_si256, _mm256_loadu_si256,
    _mm256_or_si256, _mm256_rol_epi32, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_sll_epi32, _mm256_slli_epi32, _mm256_sllv_epi32, _mm256_srl_epi32, _mm256_srli_epi32,
    _mm256_srlv_epi32, _mm256_storeu_si256, _mm256_sub_epi32, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256, _mm256_zextsi128_si256,
};

use crate::Block;
use crate::group;
use crate::rounds::Direction;
use crate::schedule::{KeyWord, Schedule};
use crate::vector::Vector;
use crate::words::Words;

/// Groups of eight blocks; see [`group::run`].
///
/// # Safety
/// There are as many masks as blocks if there are any.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn run<D: Direction>(schedule: &Schedule, blocks: &mut [Block], masks: Option<&[Block]>) {
    // SAFETY: as for this function, which has the target feature.
    unsafe { group::run::<D, Eight<false>>(schedule, blocks, masks) }
}

/// Groups of eight blocks; see [`group::run_xex`].
#[target_feature(enable = "avx2")]
pub(crate) fn run_xex<D: Direction>(schedule: &Schedule, blocks: &mut [Block], run: usize, first: &[Block]) {
    // SAFETY: this function has the target feature.
    unsafe { group::run_xex::<D, Eight<false>>(schedule, blocks, run, first) }
}

/// Groups of eight blocks; see [`group::run_keystream`].
#[target_feature(enable = "avx2")]
pub(crate) fn run_keystream(schedule: &Schedule, blocks: &mut [Block], run: usize, first: &[Block]) {
    // SAFETY: this function has the target feature.
    unsafe { group::run_keystream::<Eight<false>>(schedule, blocks, run, first) }
}

/// Eight words; `ROTATES` is true where AVX-512VL is there.
#[derive(Clone, Copy)]
pub(crate) struct Eight<const ROTATES: bool>(__m256i);

impl<const ROTATES: bool> Words for Eight<ROTATES> {
    #[inline(always)]
    fn xor_key(self, key: &KeyWord) -> Self {
        // SAFETY: `self` is the proof; the word stands there eight times, aligned.
        unsafe { Self(_mm256_xor_si256(self.0, _mm256_load_si256(key.0.as_ptr().cast()))) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_sub_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            Self(if ROTATES {
                _mm256_rol_epi32::<LEFT>(self.0)
            } else {
                _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0))
            })
        }
    }
}

impl<const ROTATES: bool> Vector for Eight<ROTATES> {
    const ROW: usize = 2;

    const WORTHWHILE: usize = if ROTATES { 2 } else { 3 };

    #[inline(always)]
    unsafe fn load(from: *const Block, count: usize) -> Self {
        // SAFETY: the caller vouches for the instructions and for `count` blocks.
        unsafe {
            Self(match count {
                0 => _mm256_setzero_si256(),
                1 => _mm256_zextsi128_si256(_mm_loadu_si128(from.cast())),
                _ => _mm256_loadu_si256(from.cast()),
            })
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block, count: usize) {
        // SAFETY: `self` is the proof of the instructions; the caller vouches for `count` blocks.
        unsafe {
            match count {
                0 => {}
                1 => _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(self.0)),
                _ => _mm256_storeu_si256(to.cast(), self.0),
            }
        }
    }

    #[inline(always)]
    unsafe fn repeat(word: u32) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Self(_mm256_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn words(words: &[u32; 16]) -> Self {
        // SAFETY: the caller vouches for the instructions; there are more than eight words.
        unsafe { Self(_mm256_loadu_si256(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_sll_epi32(self.0, _mm_cvtsi32_si128(BITS.cast_signed()))) }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(BITS.cast_signed()))) }
    }

    #[inline(always)]
    fn shift_left_each(self, bits: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_sllv_epi32(self.0, bits.0)) }
    }

    #[inline(always)]
    fn shift_right_each(self, bits: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm256_srlv_epi32(self.0, bits.0)) }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)))
        }
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: the rows are the proof.
        unsafe {
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a.0, b.0), _mm256_unpackhi_epi32(a.0, b.0));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c.0, d.0), _mm256_unpackhi_epi32(c.0, d.0));
            [
                Self(_mm256_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm256_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm256_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm256_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
}
