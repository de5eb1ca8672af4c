//! The key expansion.

use core::arch::x86_64::{
    _mm_aesimc_si128, _mm_aeskeygenassist_si128, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_set1_epi32,
    _mm_storeu_si128,
};

use zeroize::Zeroize;

use super::engine::RoundKeys;
use crate::Block;
use crate::path::{Kind, Path};

/// The round keys of both directions. A value is the proof that the processor has AES-NI and AVX.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Schedule {
    pub(super) encrypt: RoundKeys,
    pub(super) decrypt: RoundKeys,
    /// 10, 12 or 14.
    pub(super) rounds: usize,
}

impl Schedule {
    /// Expands a key of 16, 24 or 32 bytes; `None` for the portable path, which has its own form.
    pub(crate) fn new(path: Path, key: &[u8]) -> Option<Self> {
        // SAFETY: every other path needs AES-NI and AVX.
        (path.kind() != Kind::Portable).then(|| unsafe { expand(key) })
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

/// FIPS 197, sections 5.2 and 5.3.5.
#[target_feature(enable = "aes,avx")]
fn expand(key: &[u8]) -> Schedule {
    let key_words = key.len() / 4;
    let rounds = key_words + 6;
    let mut words = [0u32; 60];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut round_constant = 1u32;
    for at in key_words..4 * (rounds + 1) {
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
    let mut schedule = Schedule { encrypt: [[0; 16]; 15], decrypt: [[0; 16]; 15], rounds };
    for (block, words) in schedule.encrypt.iter_mut().zip(words.as_chunks::<4>().0) {
        for (to, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
    }
    words.zeroize();
    for round in 0..=rounds {
        let key = schedule.encrypt[rounds - round];
        schedule.decrypt[round] = if round == 0 || round == rounds { key } else { inv_mix_columns(key) };
    }
    schedule
}

/// The S-box on four bytes.
#[inline]
#[target_feature(enable = "aes,avx")]
fn sub_word(word: u32) -> u32 {
    _mm_cvtsi128_si32(_mm_aeskeygenassist_si128::<0>(_mm_set1_epi32(word.cast_signed()))).cast_unsigned()
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn inv_mix_columns(mut block: Block) -> Block {
    // SAFETY: the references cover a block; no alignment is needed.
    unsafe {
        let key = _mm_loadu_si128(block.as_ptr().cast());
        _mm_storeu_si128(block.as_mut_ptr().cast(), _mm_aesimc_si128(key));
    }
    block
}
