//! AVX2: a map is two tables of 16 bytes, the images of the lower and of the upper nibble.
#![allow(unsafe_code)] // SIMD intrinsics, loads and stores through pointers

use core::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_loadu_si128, _mm_set1_epi8, _mm_shuffle_epi8, _mm_srli_epi16,
    _mm_storeu_si128, _mm_xor_si128, _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi16, _mm256_srli_epi16, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::{Engine, Task, portable};
use crate::field::multiply;
use crate::path::{Kind, Path};

/// The engine of [`Kind::Avx2`]. It is made in [`run`] only.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

pub(super) fn run<T: Task>(path: Path, task: T) -> T::Output {
    assert_eq!(path.kind(), Kind::Avx2);
    // SAFETY: the path is the proof of this feature.
    unsafe { enabled(task) }
}

#[target_feature(enable = "avx2")]
fn enabled<T: Task>(task: T) -> T::Output {
    task.run(Avx2(()))
}

/// The images of the lower nibble, and of the upper.
type Map = [u128; 2];

/// Byte i is i times the scalar.
const fn multiples(scalar: u8) -> u128 {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        table[i as usize] = multiply(i, scalar);
        i += 1;
    }
    u128::from_le_bytes(table)
}

const UNITS: [u128; 4] = [multiples(1), multiples(2), multiples(4), multiples(8)];

/// `COUNT` output rows, `length` bytes apart, at one column of 32 bytes.
///
/// # Safety
/// From `input` on there are as many rows as `maps` has, less one, times `length` and 32 bytes; from `output` on the same
/// for `COUNT` rows.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn column<const COUNT: usize>(
    maps: &[Map],
    width: usize,
    first: usize,
    input: *const u8,
    output: *mut u8,
    length: usize,
) {
    let lower = _mm256_set1_epi8(0x0f);
    let mut sums = [_mm256_setzero_si256(); COUNT];
    for (j, sum) in sums.iter_mut().enumerate() {
        // SAFETY: as for this function.
        *sum = unsafe { _mm256_loadu_si256(output.add(j * length).cast()) };
    }
    for (i, maps) in maps.chunks_exact(width).enumerate() {
        let maps = &maps[first..][..COUNT];
        // SAFETY: as for this function.
        let row: __m256i = unsafe { _mm256_loadu_si256(input.add(i * length).cast()) };
        let low = _mm256_and_si256(row, lower);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(row), lower);
        for (sum, map) in sums.iter_mut().zip(maps) {
            // SAFETY: a map is 32 bytes.
            let [of_low, of_high] = unsafe {
                let tables: *const __m128i = map.as_ptr().cast();
                [
                    _mm256_broadcastsi128_si256(_mm_loadu_si128(tables)),
                    _mm256_broadcastsi128_si256(_mm_loadu_si128(tables.add(1))),
                ]
            };
            let product =
                _mm256_xor_si256(_mm256_shuffle_epi8(of_low, low), _mm256_shuffle_epi8(of_high, high));
            *sum = _mm256_xor_si256(*sum, product);
        }
    }
    for (j, sum) in sums.iter().enumerate() {
        // SAFETY: as for this function.
        unsafe { _mm256_storeu_si256(output.add(j * length).cast(), *sum) };
    }
}

/// One output row at one column of 16 bytes.
///
/// # Safety
/// As for [`column`], with 16 bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn last(maps: &[Map], width: usize, j: usize, input: *const u8, output: *mut u8, length: usize) {
    let lower = _mm_set1_epi8(0x0f);
    // SAFETY: as for this function.
    let mut sum = unsafe { _mm_loadu_si128(output.cast()) };
    for (i, maps) in maps.chunks_exact(width).enumerate() {
        // SAFETY: as for this function; a map is 32 bytes.
        let (row, of_low, of_high) = unsafe {
            let tables: *const __m128i = maps[j].as_ptr().cast();
            (
                _mm_loadu_si128(input.add(i * length).cast()),
                _mm_loadu_si128(tables),
                _mm_loadu_si128(tables.add(1)),
            )
        };
        let low = _mm_and_si128(row, lower);
        let high = _mm_and_si128(_mm_srli_epi16::<4>(row), lower);
        let product = _mm_xor_si128(_mm_shuffle_epi8(of_low, low), _mm_shuffle_epi8(of_high, high));
        sum = _mm_xor_si128(sum, product);
    }
    // SAFETY: as for this function.
    unsafe { _mm_storeu_si128(output.cast(), sum) };
}

