//! The rounds with the last rounds of AES, which are SB1 or SB3 with a permutation of the bytes and the addition of
//! a key.
//!
//! The permutations are ShiftRows and its inverse. Bytes of a vector belong to different blocks, so it does not
//! matter where they are, as long as all sixteen vectors agree. They do if those that went through SB3 take
//! ShiftRows twice, which is the same as its inverse twice. What remains is ShiftRows once in each round, and four
//! times is none.

#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m128i, __m256i, _mm_aesdeclast_si128, _mm_aesenclast_si128, _mm256_aesdeclast_epi128,
    _mm256_aesenclast_epi128, _mm256_and_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_set_m128i, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_srli_epi64,
};

use super::{Rounds, Vector, ymm};
use crate::Block;
use crate::diffusion::{Sum, diffuse};
use crate::prepared::Prepared;
use crate::sbox::{FROM_1_TO_2, FROM_2_TO_1};

/// 32 bytes; `WIDE` is true where there are AES instructions for all of them (VAES).
#[derive(Clone, Copy)]
pub(crate) struct Bytes<const WIDE: bool>(ymm::Bytes<false>);

/// The half of the vectors, in a round, to which ShiftRows is applied twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shifted {
    /// Those of SB1 and SB2.
    OneAndTwo,
    /// Those of SB3 and SB4.
    ThreeAndFour,
}

impl<const WIDE: bool> Rounds for Bytes<WIDE> {
    const ADD_LAST_KEY: bool = true;

    #[inline(always)]
    unsafe fn rounds(state: [Self; 16], keys: &Prepared) -> [Self; 16] {
        let [first, pairs @ .., last] = &keys.middle[..keys.rounds] else { return state };
        let mut state = round(state, 0, first);
        for pair in pairs.as_chunks::<2>().0 {
            state = round(round(state, 2, &pair[0]), 0, &pair[1]);
        }
        // In the end everything has to be where it was. The vectors of SB1 have had ShiftRows once for each round,
        // those of SB3 two times less.
        if keys.rounds.is_multiple_of(4) {
            substitute(state, 2, last, Shifted::ThreeAndFour)
        } else {
            substitute(state, 2, last, Shifted::OneAndTwo)
        }
    }
}

#[inline(always)]
fn round<const WIDE: bool>(state: [Bytes<WIDE>; 16], first: usize, key: &[u32; 16]) -> [Bytes<WIDE>; 16] {
    diffuse(substitute(state, first, key, Shifted::ThreeAndFour))
}

/// The substitution layer that begins with the S-box `first`, and the addition of a key.
#[inline(always)]
fn substitute<const WIDE: bool>(
    mut state: [Bytes<WIDE>; 16],
    first: usize,
    key: &[u32; 16],
    shifted: Shifted,
) -> [Bytes<WIDE>; 16] {
    for word in 0..4 {
        let place = |s_box: usize| 4 * word + (s_box + first) % 4;
        let key = |s_box: usize| state[0].repeat_word(key[place(s_box)]);
        let mut one = state[place(0)].aes_last(key(0));
        let mut two = state[place(1)].aes_last(key(1)).map(const { &FROM_1_TO_2.nibble_tables() });
        let mut three = state[place(2)].aes_inverse_last(key(2));
        let mut four = state[place(3)].map(const { &FROM_2_TO_1.nibble_tables() }).aes_inverse_last(key(3));
        match shifted {
            Shifted::OneAndTwo => (one, two) = (one.shift_rows_twice(), two.shift_rows_twice()),
            Shifted::ThreeAndFour => (three, four) = (three.shift_rows_twice(), four.shift_rows_twice()),
        }
        (state[place(0)], state[place(1)], state[place(2)], state[place(3)]) = (one, two, three, four);
    }
    state
}

impl<const WIDE: bool> Bytes<WIDE> {
    /// SB1 of each byte, ShiftRows, and the addition of a key.
    #[inline(always)]
    fn aes_last(self, key: Self) -> Self {
        let (Self(ymm::Bytes(x)), Self(ymm::Bytes(key))) = (self, key);
        // SAFETY: `self` is the proof.
        Self(ymm::Bytes(unsafe {
            if WIDE {
                _mm256_aesenclast_epi128(x, key)
            } else {
                let ([low, high], [key, _]) = (halves(x), halves(key));
                _mm256_set_m128i(_mm_aesenclast_si128(high, key), _mm_aesenclast_si128(low, key))
            }
        }))
    }

    /// SB3 of each byte, the inverse of ShiftRows, and the addition of a key.
    #[inline(always)]
    fn aes_inverse_last(self, key: Self) -> Self {
        let (Self(ymm::Bytes(x)), Self(ymm::Bytes(key))) = (self, key);
        // SAFETY: `self` is the proof.
        Self(ymm::Bytes(unsafe {
            if WIDE {
                _mm256_aesdeclast_epi128(x, key)
            } else {
                let ([low, high], [key, _]) = (halves(x), halves(key));
                _mm256_set_m128i(_mm_aesdeclast_si128(high, key), _mm_aesdeclast_si128(low, key))
            }
        }))
    }

    /// ShiftRows twice: the bytes of odd rows change their columns.
    #[inline(always)]
    fn shift_rows_twice(self) -> Self {
        const ORDER: Block = [0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12, 5, 14, 7];
        // SAFETY: `self` is the proof.
        unsafe { Self(ymm::Bytes(_mm256_shuffle_epi8(self.0.0, self.repeat_block(&ORDER).0.0))) }
    }

    /// An affine map of each byte, given by what it makes of the low and of the high halves.
    #[inline(always)]
    fn map(self, tables: &[Block; 2]) -> Self {
        let (low, high) = (self.repeat_block(&tables[0]).0.0, self.repeat_block(&tables[1]).0.0);
        // SAFETY: `self` is the proof.
        unsafe {
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_shuffle_epi8(low, _mm256_and_si256(self.0.0, nibble));
            let high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi64::<4>(self.0.0), nibble));
            Self(ymm::Bytes(low)).xor(Self(ymm::Bytes(high)))
        }
    }
}

/// Both halves of a vector.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn halves(x: __m256i) -> [__m128i; 2] {
    // SAFETY: as for this function.
    unsafe { [_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)] }
}

impl<const WIDE: bool> Sum for Bytes<WIDE> {
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        Self(self.0.xor(b.0))
    }
}

impl<const WIDE: bool> Vector for Bytes<WIDE> {
    #[inline(always)]
    unsafe fn load(blocks: *const Block) -> Self {
        // SAFETY: the caller vouches for the same.
        unsafe { Self(ymm::Bytes::load(blocks)) }
    }

    #[inline(always)]
    unsafe fn store(self, blocks: *mut Block) {
        // SAFETY: the caller vouches for the same.
        unsafe { self.0.store(blocks) };
    }

    #[inline(always)]
    fn repeat_block(self, block: &Block) -> Self {
        Self(self.0.repeat_block(block))
    }

    #[inline(always)]
    fn repeat_word(self, word: u32) -> Self {
        Self(self.0.repeat_word(word))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let [low, high] = self.0.interleave(other.0);
        [Self(low), Self(high)]
    }
}
