//! AVX-512 and GFNI: a map is an instruction's operand, on 64 bytes.
#![allow(unsafe_code)] // SIMD intrinsics, loads and stores through pointers

use core::arch::x86_64::{
    __m512i, __mmask64, _mm512_gf2p8affine_epi64_epi8, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_set1_epi8, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_srli_epi16,
    _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use super::portable::select;
use super::{Engine, Task};
use crate::field::multiply;
use crate::path::{Kind, Path};

/// The engine of [`Kind::Avx512`]. It is made in [`run`] only.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

/// Does it on this engine.
pub(super) fn run<T: Task>(path: Path, task: T) -> T::Output {
    assert_eq!(path.kind(), Kind::Avx512);
    // SAFETY: the path is the proof of these features.
    unsafe { enabled(task) }
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,gfni")]
fn enabled<T: Task>(task: T) -> T::Output {
    task.run(Avx512(()))
}

/// Row i, the products' bit i over the factor's bits, is byte 3 - i: GF2P8AFFINEQB has the row of the lowest bit last.
const fn rows(scalar: u8) -> u32 {
    let mut rows = [0; 4];
    let mut bit = 0;
    while bit < 4 {
        let product = multiply(scalar, 1 << bit);
        let mut row = 0;
        while row < 4 {
            rows[row] |= (product >> row & 1) << bit;
            row += 1;
        }
        bit += 1;
    }
    u32::from_be_bytes(rows)
}

const UNITS: [u32; 4] = [rows(1), rows(2), rows(4), rows(8)];

/// The first `count` bytes, all if there are more than 64.
#[inline(always)]
fn mask(count: usize) -> __mmask64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// `COUNT` output rows, `length` bytes apart, at one column of up to 64 bytes.
///
/// # Safety
/// From `input` on there are as many rows as `maps` has, less one, times `length` and the mask's bytes; from `output` on
/// the same for `COUNT` rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
unsafe fn column<const COUNT: usize>(
    maps: &[u64],
    width: usize,
    first: usize,
    input: *const u8,
    output: *mut u8,
    length: usize,
    mask: __mmask64,
) {
    let mut sums = [_mm512_setzero_si512(); COUNT];
    for (j, sum) in sums.iter_mut().enumerate() {
        // SAFETY: as for this function.
        *sum = unsafe { _mm512_maskz_loadu_epi8(mask, output.add(j * length).cast()) };
    }
    for (i, maps) in maps.chunks_exact(width).enumerate() {
        let maps = &maps[first..][..COUNT];
        // SAFETY: as for this function.
        let row = unsafe { _mm512_maskz_loadu_epi8(mask, input.add(i * length).cast()) };
        for (sum, map) in sums.iter_mut().zip(maps) {
            let product = _mm512_gf2p8affine_epi64_epi8::<0>(row, _mm512_set1_epi64(*map as i64));
            *sum = _mm512_xor_si512(*sum, product);
        }
    }
    for (j, sum) in sums.iter().enumerate() {
        // SAFETY: as for this function.
        unsafe { _mm512_mask_storeu_epi8(output.add(j * length).cast(), mask, *sum) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn combine(maps: &[u64], width: usize, input: &[u8], output: &mut [u8], length: usize) {
    assert!(maps.len().is_multiple_of(width));
    assert!(maps.len() / width * length <= input.len() && width * length <= output.len());
    for start in (0..length).step_by(64) {
        let mask = mask(length - start);
        let mut first = 0;
        while first < width {
            let count = (width - first).min(6);
            // SAFETY: both assertions above; columns and rows end with the slices.
            unsafe {
                let input = input.as_ptr().add(start);
                let output = output.as_mut_ptr().add(first * length + start);
                match count {
                    1 => column::<1>(maps, width, first, input, output, length, mask),
                    2 => column::<2>(maps, width, first, input, output, length, mask),
                    3 => column::<3>(maps, width, first, input, output, length, mask),
                    4 => column::<4>(maps, width, first, input, output, length, mask),
                    5 => column::<5>(maps, width, first, input, output, length, mask),
                    _ => column::<6>(maps, width, first, input, output, length, mask),
                }
            }
            first += count;
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zip(first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
    let length = low.len();
    assert!(first.len() >= length && second.len() >= length && high.len() >= length);
    let lower: __m512i = _mm512_set1_epi8(0x0f);
    for start in (0..length).step_by(64) {
        let mask = mask(length - start);
        // SAFETY: the mask ends with `length`, which all slices have.
        unsafe {
            let first = _mm512_maskz_loadu_epi8(mask, first.as_ptr().add(start).cast());
            let second = _mm512_maskz_loadu_epi8(mask, second.as_ptr().add(start).cast());
            // The third selects from the first where it is 1, else from the second.
            let both = _mm512_ternarylogic_epi64::<0xe4>(first, _mm512_slli_epi16::<4>(second), lower);
            _mm512_mask_storeu_epi8(low.as_mut_ptr().add(start).cast(), mask, both);
            let both = _mm512_ternarylogic_epi64::<0xe4>(_mm512_srli_epi16::<4>(first), second, lower);
            _mm512_mask_storeu_epi8(high.as_mut_ptr().add(start).cast(), mask, both);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zip_all(vectors: &[u8], each: usize, output: &mut [u8], stride: usize, half: usize, pairs: usize) {
    assert!(pairs > 0 && (2 * pairs - 1) * each + half <= vectors.len());
    assert!((pairs - 1) * stride + 2 * half <= output.len());
    let lower: __m512i = _mm512_set1_epi8(0x0f);
    for start in (0..half).step_by(64) {
        let mask = mask(half - start);
        for pair in 0..pairs {
            // SAFETY: the last pair's bytes end with the slices, as the assertions say.
            unsafe {
                let from = vectors.as_ptr().add(2 * pair * each + start);
                let to = output.as_mut_ptr().add(pair * stride + start);
                let first = _mm512_maskz_loadu_epi8(mask, from.cast());
                let second = _mm512_maskz_loadu_epi8(mask, from.add(each).cast());
                let both = _mm512_ternarylogic_epi64::<0xe4>(first, _mm512_slli_epi16::<4>(second), lower);
                _mm512_mask_storeu_epi8(to.cast(), mask, both);
                let both = _mm512_ternarylogic_epi64::<0xe4>(_mm512_srli_epi16::<4>(first), second, lower);
                _mm512_mask_storeu_epi8(to.add(half).cast(), mask, both);
            }
        }
    }
}

impl Engine for Avx512 {
    type Unit = u32;
    type Map = u64;

    #[inline(always)]
    fn unit(self, scalar: u8) -> u32 {
        select(scalar, &UNITS)
    }

    #[inline(always)]
    fn map(self, ll: u32, hl: u32, lh: u32, hh: u32) -> u64 {
        u64::from(ll | hl << 4) << 32 | u64::from(lh | hh << 4)
    }

    #[inline(always)]
    fn combine(self, maps: &[u64], width: usize, input: &[u8], output: &mut [u8], length: usize) {
        // SAFETY: this value exists only in `enabled`, which has the features.
        unsafe { combine(maps, width, input, output, length) }
    }

    #[inline(always)]
    fn zip(self, first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
        // SAFETY: this value exists only in `enabled`, which has the features.
        unsafe { zip(first, second, low, high) }
    }

    #[inline(always)]
    fn zip_all(
        self,
        vectors: &[u8],
        each: usize,
        output: &mut [u8],
        stride: usize,
        half: usize,
        pairs: usize,
    ) {
        // SAFETY: this value exists only in `enabled`, which has the features.
        unsafe { zip_all(vectors, each, output, stride, half, pairs) }
    }
}