#[inline]
#[target_feature(enable = "avx2")]
fn combine(maps: &[Map], width: usize, input: &[u8], output: &mut [u8], length: usize) {
    assert!(maps.len().is_multiple_of(width) && length.is_multiple_of(16));
    assert!(maps.len() / width * length <= input.len() && width * length <= output.len());
    let (input, output) = (input.as_ptr(), output.as_mut_ptr());
    for start in (0..length / 32 * 32).step_by(32) {
        let mut first = 0;
        while first < width {
            let count = (width - first).min(6);
            // SAFETY: both assertions above; columns and rows end with the slices.
            unsafe {
                let input = input.add(start);
                let output = output.add(first * length + start);
                match count {
                    1 => column::<1>(maps, width, first, input, output, length),
                    2 => column::<2>(maps, width, first, input, output, length),
                    3 => column::<3>(maps, width, first, input, output, length),
                    4 => column::<4>(maps, width, first, input, output, length),
                    5 => column::<5>(maps, width, first, input, output, length),
                    _ => column::<6>(maps, width, first, input, output, length),
                }
            }
            first += count;
        }
    }
    if !length.is_multiple_of(32) {
        for j in 0..width {
            // SAFETY: both assertions above, and 16 bytes of each row are left.
            unsafe {
                let start = length - 16;
                last(maps, width, j, input.add(start), output.add(j * length + start), length);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn zip(first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
    let length = low.len();
    assert!(first.len() >= length && second.len() >= length && high.len() >= length);
    let lower = _mm256_set1_epi8(0x0f);
    let whole = length / 32 * 32;
    for start in (0..whole).step_by(32) {
        // SAFETY: 32 bytes are left in all slices.
        unsafe {
            let first = _mm256_loadu_si256(first.as_ptr().add(start).cast());
            let second = _mm256_loadu_si256(second.as_ptr().add(start).cast());
            let both = _mm256_or_si256(
                _mm256_and_si256(first, lower),
                _mm256_slli_epi16::<4>(_mm256_and_si256(second, lower)),
            );
            _mm256_storeu_si256(low.as_mut_ptr().add(start).cast(), both);
            let both = _mm256_or_si256(
                _mm256_and_si256(_mm256_srli_epi16::<4>(first), lower),
                _mm256_andnot_si256(lower, second),
            );
            _mm256_storeu_si256(high.as_mut_ptr().add(start).cast(), both);
        }
    }
    portable::zip(&first[whole..length], &second[whole..length], &mut low[whole..], &mut high[whole..length]);
}

impl Engine for Avx2 {
    type Unit = u128;
    type Map = Map;

    #[inline(always)]
    fn unit(self, scalar: u8) -> u128 {
        let scalar = u128::from(scalar);
        (scalar & 1).wrapping_neg() & UNITS[0]
            ^ (scalar >> 1 & 1).wrapping_neg() & UNITS[1]
            ^ (scalar >> 2 & 1).wrapping_neg() & UNITS[2]
            ^ (scalar >> 3 & 1).wrapping_neg() & UNITS[3]
    }

    #[inline(always)]
    fn map(self, ll: u128, hl: u128, lh: u128, hh: u128) -> Map {
        [ll | lh << 4, hl | hh << 4]
    }

    #[inline(always)]
    fn combine(self, maps: &[Map], width: usize, input: &[u8], output: &mut [u8], length: usize) {
        // SAFETY: this value exists only in `enabled`, which has the feature.
        unsafe { combine(maps, width, input, output, length) }
    }

    #[inline(always)]
    fn zip(self, first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
        // SAFETY: this value exists only in `enabled`, which has the feature.
        unsafe { zip(first, second, low, high) }
    }
}
