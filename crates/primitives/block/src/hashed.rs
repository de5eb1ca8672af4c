//! A keystream and a hash over the same blocks: GCM.

use fieldtest_ghash::Ghash;

use crate::Block;

/// Blocks that are encrypted, and then hashed while they are near.
const CHUNK: usize = 256;

/// When blocks are the ciphertext, which is what is hashed.
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
