//! Sixteen coefficients in a register of AVX-512.

#![allow(unsafe_code)] // SIMD intrinsics
#![allow(clippy::needless_range_loop)] // iterators would need closures, into which intrinsics are not inlined

use core::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_add_epi32, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi32_mask,
    _mm512_loadu_si512, _mm512_mask_shuffle_epi32, _mm512_maskz_compress_epi32, _mm512_mul_epi32,
    _mm512_permutexvar_epi32, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_shuffle_epi8,
    _mm512_shuffle_epi32, _mm512_shuffle_i32x4, _mm512_srlv_epi32, _mm512_storeu_si512, _mm512_sub_epi32,
    _mm512_sub_epi64, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64,
};

use super::vector::{Q_INVERSE, Vector, shifts, shuffle};
use crate::params::Q;
use crate::poly::Short;

#[derive(Clone, Copy)]
pub(super) struct Sixteen(__m512i);

/// The odd elements at the places of the even ones.
const ODD: i32 = 0b11_11_01_01;

#[inline(always)]
unsafe fn odd(a: __m512i) -> __m512i {
    // SAFETY: the caller has a vector, the proof of the instructions.
    unsafe { _mm512_shuffle_epi32::<ODD>(a) }
}

/// The upper halves of the differences, of even elements and of odd ones.
#[inline(always)]
unsafe fn upper([even, odd]: [__m512i; 2], [less_even, less_odd]: [__m512i; 2]) -> __m512i {
    // SAFETY: as above.
    unsafe {
        let (even, odd) = (_mm512_sub_epi64(even, less_even), _mm512_sub_epi64(odd, less_odd));
        _mm512_mask_shuffle_epi32::<ODD>(odd, 0x5555, even)
    }
}

impl Vector for Sixteen {
    /// Of the even elements, and of the odd ones.
    type Wide = [__m512i; 2];

