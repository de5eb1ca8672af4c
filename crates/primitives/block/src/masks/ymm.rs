//! Two masks in a register of AVX2.
#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_blend_epi32, _mm256_broadcastsi128_si256,
    _mm256_set_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_slli_si256,
    _mm256_sllv_epi64, _mm256_srli_epi32, _mm256_srli_si256, _mm256_srlv_epi64, _mm256_storeu_si256,
    _mm256_sub_epi64, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::Masks;
use crate::Block;

/// Sixteen masks in eight registers. A value is the proof of AVX2.
#[derive(Clone, Copy)]
pub struct Ymm(pub [__m256i; 8]);

impl Masks for Ymm {
    const COUNT: usize = 16;

    #[inline(always)]
    unsafe fn first(mask: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block.
        unsafe {
            let mask = _mm256_broadcastsi128_si256(_mm_loadu_si128(mask.as_ptr().cast()));
            let low = eight_masks(mask);
            joined(low, times_bytes::<1>(low))
        }
    }

    #[inline(always)]
    fn next(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        // SAFETY: `self` is the proof.
        unsafe { joined(times_bytes::<2>([a, b, c, d]), times_bytes::<2>([e, f, g, h])) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        for (at, register) in self.0.into_iter().enumerate() {
            // SAFETY: as for this function.
            unsafe { _mm256_storeu_si256(to.add(2 * at).cast(), register) };
        }
    }
}

/// Reduces what was shifted out at the upper ends of four registers' lanes: times x^7 + x^2 + x + 1, without a carry.
/// The 32-bit words of each lane of `carries` belong to the four registers; they have at most 16 bits. Each result
/// stands at the lower end of the lanes.
///
/// Shifts and sums instead of carryless multiplications, because AMD's cores do the latter in the units that AES
/// needs.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn reduced(carries: __m256i) -> [__m256i; 4] {
    // SAFETY: as for this function.
    unsafe {
        let products = _mm256_xor_si256(
            _mm256_xor_si256(carries, _mm256_add_epi64(carries, carries)),
            _mm256_xor_si256(_mm256_slli_epi64::<2>(carries), _mm256_slli_epi64::<7>(carries)),
        );
        let word = |at: i64| {
            // The bytes of that word, then zeros.
            let low = 0x8080_8080_0302_0100_u64.cast_signed() + 0x0404_0404 * at;
            _mm256_shuffle_epi8(products, _mm256_set_epi64x(-1, low, -1, low))
        };
        let first = _mm256_blend_epi32::<0x11>(_mm256_setzero_si256(), products);
        [first, word(1), word(2), _mm256_srli_si256::<12>(products)]
    }
}

/// Eight masks in four registers: `first`, in both lanes, times x^0 to x^7.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn eight_masks(first: __m256i) -> [__m256i; 4] {
    // SAFETY: as for this function.
    unsafe {
        let powers = [
            _mm256_set_epi64x(1, 1, 0, 0),
            _mm256_set_epi64x(3, 3, 2, 2),
            _mm256_set_epi64x(5, 5, 4, 4),
            _mm256_set_epi64x(7, 7, 6, 6),
        ];
        let mut out = [first; 4];
        for (out, power) in out.iter_mut().zip(powers) {
            *out = _mm256_srlv_epi64(first, _mm256_sub_epi64(_mm256_set_epi64x(64, 64, 64, 64), power));
        }
        let [a, b, c, d] = out;
        let (ab, cd) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        let mut masks = reduced(_mm256_unpacklo_epi64(ab, cd));
        for ((mask, out), power) in masks.iter_mut().zip(out).zip(powers) {
            let shifted = _mm256_xor_si256(_mm256_sllv_epi64(first, power), _mm256_slli_si256::<8>(out));
            *mask = _mm256_xor_si256(shifted, *mask);
        }
        masks
    }
}

/// Each lane of four registers times x^(8·`BYTES`), for one or two bytes.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn times_bytes<const BYTES: i32>(lanes: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b, c, d] = lanes;
    // SAFETY: as for this function.
    unsafe {
        let (ab, cd) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        let uppermost = _mm256_unpackhi_epi64(ab, cd);
        let mut products = reduced(if BYTES == 1 {
            _mm256_srli_epi32::<24>(uppermost)
        } else {
            _mm256_srli_epi32::<16>(uppermost)
        });
        for (product, lane) in products.iter_mut().zip(lanes) {
            *product = _mm256_xor_si256(_mm256_slli_si256::<BYTES>(lane), *product);
        }
        products
    }
}

#[inline(always)]
fn joined([a, b, c, d]: [__m256i; 4], [e, f, g, h]: [__m256i; 4]) -> Ymm {
    Ymm([a, b, c, d, e, f, g, h])
}
