//! What modes ask of a cipher.

use core::fmt;

use crate::{Block, Ciphertext, Hash, absorbed, bulk, hashed_in_chunks, xor};

/// A block cipher with blocks of sixteen bytes that takes many blocks at once.
///
/// The last eight methods are made of the others; a cipher overrides them if it can make masks or counters beside its
/// rounds, or keep its round keys in registers from one block to the next.
pub trait BlockCipher16: Sized {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyLength`] if the cipher has no keys of that length.
    fn with_key(key: &[u8]) -> Result<Self, KeyLength>;

    /// Encrypts each block in place.
    fn encrypt(&self, blocks: &mut [Block]);

    /// Decrypts each block in place.
    fn decrypt(&self, blocks: &mut [Block]);

    /// XORs `masks[i]` into block `i` before and after encrypting it. There are as many masks as blocks.
    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]);

    /// XORs `masks[i]` into block `i` before and after decrypting it. There are as many masks as blocks.
    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]);

    /// Encrypts runs of `run` blocks (the last may be shorter), each by itself: the mask of a run's first block is the
    /// run's in `first`, and that of each later one is the one before times x in GF(2^128) (IEEE 1619-2018, section
    /// 5.2). There is one first mask for each run, and `run` is not 0.
    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::in_masked_chunks(blocks, run, first, |blocks, masks| self.encrypt_masked(blocks, masks));
    }

    /// The opposite of [`encrypt_xex`](Self::encrypt_xex).
    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::in_masked_chunks(blocks, run, first, |blocks, masks| self.decrypt_masked(blocks, masks));
    }

    /// XORs a keystream into runs of `run` blocks (the last may be shorter): the encrypted counter blocks `first`,
    /// `first + 1`, … as big-endian numbers modulo 2^128. There is one first counter for each run, and `run` is not 0.
    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::xor_keystream(blocks, run, first, |counters| self.encrypt(counters));
    }

    /// XORs the keystream of the counters from `first` on into blocks, as one run of
    /// [`xor_keystream`](Self::xor_keystream), and goes on with a hash over the ciphertext. A cipher whose instructions leave
    /// room for those of the hash overrides it.
    fn xor_keystream_hashed(&self, blocks: &mut [Block], first: &Block, mut hash: Hash<'_>) {
        hashed_in_chunks(blocks, first, &mut hash, |blocks, first| {
            self.xor_keystream(blocks, blocks.len(), &[first]);
        });
    }

    /// Encrypts each block after it was XORed with the one before, which is `state` for the first (CBC of SP 800-38A,
    /// section 6.2). `state` becomes the last ciphertext.
    fn encrypt_chained(&self, state: &mut Block, blocks: &mut [Block]) {
        for block in blocks {
            *state = xor(state, block);
            self.encrypt(core::slice::from_mut(state));
            *block = *state;
        }
    }

    /// Decrypts runs of `run` blocks (the last may be shorter), and XORs each with the ciphertext before it, which is the run's in
    /// `first` for its first: the opposite of [`encrypt_chained`](Self::encrypt_chained) over each run. There is one first block for
    /// each run, and `run` is not 0.
    fn decrypt_chained(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::decrypt_chained(blocks, run, first, |blocks| self.decrypt(blocks));
    }

    /// [`encrypt_chained`](Self::encrypt_chained) of which only the last ciphertext is wanted (CBC-MAC).
    fn absorb_chained(&self, state: &mut Block, blocks: &[Block]) {
        for block in blocks {
            *state = xor(state, block);
            self.encrypt(core::slice::from_mut(state));
        }
    }

    /// XORs the keystream of the counters from `first` on into blocks, as one run of [`xor_keystream`](Self::xor_keystream), and goes
    /// on with the chain of [`absorb_chained`](Self::absorb_chained) over the plaintext, which is what the blocks are before or after
    /// it (CCM). A cipher whose chain leaves room for the keystream overrides it.
    fn xor_keystream_absorbed(
        &self,
        state: &mut Block,
        blocks: &mut [Block],
        first: &Block,
        ciphertext: Ciphertext,
    ) {
        if !blocks.is_empty() {
            let keystream = |blocks: &mut [Block]| self.xor_keystream(blocks, blocks.len(), &[*first]);
            absorbed(blocks, ciphertext, |blocks| self.absorb_chained(state, blocks), keystream);
        }
    }
}

/// A key has a length that the cipher has no keys of. Those of sixteen bytes a block have them of 16, 24 and 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLength {
    /// Its bytes.
    pub found: usize,
}

impl fmt::Display for KeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key of {} bytes was given: give one of 16, 24 or 32", self.found)
    }
}

impl core::error::Error for KeyLength {}