    #[inline(always)]
    unsafe fn load(from: &[i32; 16]) -> Self {
        // SAFETY: the caller vouches for the instructions; 64 bytes are read.
        unsafe { Sixteen(_mm512_loadu_si512(from.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Sixteen(_mm512_set1_epi32(value)) }
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 16]) {
        // SAFETY: `self` is the proof of the instructions; 64 bytes are written.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Sixteen(_mm512_add_epi32(self.0, b.0)) }
    }

    #[inline(always)]
    fn subtract(self, b: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe { Sixteen(_mm512_sub_epi32(self.0, b.0)) }
    }

    #[inline(always)]
    fn montgomery(self, factor: Self, twisted: Self) -> Self {
        // SAFETY: `self` is the proof.
        unsafe {
            let q = _mm512_set1_epi32(Q);
            let other = odd(self.0);
            let products = [_mm512_mul_epi32(self.0, factor.0), _mm512_mul_epi32(other, odd(factor.0))];
            let [even, odd] = [_mm512_mul_epi32(self.0, twisted.0), _mm512_mul_epi32(other, odd(twisted.0))];
            Sixteen(upper(products, [_mm512_mul_epi32(even, q), _mm512_mul_epi32(odd, q)]))
        }
    }

    #[inline(always)]
    fn product(self, b: Self) -> Self::Wide {
        // SAFETY: `self` is the proof.
        unsafe { [_mm512_mul_epi32(self.0, b.0), _mm512_mul_epi32(odd(self.0), odd(b.0))] }
    }

    #[inline(always)]
    fn add_product(self, b: Self, [even, odd]: Self::Wide) -> Self::Wide {
        let [more_even, more_odd] = self.product(b);
        // SAFETY: `self` is the proof.
        unsafe { [_mm512_add_epi64(even, more_even), _mm512_add_epi64(odd, more_odd)] }
    }

    #[inline(always)]
    fn reduce(sum: Self::Wide) -> Self {
        // SAFETY: a sum was made of vectors, which are the proof.
        unsafe {
            let (q, inverse) = (_mm512_set1_epi32(Q), _mm512_set1_epi32(Q_INVERSE));
            let [even, odd] = [_mm512_mul_epi32(sum[0], inverse), _mm512_mul_epi32(sum[1], inverse)];
            Sixteen(upper(sum, [_mm512_mul_epi32(even, q), _mm512_mul_epi32(odd, q)]))
        }
    }

    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        let mut from = square;
        let mut to = square;
        // SAFETY: the vectors are the proof.
        unsafe {
            // Within each four rows: pairs, then fours; row 4 g + i then has column 4 lane + i of rows 4 g to 4 g + 3.
            for i in 0..16 {
                let first = i & !3 | (i & 1) << 1;
                let (a, b) = (from[first].0, from[first + 1].0);
                to[i].0 = if i & 2 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) };
            }
            for i in 0..16 {
                let (a, b) = (to[i & !3 | (i & 2)].0, to[i & !3 | (i & 2) | 1].0);
                from[i].0 =
                    if i & 1 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) };
            }
            // Then the squares of four: of rows 0 to 7 or 8 to 15 the lower or the upper two lanes of columns i % 4,
            for i in 0..16 {
                let (a, b) = (from[i & 8 | i & 3].0, from[i & 8 | 4 | i & 3].0);
                to[i].0 = if i & 4 == 0 {
                    _mm512_shuffle_i32x4::<0b01_00_01_00>(a, b)
                } else {
                    _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b)
                };
            }
            // and of all rows one lane.
            for column in 0..16 {
                let (lane, class) = (column / 4, column % 4);
                let (a, b) = (to[(lane & 2) << 1 | class].0, to[8 | (lane & 2) << 1 | class].0);
                from[column].0 = if lane & 1 == 0 {
                    _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b)
                } else {
                    _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b)
                };
            }
        }
        from
    }

    #[inline(always)]
    unsafe fn fields<const STEP: usize, const BITS: usize>(from: &[u8; 64]) -> Self {
        // Four numbers to each lane: its first word is the one that the first of their bytes is in.
        const fn words(step: usize) -> [i32; 16] {
            let mut words = [0; 16];
            let mut at = 0;
            while at < 16 {
                words[at] = (at / 4 * step / 8 + at % 4) as i32;
                at += 1;
            }
            words
        }
        // SAFETY: the caller vouches for the instructions; of each array 64 bytes are read.
        unsafe {
            let words = const { words(STEP) };
            let bytes = _mm512_permutexvar_epi32(
                _mm512_loadu_si512(words.as_ptr().cast()),
                _mm512_loadu_si512(from.as_ptr().cast()),
            );
            let shuffle = const { shuffle(STEP, [0, STEP / 2 % 4, STEP % 4, 3 * STEP / 2 % 4]) };
            let numbers = _mm512_shuffle_epi8(bytes, _mm512_loadu_si512(shuffle.as_ptr().cast()));
            let shifts = const { shifts(STEP) };
            let numbers = _mm512_srlv_epi32(numbers, _mm512_loadu_si512(shifts.as_ptr().cast()));
            Sixteen(_mm512_and_si512(numbers, _mm512_set1_epi32((1 << BITS) - 1)))
        }
    }

    #[inline(always)]
    unsafe fn windows(from: &Short, starts: &[u16]) -> [i8; 256] {
        let mut to = [0_i8; 256];
        // SAFETY: the caller vouches for the instructions; 4 times 64 bytes are read from each window, and written.
        unsafe {
            let mut sums = [_mm512_setzero_si512(); 4];
            for start in starts {
                let window = from.window(*start).as_ptr();
                for part in 0..4 {
                    sums[part] =
                        _mm512_add_epi8(sums[part], _mm512_loadu_si512(window.add(64 * part).cast()));
                }
            }
            for part in 0..4 {
                _mm512_storeu_si512(to.as_mut_ptr().add(64 * part).cast(), sums[part]);
            }
        }
        to
    }

    #[inline(always)]
    fn below_q(self, to: &mut [i32; 16]) -> usize {
        // SAFETY: `self` is the proof; 64 bytes are written.
        unsafe {
            let taken = _mm512_cmplt_epi32_mask(self.0, _mm512_set1_epi32(Q));
            // Not written by the compression itself, which takes hundreds of cycles on some processors.
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(taken, self.0));
            taken.count_ones() as usize
        }
    }
}
