//! Eight words in a register of AVX2, with the rotations and the ternary logic of AVX-512VL where there are any.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set_epi64x, _mm_storeu_si128, _mm256_add_epi32,
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

/// Turns four words of each of eight messages into four vectors of one word each. The 128-bit halves hold the
/// messages 0 to 3 and 4 to 7.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn transpose<const TERNARY: bool>(rows: [__m256i; 4]) -> [Words<TERNARY>; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: as for this function.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            Words(_mm256_unpacklo_epi64(ab_low, cd_low)),
            Words(_mm256_unpackhi_epi64(ab_low, cd_low)),
            Words(_mm256_unpacklo_epi64(ab_high, cd_high)),
            Words(_mm256_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}

/// Sixteen bytes of each of two messages that stand four apart.
///
/// # Safety
/// The processor has AVX2, and every pointer has sixteen readable bytes.
#[inline(always)]
unsafe fn gather(parts: [*const __m128i; 2]) -> __m256i {
    // SAFETY: as for this function.
    unsafe {
        let one = _mm256_castsi128_si256(_mm_loadu_si128(parts[0]));
        _mm256_inserti128_si256::<1>(one, _mm_loadu_si128(parts[1]))
    }
}

impl<const TERNARY: bool> Vector<8> for Words<TERNARY> {
    #[inline(always)]
    unsafe fn load_blocks(blocks: [&Block; 8]) -> [Self; 16] {
        // SAFETY: the caller vouches for the instructions; each quarter of a block has sixteen bytes.
        unsafe {
            let swap =
                _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
            let mut w = [Self(swap); 16];
            for quarter in 0..4 {
                let rows = core::array::from_fn(|row| {
                    let parts =
                        core::array::from_fn(|part| blocks[row + 4 * part].as_ptr().add(16 * quarter).cast());
                    _mm256_shuffle_epi8(gather(parts), swap)
                });
                w[4 * quarter..4 * quarter + 4].copy_from_slice(&transpose(rows));
            }
            w
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: &[State; 8]) -> [Self; 8] {
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
    fn store_states(words: [Self; 8], states: &mut [State; 8]) {
        let [a, b, c, d, e, f, g, h] = words.map(|word| word.0);
        for (half, words) in [[a, b, c, d], [e, f, g, h]].into_iter().enumerate() {
            // SAFETY: the words are the proof of the instructions; transposing twice gives the rows again. Each
            // half of a state has sixteen bytes.
            unsafe {
                for (row, Self(four)) in transpose::<TERNARY>(words).into_iter().enumerate() {
                    let mut put = |part: usize, bytes: __m128i| {
                        _mm_storeu_si128(states[row + 4 * part].as_mut_ptr().add(4 * half).cast(), bytes);
                    };
                    put(0, _mm256_extracti128_si256::<0>(four));
                    put(1, _mm256_extracti128_si256::<1>(four));
                }
            }
        }
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
