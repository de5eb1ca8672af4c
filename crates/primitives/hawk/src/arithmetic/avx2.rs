//! Eight numbers in a register of AVX2.

#![allow(unsafe_code)] // SIMD intrinsics
#![allow(clippy::needless_range_loop)] // iterators would need closures, into which intrinsics are not inlined

use core::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_epi64, _mm256_blend_epi32, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_mul_epi32, _mm256_mul_epu32, _mm256_permute2x128_si256, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_shuffle_epi32, _mm256_srai_epi32, _mm256_storeu_si256,
    _mm256_sub_epi32, _mm256_sub_epi64, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64,
};

use super::vector::Eight;

#[derive(Clone, Copy)]
pub(super) struct Register(__m256i);

/// The odd elements at the places of the even ones.
#[inline(always)]
unsafe fn odd(a: __m256i) -> __m256i {
    // SAFETY: the caller has a vector, the proof of the instructions.
    unsafe { _mm256_shuffle_epi32::<0b11_11_01_01>(a) }
}

/// The upper halves, of even elements and of odd ones.
#[inline(always)]
unsafe fn upper(even: __m256i, other: __m256i) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_blend_epi32::<0b1010_1010>(odd(even), other) }
}

impl Eight for Register {
    /// Of the even elements and of the odd ones.
    type Wide = [__m256i; 2];

    #[inline(always)]
    unsafe fn load(from: &[u32; 8]) -> Self {
        // SAFETY: the caller vouches for the instructions; 32 bytes are read.
        unsafe { Register(_mm256_loadu_si256(from.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Register(_mm256_set1_epi32(value.cast_signed())) }
    }

    #[inline(always)]
    fn store(self, to: &mut [u32; 8]) {
        // SAFETY: `self` is the proof of the instructions; 32 bytes are written.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Register(_mm256_add_epi32(self.0, b.0)) }
    }

    #[inline(always)]
    fn subtract(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Register(_mm256_sub_epi32(self.0, b.0)) }
    }

    #[inline(always)]
    fn least(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Register(_mm256_min_epu32(self.0, b.0)) }
    }

    #[inline(always)]
    fn half(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Register(_mm256_srai_epi32::<1>(self.0)) }
    }

    #[inline(always)]
    fn montgomery(self, factor: Self, p: Self, inverse: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            let even = _mm256_mul_epu32(self.0, factor.0);
            let other = _mm256_mul_epu32(odd(self.0), odd(factor.0));
            let even_multiple = _mm256_mul_epu32(_mm256_mul_epu32(even, inverse.0), p.0);
            let other_multiple = _mm256_mul_epu32(_mm256_mul_epu32(other, inverse.0), p.0);
            // The lower halves are equal.
            Register(upper(_mm256_sub_epi64(even, even_multiple), _mm256_sub_epi64(other, other_multiple)))
        }
    }

    #[inline(always)]
    fn product(self, b: Self) -> Self::Wide {
        // SAFETY: `self` is the proof.
        unsafe { [_mm256_mul_epi32(self.0, b.0), _mm256_mul_epi32(odd(self.0), odd(b.0))] }
    }

    #[inline(always)]
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        // SAFETY: products are made of vectors only, the proof.
        unsafe { [_mm256_add_epi64(a[0], b[0]), _mm256_add_epi64(a[1], b[1])] }
    }

    #[inline(always)]
    fn difference(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        // SAFETY: as above.
        unsafe { [_mm256_sub_epi64(a[0], b[0]), _mm256_sub_epi64(a[1], b[1])] }
    }

    #[inline(always)]
    fn upper(wide: Self::Wide) -> Self {
        // SAFETY: as above.
        unsafe { Register(upper(wide[0], wide[1])) }
    }

    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Register(_mm256_permutevar8x32_epi32(self.0, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))) }
    }

    #[inline(always)]
    fn transpose(mut square: [Self; 8]) -> [Self; 8] {
        // SAFETY: `square` is the proof.
        unsafe {
            // Squares of two, of four, then of eight.
            let mut pairs = square;
            for at in 0..4 {
                let (a, b) = (square[2 * at].0, square[2 * at + 1].0);
                pairs[2 * at] = Register(_mm256_unpacklo_epi32(a, b));
                pairs[2 * at + 1] = Register(_mm256_unpackhi_epi32(a, b));
            }
            for half in 0..2 {
                for at in 0..2 {
                    let (a, b) = (pairs[4 * half + at].0, pairs[4 * half + at + 2].0);
                    square[4 * half + 2 * at] = Register(_mm256_unpacklo_epi64(a, b));
                    square[4 * half + 2 * at + 1] = Register(_mm256_unpackhi_epi64(a, b));
                }
            }
            for at in 0..4 {
                let (a, b) = (square[at].0, square[at + 4].0);
                pairs[at] = Register(_mm256_permute2x128_si256::<0x20>(a, b));
                pairs[at + 4] = Register(_mm256_permute2x128_si256::<0x31>(a, b));
            }
            pairs
        }
    }
}
