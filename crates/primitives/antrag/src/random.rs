//! The stream of random words that a signature or a key is made of.

use fieldtest_aes::{Aes, BlockCipher16 as _};
use zeroize::Zeroize;

/// AES-256 in counter mode from 0. Hashing would cost as much as all of the rest of a signature.
pub(crate) struct Random {
    aes: Aes,
    count: u128,
    /// The last words that were made. It is wiped but once, byte by byte, which takes longer than making them.
    blocks: [[u8; 16]; MOST / 2],
}

const MOST: usize = 256;

impl Random {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        match Aes::new(key) {
            Ok(aes) => Self { aes, count: 0, blocks: [[0; 16]; MOST / 2] },
            Err(_) => unreachable!("keys have 32 bytes"),
        }
    }

    /// The next words, of which there is an even number.
    pub(crate) fn fill(&mut self, words: &mut [u64]) {
        for words in words.chunks_mut(MOST) {
            let blocks = &mut self.blocks[..words.len() / 2];
            blocks.fill([0; 16]);
            self.aes.xor_keystream(blocks, blocks.len(), &[self.count.to_be_bytes()]);
            self.count += blocks.len() as u128;
            for (words, block) in words.as_chunks_mut().0.iter_mut().zip(&*blocks) {
                let both = u128::from_le_bytes(*block);
                *words = [both as u64, (both >> 64) as u64];
            }
        }
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        self.blocks.as_flattened_mut().zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key stream does not depend on how it is asked for.
    #[test]
    fn words_follow_each_other() {
        let mut all = [0; 2 * MOST + 6];
        Random::new(&[7; 32]).fill(&mut all);
        let mut parts = all;
        let mut random = Random::new(&[7; 32]);
        let (first, rest) = parts.split_at_mut(10);
        random.fill(first);
        random.fill(rest);
        assert_eq!(parts, all);
    }

    /// AES-256 of zeros under a key of zeros is dc95c078a2408989ad48a21492842087.
    #[test]
    fn first_words_are_the_cipher_of_zero() {
        let mut words = [0; 2];
        Random::new(&[0; 32]).fill(&mut words);
        assert_eq!(words.map(u64::swap_bytes), [0xdc95_c078_a240_8989, 0xad48_a214_9284_2087]);
    }
}
