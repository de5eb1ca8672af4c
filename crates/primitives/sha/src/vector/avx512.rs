//! Sixteen words in a register of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm_set_epi64x, _mm_storeu_si128, _mm512_add_epi32,
    _mm512_broadcast_i32x4, _mm512_castsi128_si512, _mm512_extracti32x4_epi32, _mm512_inserti32x4,
    _mm512_rol_epi32, _mm512_set1_epi32, _mm512_shuffle_epi8, _mm512_srli_epi32, _mm512_ternarylogic_epi32,
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

/// Sixteen words.
#[derive(Clone, Copy)]
struct Words(__m512i);

/// Turns four words of each of sixteen messages into four vectors of one word each. The 128-bit quarters hold the
/// messages 0 to 3, 4 to 7 and so on.
///
/// # Safety
/// The processor has AVX-512F.
#[inline(always)]
unsafe fn transpose(rows: [__m512i; 4]) -> [Words; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: as for this function.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            Words(_mm512_unpacklo_epi64(ab_low, cd_low)),
            Words(_mm512_unpackhi_epi64(ab_low, cd_low)),
            Words(_mm512_unpacklo_epi64(ab_high, cd_high)),
            Words(_mm512_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}

/// Sixteen bytes of each of four messages that stand four apart.
///
/// # Safety
/// The processor has AVX-512F, and every pointer has sixteen readable bytes.
#[inline(always)]
unsafe fn gather(parts: [*const __m128i; 4]) -> __m512i {
    // SAFETY: as for this function.
    unsafe {
        let one = _mm512_castsi128_si512(_mm_loadu_si128(parts[0]));
        let two = _mm512_inserti32x4::<1>(one, _mm_loadu_si128(parts[1]));
        let three = _mm512_inserti32x4::<2>(two, _mm_loadu_si128(parts[2]));
        _mm512_inserti32x4::<3>(three, _mm_loadu_si128(parts[3]))
    }
}

impl Vector<16> for Words {
    #[inline(always)]
    unsafe fn load_blocks(blocks: [&Block; 16]) -> [Self; 16] {
        // SAFETY: the caller vouches for the instructions; each quarter of a block has sixteen bytes.
        unsafe {
            let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
            let mut w = [Self(swap); 16];
            for quarter in 0..4 {
                let rows = core::array::from_fn(|row| {
                    let parts =
                        core::array::from_fn(|part| blocks[row + 4 * part].as_ptr().add(16 * quarter).cast());
                    _mm512_shuffle_epi8(gather(parts), swap)
                });
                w[4 * quarter..4 * quarter + 4].copy_from_slice(&transpose(rows));
            }
            w
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: &[State; 16]) -> [Self; 8] {
        // SAFETY: the caller vouches for the instructions; each half of a state has sixteen bytes.
        unsafe {
            let half = |half: usize| {
                transpose(core::array::from_fn(|row| {
                    gather(core::array::from_fn(|part| states[row + 4 * part].as_ptr().add(4 * half).cast()))
                }))
            };
            let ([a, b, c, d], [e, f, g, h]) = (half(0), half(1));
            [a, b, c, d, e, f, g, h]
        }
    }

    #[inline(always)]
    fn store_states(words: [Self; 8], states: &mut [State; 16]) {
        let [a, b, c, d, e, f, g, h] = words.map(|word| word.0);
        for (half, words) in [[a, b, c, d], [e, f, g, h]].into_iter().enumerate() {
            // SAFETY: the words are the proof of the instructions; transposing twice gives the rows again. Each
            // half of a state has sixteen bytes.
            unsafe {
                for (row, Self(four)) in transpose(words).into_iter().enumerate() {
                    let mut put = |part: usize, bytes: __m128i| {
                        _mm_storeu_si128(states[row + 4 * part].as_mut_ptr().add(4 * half).cast(), bytes);
                    };
                    put(0, _mm512_extracti32x4_epi32::<0>(four));
                    put(1, _mm512_extracti32x4_epi32::<1>(four));
                    put(2, _mm512_extracti32x4_epi32::<2>(four));
                    put(3, _mm512_extracti32x4_epi32::<3>(four));
                }
            }
        }
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
