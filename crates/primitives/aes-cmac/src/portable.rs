//! The path for every processor: the rounds of the `aes` crate, which are constant-time everywhere and use the
//! processor's AES instructions where that crate knows them.
//!
//! Its single rounds instead of its whole cipher let all paths share one form of the prepared key, and take eight
//! messages with eight different keys at once.
#![allow(unsafe_code)] // The lanes hand over pointers.

use core::array;

use aes::Block as Round;
use aes::cipher::array::Array;
use aes::hazmat::{Block8, cipher_round, cipher_round_par, inv_mix_columns};
use zeroize::Zeroize;

use crate::bank::{Bank, drive};
use crate::batch::Batch;
use crate::block::Block;
use crate::chain::Chain;
use crate::key::{Cmac, RoundKeys};

/// The S-box on four bytes: a round on four equal columns, which ShiftRows leaves alone, with MixColumns undone.
fn sub_word(word: u32) -> u32 {
    let mut block = Round::default();
    for column in block.as_chunks_mut::<4>().0 {
        *column = word.to_le_bytes();
    }
    last_round(&mut block);
    let [a, b, c, d, ..] = block.0;
    u32::from_le_bytes([a, b, c, d])
}

/// SubBytes and ShiftRows.
fn last_round(state: &mut Round) {
    cipher_round(state, &Round::default());
    inv_mix_columns(state);
}

pub(crate) fn tag<const ROUNDS: usize>(key: &Cmac<ROUNDS>, chain: Chain<'_>) -> Block {
    let (link, middle) = (key.rounds[ROUNDS - 1], &key.rounds[..ROUNDS - 1]);
    let step = |state: Block, block: Block| {
        let mut state = Array(state.0);
        for round_key in middle {
            cipher_round(&mut state, &Array(round_key.0));
        }
        last_round(&mut state);
        Block(state.0).xor(link).xor(block)
    };
    let tail = [chain.last.xor(*chain.subkey), key.whitening];
    let mut blocks = chain.before.iter().map(|block| Block(*block)).chain(tail);
    let first = blocks.next().unwrap_or(Block::ZERO).xor(key.whitening);
    blocks.fold(first, step)
}

/// Steps of eight messages.
///
/// # Safety
/// As [`crate::bank::Steps`].
unsafe fn steps<const ROUNDS: usize>(bank: &mut Bank<ROUNDS, 8>, from: usize, to: usize) {
    // SAFETY: the caller vouches for the blocks.
    let block = |lane: usize, at: usize| Block(unsafe { *bank.blocks[lane].wrapping_add(at) });
    let mut states: Block8 = Array(array::from_fn(|lane| {
        Array(if from == 0 { block(lane, 0).xor(bank.whitening[lane]).0 } else { bank.state[lane].0 })
    }));
    for at in from.max(1)..to {
        for keys in &bank.keys[..ROUNDS - 1] {
            cipher_round_par(&mut states, &Array(keys.map(|key| Array(key.0))));
        }
        cipher_round_par(&mut states, &Block8::default());
        for (lane, state) in states.iter_mut().enumerate() {
            inv_mix_columns(state);
            state.0 = Block(state.0).xor(bank.keys[ROUNDS - 1][lane]).xor(block(lane, at)).0;
        }
    }
    bank.state = states.0.map(|state| Block(state.0));
}

pub(crate) fn tag_many<const ROUNDS: usize>(batch: &mut Batch<'_, '_, ROUNDS>) {
    // SAFETY: the steps are there on every processor.
    unsafe { drive(steps::<ROUNDS>, batch) };
}

/// Prepares a key of 16 or 32 bytes: the key expansion of FIPS 197, section 5.2.
pub(crate) fn prepare<const ROUNDS: usize>(key: &[u8]) -> Cmac<ROUNDS> {
    let key_words = key.len() / 4;
    let mut words = [0u32; 60];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut round_constant = 1u32;
    for at in key_words..4 * (key_words + 7) {
        let mut word = words[at - 1];
        if at % key_words == 0 {
            // In little-endian words the byte rotation goes right and the constant stands in the low byte.
            word = sub_word(word.rotate_right(8)) ^ round_constant;
            round_constant = (round_constant << 1) ^ (0x11b & (round_constant >> 7).wrapping_neg());
        } else if key_words == 8 && at % 8 == 4 {
            word = sub_word(word);
        }
        words[at] = words[at - key_words] ^ word;
    }
    let mut round_keys = RoundKeys([Block::ZERO; 15]);
    for (block, words) in round_keys.0.iter_mut().zip(words.as_chunks::<4>().0) {
        for (to, word) in block.0.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
    }
    words.zeroize();
    Cmac::from_round_keys(&round_keys, tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch;

    /// The keys that this module prepares are those that the processor's own path prepares.
    fn prepares_alike<const ROUNDS: usize>(key: &[u8]) {
        let (portable, native) = (prepare::<ROUNDS>(key), dispatch::prepare::<ROUNDS>(key));
        assert_eq!(portable.whitening.0, native.whitening.0);
        assert_eq!(portable.rounds.map(|key| key.0), native.rounds.map(|key| key.0));
        assert_eq!(portable.whole.0, native.whole.0);
        assert_eq!(portable.partial.0, native.partial.0);
    }

    #[test]
    fn key_preparation() {
        for start in 0..=255u8 {
            let key: [u8; 32] = array::from_fn(|at| start.wrapping_add((at * at) as u8));
            prepares_alike::<10>(&key[..16]);
            prepares_alike::<14>(&key);
        }
    }
}
