//! Sixteen coefficients in two registers of AVX2.

#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_epi64, _mm256_blend_epi32, _mm256_loadu_si256, _mm256_mul_epi32,
    _mm256_permute2x128_si256, _mm256_set1_epi32, _mm256_shuffle_epi32, _mm256_storeu_si256,
    _mm256_sub_epi32, _mm256_sub_epi64, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64,
};
use core::array::from_fn;

use super::vector::{Q_INVERSE, Vector};
use crate::params::Q;

#[derive(Clone, Copy)]
pub(super) struct Sixteen([__m256i; 2]);

/// The odd elements at the places of the even ones.
#[inline(always)]
unsafe fn odd(a: __m256i) -> __m256i {
    // SAFETY: the caller has a vector, the proof of the instructions.
    unsafe { _mm256_shuffle_epi32::<0b11_11_01_01>(a) }
}

/// The upper halves of the differences, of even elements and of odd ones.
#[inline(always)]
unsafe fn upper([even, other]: [__m256i; 2], [less_even, less_other]: [__m256i; 2]) -> __m256i {
    // SAFETY: as above.
    unsafe {
        let (even, other) = (_mm256_sub_epi64(even, less_even), _mm256_sub_epi64(other, less_other));
        _mm256_blend_epi32::<0b1010_1010>(odd(even), other)
    }
}

impl Vector for Sixteen {
    /// Of the even elements and of the odd ones, for each register.
    type Wide = [[__m256i; 2]; 2];

    #[inline(always)]
    unsafe fn load(from: &[i32; 16]) -> Self {
        // SAFETY: the caller vouches for the instructions; 32 bytes are read from each half.
        unsafe { Sixteen([0, 8].map(|at| _mm256_loadu_si256(from.as_ptr().add(at).cast()))) }
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Sixteen([_mm256_set1_epi32(value); 2]) }
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 16]) {
        let [low, high] = self.0;
        // SAFETY: `self` is the proof of the instructions; 32 bytes are written to each half.
        unsafe {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(to.as_mut_ptr().add(8).cast(), high);
        }
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        Sixteen(from_fn(|half| unsafe { _mm256_add_epi32(self.0[half], b.0[half]) }))
    }

    #[inline(always)]
    fn subtract(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        Sixteen(from_fn(|half| unsafe { _mm256_sub_epi32(self.0[half], b.0[half]) }))
    }

    #[inline(always)]
    fn montgomery(self, factor: Self, twisted: Self) -> Self {
        // SAFETY: `self` is the proof.
        Sixteen(from_fn(|half| unsafe {
            let (a, factor, twisted) = (self.0[half], factor.0[half], twisted.0[half]);
            let q = _mm256_set1_epi32(Q);
            let other = odd(a);
            let products = [_mm256_mul_epi32(a, factor), _mm256_mul_epi32(other, odd(factor))];
            let multiples = [_mm256_mul_epi32(a, twisted), _mm256_mul_epi32(other, odd(twisted))];
            upper(products, multiples.map(|multiple| _mm256_mul_epi32(multiple, q)))
        }))
    }

    #[inline(always)]
    fn product(self, b: Self) -> Self::Wide {
        // SAFETY: `self` is the proof.
        from_fn(|half| unsafe {
            let (a, b) = (self.0[half], b.0[half]);
            [_mm256_mul_epi32(a, b), _mm256_mul_epi32(odd(a), odd(b))]
        })
    }

    #[inline(always)]
    fn add_product(self, b: Self, sum: Self::Wide) -> Self::Wide {
        let product = self.product(b);
        // SAFETY: `self` is the proof.
        from_fn(|half| from_fn(|part| unsafe { _mm256_add_epi64(sum[half][part], product[half][part]) }))
    }

    #[inline(always)]
    fn reduce(sum: Self::Wide) -> Self {
        // SAFETY: a sum was made of vectors, which are the proof.
        Sixteen(sum.map(|sum| unsafe {
            let (q, inverse) = (_mm256_set1_epi32(Q), _mm256_set1_epi32(Q_INVERSE));
            upper(sum, sum.map(|sum| _mm256_mul_epi32(_mm256_mul_epi32(sum, inverse), q)))
        }))
    }

    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        // SAFETY: the vectors are the proof.
        let eight =
            |rows: usize, half: usize| unsafe { transpose_eight(from_fn(|row| square[rows + row].0[half])) };
        let [top, bottom] = [0, 8].map(|rows| [eight(rows, 0), eight(rows, 1)]);
        from_fn(|column| Sixteen([top[column / 8][column % 8], bottom[column / 8][column % 8]]))
    }
}

/// A square of eight rows and columns.
#[inline(always)]
unsafe fn transpose_eight(rows: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the caller has vectors, the proof.
    unsafe {
        let pairs: [__m256i; 8] = from_fn(|i| {
            let first = i & !3 | (i & 1) << 1;
            let (a, b) = (rows[first], rows[first + 1]);
            if i & 2 == 0 { _mm256_unpacklo_epi32(a, b) } else { _mm256_unpackhi_epi32(a, b) }
        });
        let fours: [__m256i; 8] = from_fn(|i| {
            let (a, b) = (pairs[i & !3 | (i & 2)], pairs[i & !3 | (i & 2) | 1]);
            if i & 1 == 0 { _mm256_unpacklo_epi64(a, b) } else { _mm256_unpackhi_epi64(a, b) }
        });
        from_fn(|column| {
            let (a, b) = (fours[column & 3], fours[4 | column & 3]);
            if column < 4 {
                _mm256_permute2x128_si256::<0x20>(a, b)
            } else {
                _mm256_permute2x128_si256::<0x31>(a, b)
            }
        })
    }
}
