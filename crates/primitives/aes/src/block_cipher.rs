//! What modes ask of a cipher.

use fieldtest_block::{BlockCipher16, Ciphertext, Hash, KeyLength};

use crate::{Aes, Block};

impl BlockCipher16 for Aes {
    fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
        Self::new(key).map_err(|_| KeyLength { found: key.len() })
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        self.encrypt(blocks);
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        self.decrypt(blocks);
    }

    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.encrypt_masked(blocks, masks);
    }

    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.decrypt_masked(blocks, masks);
    }

    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.encrypt_xex(blocks, run, first);
    }

    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.decrypt_xex(blocks, run, first);
    }

    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xor_keystream(blocks, run, first);
    }

    fn xor_keystream_hashed(&self, blocks: &mut [Block], first: &Block, hash: Hash<'_>) {
        self.xor_keystream_hashed(blocks, first, hash);
    }

    fn encrypt_chained(&self, state: &mut Block, blocks: &mut [Block]) {
        self.encrypt_chained(state, blocks);
    }

    fn decrypt_chained(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.decrypt_chained(blocks, run, first);
    }

    fn absorb_chained(&self, state: &mut Block, blocks: &[Block]) {
        self.absorb_chained(state, blocks);
    }

    fn xor_keystream_absorbed(
        &self,
        state: &mut Block,
        blocks: &mut [Block],
        first: &Block,
        ciphertext: Ciphertext,
    ) {
        self.xor_keystream_absorbed(state, blocks, first, ciphertext);
    }
}
