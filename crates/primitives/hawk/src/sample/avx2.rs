//! The Gaussian distribution by AVX2: four lanes at a time, as SHAKE256x4 delivers them.

#![allow(unsafe_code)] // SIMD intrinsics
#![allow(clippy::needless_range_loop)] // iterators would need closures, into which intrinsics are not inlined

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_storeu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_castsi256_si128,
    _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_sll_epi64,
    _mm256_srl_epi64, _mm256_srli_epi64, _mm256_srlv_epi64, _mm256_sub_epi64, _mm256_xor_si256,
};

use crate::binary::Binary;
use crate::params::Row;

/// [`super::sixteen`] for a whole polynomial. Only a path that has AVX2 comes here.
pub(super) fn fill(rows: &[Row], words: &[[[u64; 4]; 5]], cosets: &Binary, x: &mut [i8]) {
    // SAFETY: the path that alone comes here exists only where the processor has the instructions.
    unsafe { compiled(rows, words, cosets, x) }
}

#[target_feature(enable = "avx2")]
fn compiled(rows: &[Row], words: &[[[u64; 4]; 5]], cosets: &Binary, x: &mut [i8]) {
    // Behind some row all entries are below 2^63: a number is below them only if its high bits are zero.
    let (high, low) = rows.split_at(rows.iter().filter(|[even, odd]| even.0 | odd.0 != 0).count());
    let zero = _mm256_setzero_si256();
    let groups = x.as_chunks_mut::<16>().0.iter_mut().zip(words);
    for (at, (x, words)) in groups.enumerate() {
        let cosets = _mm256_set1_epi64x((cosets[at / 4] >> (16 * (at % 4))).cast_signed());
        let highs = load(&words[4]);
        let mut all = zero;
        for number in 0..4 {
            let word = load(&words[number]);
            let count = _mm_cvtsi32_si128(16 * number as i32);
            let upper = _mm256_and_si256(_mm256_srl_epi64(highs, count), _mm256_set1_epi64x(0x7fff));
            let lower = _mm256_and_si256(word, _mm256_set1_epi64x(i64::MAX));
            let first = number as i64;
            let shifts = _mm256_setr_epi64x(first, first + 4, first + 8, first + 12);
            let coset = _mm256_and_si256(_mm256_srlv_epi64(cosets, shifts), _mm256_set1_epi64x(1));
            let mask = _mm256_sub_epi64(zero, coset);
            let mut value = zero;
            for [even, odd] in high {
                let entry = select(mask, even.1, odd.1);
                let borrow = _mm256_cmpgt_epi64(entry, lower);
                let above = select(mask, even.0.into(), odd.0.into());
                let difference = _mm256_add_epi64(_mm256_sub_epi64(upper, above), borrow);
                value = _mm256_add_epi64(value, _mm256_srli_epi64::<63>(difference));
            }
            let none = _mm256_cmpeq_epi64(upper, zero);
            for [even, odd] in low {
                let less = _mm256_cmpgt_epi64(select(mask, even.1, odd.1), lower);
                value = _mm256_sub_epi64(value, _mm256_and_si256(less, none));
            }
            let value = _mm256_add_epi64(_mm256_add_epi64(value, value), coset);
            let sign = _mm256_cmpgt_epi64(zero, word);
            let value = _mm256_sub_epi64(_mm256_xor_si256(value, sign), sign);
            let byte = _mm256_and_si256(value, _mm256_set1_epi64x(0xff));
            all = _mm256_or_si256(all, _mm256_sll_epi64(byte, _mm_cvtsi32_si128(8 * number as i32)));
        }
        // The low halves of the lanes are four bytes each.
        let packed = _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
        // SAFETY: 16 bytes are written.
        unsafe { _mm_storeu_si128(x.as_mut_ptr().cast(), _mm256_castsi256_si128(packed)) };
    }
}

#[inline(always)]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: only code with the instructions calls it; 32 bytes are read.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// An entry of one coset or the other.
#[inline(always)]
fn select(mask: __m256i, even: u64, odd: u64) -> __m256i {
    // SAFETY: the vector is the proof of the instructions.
    unsafe {
        let change = _mm256_and_si256(mask, _mm256_set1_epi64x((even ^ odd).cast_signed()));
        _mm256_xor_si256(change, _mm256_set1_epi64x(even.cast_signed()))
    }
}
