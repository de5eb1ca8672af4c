//! Four masks in a register of AVX-512.
#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_bslli_epi128,
    _mm512_bsrli_epi128, _mm512_clmulepi64_epi128, _mm512_set_epi64, _mm512_set1_epi64, _mm512_shuffle_epi32,
    _mm512_sllv_epi64, _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_sub_epi64, _mm512_xor_si512,
};

use super::Masks;
use crate::Block;

/// 32 masks in eight registers. A value is the proof of AVX-512 F and BW and of VPCLMULQDQ.
#[derive(Clone, Copy)]
pub struct Zmm(pub [__m512i; 8]);

impl Masks for Zmm {
    const COUNT: usize = 32;

    #[inline(always)]
    unsafe fn first(mask: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block.
        unsafe {
            let first = _mm512_broadcast_i32x4(_mm_loadu_si128(mask.as_ptr().cast()));
            let low = times_x_to(first, _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0));
            let high = times_x_to(first, _mm512_set_epi64(7, 7, 6, 6, 5, 5, 4, 4));
            Self([
                low,
                high,
                times_bytes::<1, 15>(low),
                times_bytes::<1, 15>(high),
                times_bytes::<2, 14>(low),
                times_bytes::<2, 14>(high),
                times_bytes::<3, 13>(low),
                times_bytes::<3, 13>(high),
            ])
        }
    }

    #[inline(always)]
    fn next(mut self) -> Self {
        for mask in &mut self.0 {
            // SAFETY: `self` is the proof.
            *mask = unsafe { times_bytes::<4, 12>(*mask) };
        }
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        for (at, register) in self.0.into_iter().enumerate() {
            // SAFETY: as for this function.
            unsafe { _mm512_storeu_si512(to.add(4 * at).cast(), register) };
        }
    }
}

/// Reduces what was shifted out at the upper end of each lane, given at its lower end: times x^7 + x^2 + x + 1,
/// without a carry.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn fold(carry: __m512i) -> __m512i {
    // SAFETY: as for this function.
    unsafe { _mm512_clmulepi64_epi128::<0>(carry, _mm512_set1_epi64(0x87)) }
}

/// Each lane times x to the power that both its halves of `by` say, at most 57.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn times_x_to(lanes: __m512i, by: __m512i) -> __m512i {
    // SAFETY: as for this function.
    unsafe {
        let out = _mm512_srlv_epi64(lanes, _mm512_sub_epi64(_mm512_set1_epi64(64), by));
        let crossed = _mm512_shuffle_epi32::<0x4e>(out);
        let into_upper = _mm512_and_si512(crossed, _mm512_set_epi64(-1, 0, -1, 0, -1, 0, -1, 0));
        _mm512_xor_si512(_mm512_sllv_epi64(lanes, by), _mm512_xor_si512(into_upper, fold(crossed)))
    }
}

/// Each lane times x^(8·`BYTES`), for at most seven bytes; `LEFT` is `16 - BYTES`.
///
/// # Safety
/// The processor has these instructions.
#[inline(always)]
unsafe fn times_bytes<const BYTES: i32, const LEFT: i32>(lanes: __m512i) -> __m512i {
    // SAFETY: as for this function.
    unsafe { _mm512_xor_si512(_mm512_bslli_epi128::<BYTES>(lanes), fold(_mm512_bsrli_epi128::<LEFT>(lanes))) }
}
