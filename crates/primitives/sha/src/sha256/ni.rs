//! SHA-256 with the SHA extensions of x86, for one to four messages interleaved.
//!
//! One message leaves the unit idle most of the time: each pair of rounds waits for the one before it.
//! Interleaving independent messages fills those gaps.

#![allow(unsafe_code)] // SIMD intrinsics and their unaligned loads
#![allow(clippy::needless_range_loop)] // a lane's number indexes several arrays at once

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_blend_epi16, _mm_loadu_si128, _mm_set_epi32, _mm_set_epi64x,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8, _mm_shuffle_epi32,
    _mm_storeu_si128,
};

use super::K;
use crate::block::{Block, State};

/// Absorbs as many blocks as the shortest of the `L` messages has, each into its own state; returns how many.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn compress<const L: usize>(states: &mut [State; L], blocks: &[&[Block]; L]) -> usize {
    let count = blocks.iter().map(|message| message.len()).min().unwrap_or(0);
    let mut pairs: [[__m128i; 2]; L] = core::array::from_fn(|lane| load(&states[lane]));
    for index in 0..count {
        // `index` is below the length of every message.
        pairs = rounds(pairs, core::array::from_fn(|lane| load_words(&blocks[lane][index])));
    }
    for lane in 0..L {
        store(&mut states[lane], pairs[lane]);
    }
    count
}

/// The outer state of HMAC after the digest of the inner hash, whose message is `body` and then `tail`. Between the
/// two hashes the digest stays in registers.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn hmac(inner: &State, outer: &State, body: &[Block], tail: &[Block]) -> State {
    let mut pairs = [load(inner)];
    for blocks in [body, tail] {
        for block in blocks {
            pairs = rounds(pairs, [load_words(block)]);
        }
    }
    let [low, high] = in_order(pairs[0]);
    // The padding: a one after eight words, and the bits of the padded key and the digest.
    let w = [low, high, _mm_set_epi32(0, 0, 0, i32::MIN), _mm_set_epi32((64 + 32) * 8, 0, 0, 0)];
    let [pair] = rounds([load(outer)], [w]);
    let mut state = [0; 8];
    store(&mut state, pair);
    state
}

/// The sixty-four rounds of one block per lane, with the addition of the state before them. A state is the words
/// `abef` and `cdgh`, first named highest.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn rounds<const L: usize>(before: [[__m128i; 2]; L], mut w: [[__m128i; 4]; L]) -> [[__m128i; 2]; L] {
    let mut pairs = before;
    macro_rules! four_rounds {
        ($($group:literal)*) => { $(
            // SAFETY: the sixteen groups of four constants fill the table.
            let k = unsafe { _mm_loadu_si128(K.as_ptr().add(4 * $group).cast()) };
            for lane in 0..L {
                let w = &mut w[lane];
                if $group >= 4 {
                    let middle = _mm_alignr_epi8::<4>(w[($group + 3) % 4], w[($group + 2) % 4]);
                    let sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[$group % 4], w[($group + 1) % 4]), middle);
                    w[$group % 4] = _mm_sha256msg2_epu32(sum, w[($group + 3) % 4]);
                }
                let wk = _mm_add_epi32(w[$group % 4], k);
                let [abef, cdgh] = &mut pairs[lane];
                *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
                *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(wk));
            }
        )* };
    }
    four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for lane in 0..L {
        for half in 0..2 {
            pairs[lane][half] = _mm_add_epi32(pairs[lane][half], before[lane][half]);
        }
    }
    pairs
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load(state: &State) -> [__m128i; 2] {
    // SAFETY: a state has 32 bytes, two times 16; the loads need no alignment.
    let (dcba, hgfe) =
        unsafe { (_mm_loadu_si128(state.as_ptr().cast()), _mm_loadu_si128(state.as_ptr().add(4).cast())) };
    let cdab = _mm_shuffle_epi32::<0xb1>(dcba);
    let efgh = _mm_shuffle_epi32::<0x1b>(hgfe);
    [_mm_alignr_epi8::<8>(cdab, efgh), _mm_blend_epi16::<0xf0>(efgh, cdab)]
}

/// The words `a` to `d` and `e` to `h`, first named lowest.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn in_order([abef, cdgh]: [__m128i; 2]) -> [__m128i; 2] {
    let feba = _mm_shuffle_epi32::<0x1b>(abef);
    let dchg = _mm_shuffle_epi32::<0xb1>(cdgh);
    [_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)]
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn store(state: &mut State, pair: [__m128i; 2]) {
    let [low, high] = in_order(pair);
    // SAFETY: a state has 32 bytes, two times 16; the stores need no alignment.
    unsafe {
        _mm_storeu_si128(state.as_mut_ptr().cast(), low);
        _mm_storeu_si128(state.as_mut_ptr().add(4).cast(), high);
    }
}

/// The sixteen words of a block, four to a register, the first of each four lowest.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load_words(block: &Block) -> [__m128i; 4] {
    let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    core::array::from_fn(|quarter| {
        // SAFETY: `quarter` is at most 3, so that the 16 bytes lie inside the block's 64; no alignment is needed.
        _mm_shuffle_epi8(unsafe { _mm_loadu_si128(block.as_ptr().add(16 * quarter).cast()) }, swap)
    })
}
