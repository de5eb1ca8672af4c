//! Sixteen words in a register of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics and their masked loads

use core::arch::x86_64::{
    __m512i, __mmask8, _mm512_add_epi32, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_rol_epi32, _mm512_set1_epi32,
    _mm512_slli_epi32, _mm512_sllv_epi32, _mm512_srli_epi32, _mm512_srlv_epi32, _mm512_sub_epi32,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};

use crate::Block;
use crate::avx2::Eight;
use crate::group;
use crate::rounds::Direction;
use crate::schedule::{KeyWord, Schedule};
use crate::vector::Vector;
use crate::words::Words;

/// Groups of sixteen blocks, or one of up to eight if there are no more; see [`group::run`]. Registers half as long have
/// one execution port more on Intel's cores, where 512 bits take two at once.
///
/// # Safety
/// There are as many masks as blocks if there are any.
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(crate) unsafe fn run<D: Direction>(schedule: &Schedule, blocks: &mut [Block], masks: Option<&[Block]>) {
    // SAFETY: as for this function, which has the target features.
    unsafe {
        if blocks.len() <= 8 {
            group::run::<D, Eight<true>>(schedule, blocks, masks);
        } else {
            group::run::<D, Sixteen>(schedule, blocks, masks);
        }
    }
}

/// Groups of sixteen blocks, or of eight if no run has more; see [`group::run_xex`].
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(crate) fn run_xex<D: Direction>(schedule: &Schedule, blocks: &mut [Block], run: usize, first: &[Block]) {
    // SAFETY: this function has the target features.
    unsafe {
        if blocks.len().min(run) <= 8 {
            group::run_xex::<D, Eight<true>>(schedule, blocks, run, first);
        } else {
            group::run_xex::<D, Sixteen>(schedule, blocks, run, first);
        }
    }
}

/// Groups of sixteen blocks, or of eight if no run has more; see [`group::run_keystream`].
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(crate) fn run_keystream(schedule: &Schedule, blocks: &mut [Block], run: usize, first: &[Block]) {
    // SAFETY: this function has the target features.
    unsafe {
        if blocks.len().min(run) <= 8 {
            group::run_keystream::<Eight<true>>(schedule, blocks, run, first);
        } else {
            group::run_keystream::<Sixteen>(schedule, blocks, run, first);
        }
    }
}

#[derive(Clone, Copy)]
struct Sixteen(__m512i);

/// Has two bits, one for each 64-bit half, for each of the first `count` blocks.
#[inline(always)]
fn halves(count: usize) -> __mmask8 {
    if count >= 4 { __mmask8::MAX } else { (1 << (2 * count)) - 1 }
}

impl Words for Sixteen {
    #[inline(always)]
    fn xor_key(self, key: &KeyWord) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_xor_si512(self.0, _mm512_set1_epi32(key.get().cast_signed()))) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_sub_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_rol_epi32::<LEFT>(self.0)) }
    }
}

impl Vector for Sixteen {
    const ROW: usize = 4;

    const WORTHWHILE: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const Block, count: usize) -> Self {
        // SAFETY: the caller vouches for the instructions and for `count` blocks; nothing else is read.
        unsafe { Self(_mm512_maskz_loadu_epi64(halves(count), from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block, count: usize) {
        // SAFETY: `self` is the proof of the instructions; the caller vouches for `count` blocks, and nothing else is
        // written.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), halves(count), self.0) }
    }

    #[inline(always)]
    unsafe fn repeat(word: u32) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Self(_mm512_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn words(words: &[u32; 16]) -> Self {
        // SAFETY: the caller vouches for the instructions; there are sixteen words.
        unsafe { Self(_mm512_loadu_si512(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_slli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_srli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_left_each(self, bits: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_sllv_epi32(self.0, bits.0)) }
    }

    #[inline(always)]
    fn shift_right_each(self, bits: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Self(_mm512_srlv_epi32(self.0, bits.0)) }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `self` is the proof. The shuffle of bytes would need AVX-512 BW.
        unsafe {
            let odd = _mm512_set1_epi32(0x00ff_00ff);
            let (left, right) = (_mm512_rol_epi32::<8>(self.0), _mm512_rol_epi32::<24>(self.0));
            Self(_mm512_or_si512(_mm512_and_si512(left, odd), _mm512_andnot_si512(odd, right)))
        }
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: the rows are the proof.
        unsafe {
            let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a.0, b.0), _mm512_unpackhi_epi32(a.0, b.0));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c.0, d.0), _mm512_unpackhi_epi32(c.0, d.0));
            [
                Self(_mm512_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm512_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
}
