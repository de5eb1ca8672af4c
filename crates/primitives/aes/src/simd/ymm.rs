//! Two blocks in a 256-bit register: VAES with AVX2.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_set_epi8, _mm256_add_epi64, _mm256_aesdec_epi128, _mm256_aesdeclast_epi128,
    _mm256_aesenc_epi128, _mm256_aesenclast_epi128, _mm256_blend_epi32, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm256_set_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi64,
    _mm256_slli_si256, _mm256_sllv_epi64, _mm256_srli_epi32, _mm256_srli_si256, _mm256_srlv_epi64,
    _mm256_storeu_si256, _mm256_sub_epi64, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::vector::Vector;
use crate::Block;

/// A register of two blocks.
#[derive(Clone, Copy)]
pub(crate) struct Ymm(__m256i);

/// Reduces what was shifted out at the upper ends of four registers' lanes: times x^7 + x^2 + x + 1, without a carry.
/// The 32-bit words of each lane of `carries` belong to the four registers; they have at most 16 bits. Each result
/// stands at the lower end of the lanes.
///
/// Shifts and sums instead of carryless multiplications, because AMD's cores do the latter in the units that AES
/// needs.
///
/// # Safety
/// The processor has the vector\'s instructions.
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
/// The processor has the vector\'s instructions.
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
/// The processor has the vector\'s instructions.
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
fn joined([a, b, c, d]: [__m256i; 4], [e, f, g, h]: [__m256i; 4]) -> [Ymm; 8] {
    [Ymm(a), Ymm(b), Ymm(c), Ymm(d), Ymm(e), Ymm(f), Ymm(g), Ymm(h)]
}

/// See [`Vector::pinned`].
#[inline]
#[target_feature(enable = "avx2")]
fn pinned(mut register: __m256i) -> __m256i {
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(ymm_reg) register, options(nomem, nostack, preserves_flags));
    }
    register
}

// SAFETY of all intrinsics below: a value of this type exists only where the constructors' callers had proven that
// the processor has VAES and AVX2.
impl Vector for Ymm {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn broadcast(block: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block, and no alignment is needed.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        // SAFETY: as for this function; no alignment is needed.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        // SAFETY: as for this function; no alignment is needed.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn masks(first: &Block) -> [Self; 8] {
        // SAFETY: as for this function.
        unsafe {
            let low = eight_masks(Self::broadcast(first).0);
            joined(low, times_bytes::<1>(low))
        }
    }

    #[inline(always)]
    fn times_x_8_registers(masks: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = masks;
        // SAFETY: see above.
        unsafe { joined(times_bytes::<2>([a.0, b.0, c.0, d.0]), times_bytes::<2>([e.0, f.0, g.0, h.0])) }
    }

    #[inline(always)]
    unsafe fn numbers(first: u128) -> [Self; 8] {
        // SAFETY: as for this function.
        unsafe {
            let (upper, lower) = ((first >> 64) as i64, first as i64);
            let start = _mm256_set_epi64x(upper, lower, upper, lower);
            let mut numbers = [Self(start); 8];
            for (at, to) in (0..).step_by(2).zip(&mut numbers) {
                to.0 = _mm256_add_epi64(start, _mm256_set_epi64x(0, at + 1, 0, at));
            }
            numbers
        }
    }

    #[inline(always)]
    fn plus_8_registers(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_add_epi64(self.0, _mm256_set_epi64x(0, 16, 0, 16)) })
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order))
        })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesenc_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesenclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesdec_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn last_inverse_round(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_aesdeclast_epi128(self.0, key.0) })
    }

    #[inline(always)]
    fn pinned(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { pinned(self.0) })
    }
}
