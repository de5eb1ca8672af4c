//! A keystream and what authenticates the same blocks: a hash over the ciphertext for GCM, a chain over the plaintext for CCM.

use fieldtest_ghash::Ghash;

use crate::Block;

/// Blocks that are encrypted, and then hashed while they are near.
const CHUNK: usize = 256;

/// When blocks are the ciphertext, which is what GCM hashes and CCM does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ciphertext {
    /// Before the keystream: they are decrypted.
    Before,
    /// After it: they are encrypted.
    After,
}

/// A hash that goes on beside the keystream.
#[derive(Debug)]
pub struct Hash<'a> {
    /// Its key.
    pub key: &'a Ghash,
    /// What was hashed up to here.
    pub state: &'a mut Block,
    /// What of the blocks is hashed.
    pub ciphertext: Ciphertext,
}

/// Both one after the other: `xor_keystream` is given some blocks and the counter of the first.
pub fn hashed_in_chunks(
    blocks: &mut [Block],
    first: &Block,
    hash: &mut Hash<'_>,
    xor_keystream: impl Fn(&mut [Block], Block),
) {
    let mut counter = u128::from_be_bytes(*first);
    for chunk in blocks.chunks_mut(CHUNK) {
        if hash.ciphertext == Ciphertext::Before {
            hash.key.update(hash.state, chunk);
        }
        xor_keystream(chunk, counter.to_be_bytes());
        if hash.ciphertext == Ciphertext::After {
            hash.key.update(hash.state, chunk);
        }
        counter = counter.wrapping_add(chunk.len() as u128);
    }
}

/// Both one after the other for CCM: `absorb` is given the blocks (or bytes) while they are plaintext.
pub fn absorbed<T>(
    blocks: &mut [T],
    ciphertext: Ciphertext,
    absorb: impl FnOnce(&[T]),
    xor_keystream: impl FnOnce(&mut [T]),
) {
    if ciphertext == Ciphertext::Before {
        xor_keystream(blocks);
        absorb(blocks);
    } else {
        absorb(blocks);
        xor_keystream(blocks);
    }
}
