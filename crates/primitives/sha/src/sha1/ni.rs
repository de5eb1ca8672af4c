//! SHA-1 with the SHA extensions of x86, for one to four messages interleaved.
//!
//! One message leaves the unit idle most of the time: each group of four rounds waits for the one before it.
//! Interleaving independent messages fills those gaps.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads
#![allow(clippy::needless_range_loop)] // a lane's number indexes several arrays at once

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_extract_epi32, _mm_loadu_si128, _mm_or_si128, _mm_set_epi32, _mm_set_epi64x,
    _mm_setzero_si128, _mm_sha1msg1_epu32, _mm_sha1msg2_epu32, _mm_sha1nexte_epu32, _mm_sha1rnds4_epu32,
    _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_storeu_si128, _mm_xor_si128,
};

use crate::block::{Block, State};

/// Absorbs as many blocks as the shortest of the `L` messages has, each into its own state; returns how many.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn compress<const L: usize>(states: &mut [State; L], blocks: &[&[Block]; L]) -> usize {
    let count = blocks.iter().map(|message| message.len()).min().unwrap_or(0);
    let mut abcd: [__m128i; L] = core::array::from_fn(|lane| load_abcd(&states[lane]));
    let mut e: [__m128i; L] = core::array::from_fn(|lane| load_e(&states[lane]));
    for index in 0..count {
        // `index` is below the length of every message.
        let w = core::array::from_fn(|lane| load_words(&blocks[lane][index]));
        (abcd, e) = rounds(abcd, e, w);
    }
    for lane in 0..L {
        store(&mut states[lane], abcd[lane], e[lane]);
    }
    count
}

/// The outer state of HMAC after the digest of the inner hash, whose message is `body` and then `tail`. Between the
/// two hashes the digest stays in registers.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn hmac(inner: &State, outer: &State, body: &[Block], tail: &[Block]) -> State {
    let (mut abcd, mut e) = ([load_abcd(inner)], [load_e(inner)]);
    for blocks in [body, tail] {
        for block in blocks {
            (abcd, e) = rounds(abcd, e, [load_words(block)]);
        }
    }
    // The padding: a one after five words, and the bits of the padded key and the digest.
    let one = _mm_set_epi32(0, i32::MIN, 0, 0);
    let w = [abcd[0], _mm_or_si128(e[0], one), _mm_setzero_si128(), _mm_set_epi32(0, 0, 0, (64 + 20) * 8)];
    (abcd, e) = rounds([load_abcd(outer)], [load_e(outer)], [w]);
    let mut state = [0; 8];
    store(&mut state, abcd[0], e[0]);
    state
}

/// The eighty rounds of one block per lane, with the addition of the state before them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn rounds<const L: usize>(
    abcd_in: [__m128i; L],
    e_in: [__m128i; L],
    mut w: [[__m128i; 4]; L],
) -> ([__m128i; L], [__m128i; L]) {
    let mut abcd = abcd_in;
    // The state one group of rounds earlier: its `a`, rotated, is the `e` of the next group.
    let mut earlier = abcd_in;
    macro_rules! four_rounds {
        ($function:literal: $($group:literal)*) => { $(
            for lane in 0..L {
                let w = &mut w[lane];
                if $group >= 4 {
                    let sum = _mm_xor_si128(_mm_sha1msg1_epu32(w[$group % 4], w[($group + 1) % 4]), w[($group + 2) % 4]);
                    w[$group % 4] = _mm_sha1msg2_epu32(sum, w[($group + 3) % 4]);
                }
                let e = if $group == 0 {
                    _mm_add_epi32(e_in[lane], w[0])
                } else {
                    _mm_sha1nexte_epu32(earlier[lane], w[$group % 4])
                };
                earlier[lane] = abcd[lane];
                abcd[lane] = _mm_sha1rnds4_epu32::<$function>(abcd[lane], e);
            }
        )* };
    }
    four_rounds!(0: 0 1 2 3 4);
    four_rounds!(1: 5 6 7 8 9);
    four_rounds!(2: 10 11 12 13 14);
    four_rounds!(3: 15 16 17 18 19);
    for lane in 0..L {
        earlier[lane] = _mm_sha1nexte_epu32(earlier[lane], e_in[lane]);
        abcd[lane] = _mm_add_epi32(abcd[lane], abcd_in[lane]);
    }
    (abcd, earlier)
}

/// The words `a` to `d`, `a` highest, as the instructions want them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load_abcd(state: &State) -> __m128i {
    // SAFETY: a state has 32 bytes, 16 of which are read; the load needs no alignment.
    _mm_shuffle_epi32::<0x1b>(unsafe { _mm_loadu_si128(state.as_ptr().cast()) })
}

/// The word `e`, highest, as the instructions want it.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load_e(state: &State) -> __m128i {
    _mm_set_epi32(state[4].cast_signed(), 0, 0, 0)
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn store(state: &mut State, abcd: __m128i, e: __m128i) {
    // SAFETY: a state has 32 bytes, 16 of which are written; the store needs no alignment.
    unsafe { _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_shuffle_epi32::<0x1b>(abcd)) };
    state[4] = _mm_extract_epi32::<3>(e).cast_unsigned();
}

/// The sixteen words of a block, four to a register, the first of each four highest.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load_words(block: &Block) -> [__m128i; 4] {
    let reverse = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    core::array::from_fn(|quarter| {
        // SAFETY: `quarter` is at most 3, so that the 16 bytes lie inside the block's 64; no alignment is needed.
        _mm_shuffle_epi8(unsafe { _mm_loadu_si128(block.as_ptr().add(16 * quarter).cast()) }, reverse)
    })
}
