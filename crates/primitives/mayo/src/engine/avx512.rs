//! AVX-512 and GFNI: a map is an instruction's operand, on 64 bytes.
#![allow(unsafe_code)] // SIMD intrinsics, loads and stores through pointers

use core::arch::x86_64::{
    __m512i, __mmask64, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_set1_epi8, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use super::portable::select;
use super::{Engine, Task};
use crate::field::multiply;
use crate::path::{Kind, Path};

/// The engine of [`Kind::Avx512`]. It is made in [`run`] only.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

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

/// Reads the mask's bytes, or 64 if `WHOLE`.
///
/// # Safety
/// They can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn load<const WHOLE: bool>(from: *const u8, mask: __mmask64) -> __m512i {
    // SAFETY: as for this function.
    unsafe {
        if WHOLE { _mm512_loadu_si512(from.cast()) } else { _mm512_maskz_loadu_epi8(mask, from.cast()) }
    }
}

/// Writes the mask's bytes, or 64 if `WHOLE`: what a masked store wrote, and what follows, is read late.
///
/// # Safety
/// They can be written.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn store<const WHOLE: bool>(to: *mut u8, mask: __mmask64, bytes: __m512i) {
    // SAFETY: as for this function.
    unsafe {
        if WHOLE {
            _mm512_storeu_si512(to.cast(), bytes);
        } else {
            _mm512_mask_storeu_epi8(to.cast(), mask, bytes);
        }
    }
}

/// Pointers to the first map, the input and the output at one column of up to 64 bytes.
#[derive(Clone, Copy)]
struct Pointers {
    maps: *const u64,
    input: *const u8,
    output: *mut u8,
}

/// How many rows there are and how many bytes apart, and of the last column the mask.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    width: usize,
    length: usize,
    mask: __mmask64,
}

/// `COUNT` output rows at one column.
///
/// # Safety
/// From each pointer on, the slice that it comes from has as much as this takes: the last row's `COUNT` maps and the
/// mask's bytes, or 64 if `WHOLE`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
unsafe fn column<const COUNT: usize, const WHOLE: bool>(mut at: Pointers, shape: Shape) {
    let Shape { rows, width, length, mask } = shape;
    let mut sums = [_mm512_setzero_si512(); COUNT];
    for (j, sum) in sums.iter_mut().enumerate() {
        // SAFETY: as for this function.
        *sum = unsafe { load::<WHOLE>(at.output.add(j * length), mask) };
    }
    for _ in 0..rows {
        // SAFETY: as for this function.
        let row = unsafe { load::<WHOLE>(at.input, mask) };
        for (j, sum) in sums.iter_mut().enumerate() {
            // SAFETY: as for this function.
            let map = _mm512_set1_epi64(unsafe { at.maps.add(j).read() } as i64);
            *sum = _mm512_xor_si512(*sum, _mm512_gf2p8affine_epi64_epi8::<0>(row, map));
        }
        at.maps = at.maps.wrapping_add(width);
        at.input = at.input.wrapping_add(length);
    }
    for (j, sum) in sums.iter().enumerate() {
        // SAFETY: as for this function.
        unsafe { store::<WHOLE>(at.output.add(j * length), mask, *sum) };
    }
}

/// All output rows at one column, from one input row.
///
/// # Safety
/// As for [`column`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
unsafe fn column_of_one<const WHOLE: bool>(mut at: Pointers, shape: Shape) {
    // SAFETY: as for this function.
    let row = unsafe { load::<WHOLE>(at.input, shape.mask) };
    for j in 0..shape.width {
        // SAFETY: as for this function.
        unsafe {
            let map = _mm512_set1_epi64(at.maps.add(j).read() as i64);
            let product = _mm512_gf2p8affine_epi64_epi8::<0>(row, map);
            let sum = _mm512_xor_si512(load::<WHOLE>(at.output, shape.mask), product);
            store::<WHOLE>(at.output, shape.mask, sum);
        }
        at.output = at.output.wrapping_add(shape.length);
    }
}

/// All output rows at one column.
///
/// # Safety
/// As for [`column`], with all maps of a row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
unsafe fn columns<const WHOLE: bool>(at: Pointers, shape: Shape) {
    // SAFETY: as for this function.
    unsafe {
        if shape.rows == 1 {
            return column_of_one::<WHOLE>(at, shape);
        }
        let mut first = 0;
        while first < shape.width {
            let (maps, output) = (at.maps.add(first), at.output.add(first * shape.length));
            let at = Pointers { maps, input: at.input, output };
            let count = (shape.width - first).min(8);
            match count {
                1 => column::<1, WHOLE>(at, shape),
                2 => column::<2, WHOLE>(at, shape),
                3 => column::<3, WHOLE>(at, shape),
                4 => column::<4, WHOLE>(at, shape),
                5 => column::<5, WHOLE>(at, shape),
                6 => column::<6, WHOLE>(at, shape),
                7 => column::<7, WHOLE>(at, shape),
                _ => column::<8, WHOLE>(at, shape),
            }
            first += count;
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn combine(maps: &[u64], width: usize, input: &[u8], output: &mut [u8], length: usize) {
    let rows = maps.len() / width;
    assert!(rows * width == maps.len());
    assert!(rows * length <= input.len() && width * length <= output.len());
    for start in (0..length).step_by(64) {
        let shape = Shape { rows, width, length, mask: mask(length - start) };
        // SAFETY: both assertions above; columns, rows and maps end with the slices.
        unsafe {
            let (input, output) = (input.as_ptr().add(start), output.as_mut_ptr().add(start));
            let at = Pointers { maps: maps.as_ptr(), input, output };
            if length - start >= 64 {
                columns::<true>(at, shape);
            } else {
                columns::<false>(at, shape);
            }
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
