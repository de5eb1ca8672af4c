//! AES-NI: the key schedule, one message, and eight messages side by side.
//!
//! All functions enable AVX, so that every instruction is VEX-encoded and none of them waits for dirty upper halves.
#![allow(unsafe_code)] // Vector loads through pointers.

use core::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_load_si128, _mm_loadu_si128, _mm_set1_epi32,
    _mm_setzero_si128, _mm_shuffle_epi8, _mm_slli_si128, _mm_store_si128, _mm_xor_si128,
};
use core::array;

use crate::bank::{Bank, drive};
use crate::batch::Batch;
use crate::block::Block;
use crate::chain::Chain;
use crate::key::{Cmac, RoundKeys};

/// Prepares a key of 16 or 32 bytes: the key expansion of FIPS 197, section 5.2.
#[target_feature(enable = "aes,avx")]
pub(crate) fn prepare<const ROUNDS: usize>(key: &[u8]) -> Cmac<ROUNDS> {
    let mut round_keys = RoundKeys([Block::ZERO; 15]);
    let (halves, _) = key.as_chunks::<16>();
    for (to, half) in round_keys.0.iter_mut().zip(halves) {
        to.0 = *half;
    }
    // The S-box on four bytes is the last round on four equal columns, which ShiftRows leaves alone. AES-256 applies
    // it once more between two round constants, without rotating the word.
    let rotated = _mm_set1_epi32(0x0c0f_0e0d);
    let straight = _mm_set1_epi32(0x0f0e_0d0c);
    let mut round_constant = 1;
    for at in halves.len()..=ROUNDS {
        let before = load(&round_keys.0[at - 1]);
        let word = if halves.len() == 1 || at % 2 == 0 {
            let constant = _mm_set1_epi32(round_constant);
            round_constant = (round_constant << 1) ^ (0x11b * (round_constant >> 7));
            _mm_aesenclast_si128(_mm_shuffle_epi8(before, rotated), constant)
        } else {
            _mm_aesenclast_si128(_mm_shuffle_epi8(before, straight), _mm_setzero_si128())
        };
        // Each word of the new round key is the sum of all old words up to its own and of that one.
        let old = load(&round_keys.0[at - halves.len()]);
        let pairs = _mm_xor_si128(old, _mm_slli_si128::<4>(old));
        let sums = _mm_xor_si128(pairs, _mm_slli_si128::<8>(pairs));
        store(&mut round_keys.0[at], _mm_xor_si128(sums, word));
    }
    Cmac::from_round_keys(&round_keys, |key, chain| tag(key, chain))
}

/// The last state of a message's chain.
#[inline]
#[target_feature(enable = "aes,avx")]
fn tag<const ROUNDS: usize>(key: &Cmac<ROUNDS>, chain: Chain<'_>) -> Block {
    let keys: [__m128i; ROUNDS] = array::from_fn(|round| load(&key.rounds[round]));
    let step = |mut state: __m128i, block: __m128i| {
        let block = _mm_xor_si128(block, keys[ROUNDS - 1]);
        for key in &keys[..ROUNDS - 1] {
            state = _mm_aesenc_si128(state, *key);
        }
        _mm_aesenclast_si128(state, block)
    };
    let whitening = load(&key.whitening);
    let last = _mm_xor_si128(load(&chain.last), load(chain.subkey));
    let state = match chain.before.split_first() {
        None => _mm_xor_si128(last, whitening),
        Some((first, middle)) => {
            let mut state = _mm_xor_si128(load_block(first), whitening);
            for block in middle {
                state = step(state, load_block(block));
            }
            step(state, last)
        }
    };
    let mut whole = Block::ZERO;
    store(&mut whole, step(state, whitening));
    whole
}

#[target_feature(enable = "aes,avx")]
pub(crate) fn tag_message<const ROUNDS: usize>(key: &Cmac<ROUNDS>, message: &[u8]) -> Block {
    tag(key, Chain::new(key, message))
}

#[inline]
#[target_feature(enable = "avx")]
fn load_block(block: &[u8; 16]) -> __m128i {
    // SAFETY: the reference covers 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx")]
fn store(block: &mut Block, value: __m128i) {
    // SAFETY: a block covers 16 bytes and is aligned to them.
    unsafe { _mm_store_si128((&raw mut *block).cast(), value) };
}

#[inline]
#[target_feature(enable = "avx")]
fn load(block: &Block) -> __m128i {
    // SAFETY: a block covers 16 bytes and is aligned to them.
    unsafe { _mm_load_si128((&raw const *block).cast()) }
}

/// Steps of eight messages: eight rounds are under way at once, which hides their latency.
///
/// # Safety
/// As [`crate::bank::Steps`].
#[inline]
#[target_feature(enable = "aes,avx")]
unsafe fn steps<const ROUNDS: usize>(bank: &mut Bank<ROUNDS, 8>, from: usize, to: usize) {
    // SAFETY: the caller vouches for the blocks.
    let block = |bank: &Bank<ROUNDS, 8>, at: usize, lane: usize| unsafe {
        load_block(&*bank.blocks[lane].wrapping_add(at))
    };
    let mut states: [__m128i; 8] = array::from_fn(|lane| match from {
        0 => _mm_xor_si128(block(bank, 0, lane), load(&bank.whitening[lane])),
        _ => load(&bank.state[lane]),
    });
    for at in from.max(1)..to {
        for keys in &bank.keys[..ROUNDS - 1] {
            for (state, key) in states.iter_mut().zip(keys) {
                *state = _mm_aesenc_si128(*state, load(key));
            }
        }
        for (lane, state) in states.iter_mut().enumerate() {
            let sum = _mm_xor_si128(block(bank, at, lane), load(&bank.keys[ROUNDS - 1][lane]));
            *state = _mm_aesenclast_si128(*state, sum);
        }
    }
    for (to, state) in bank.state.iter_mut().zip(states) {
        store(to, state);
    }
}

#[target_feature(enable = "aes,avx")]
pub(crate) fn tag_many<const ROUNDS: usize>(batch: &mut Batch<'_, '_, ROUNDS>) {
    // SAFETY: this function's features are those of the steps.
    unsafe { drive(steps::<ROUNDS>, batch) };
}
