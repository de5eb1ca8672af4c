//! AES by a chosen path, for the tests and the benchmark.

use fieldtest_aes::{Aes, Path};
use fieldtest_block::{Block, BlockCipher16, Ciphertext, Hash, KeyLength};

/// AES by the path of that place among the available ones, or the best.
pub(crate) struct AesBy<const PATH: usize>(Aes);

impl<const PATH: usize> BlockCipher16 for AesBy<PATH> {
    fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
        let path = Path::available().nth(PATH).unwrap_or(Path::best());
        Aes::new_on(path, key).map(Self)
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        self.0.encrypt(blocks);
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        self.0.decrypt(blocks);
    }

    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.0.encrypt_masked(blocks, masks);
    }

    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.0.decrypt_masked(blocks, masks);
    }

    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.0.encrypt_xex(blocks, run, first);
    }

    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.0.decrypt_xex(blocks, run, first);
    }

    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.0.xor_keystream(blocks, run, first);
    }

    fn xor_keystream_hashed(&self, blocks: &mut [Block], first: &Block, hash: Hash<'_>) {
        self.0.xor_keystream_hashed(blocks, first, hash);
    }

    fn encrypt_chained(&self, state: &mut Block, blocks: &mut [Block]) {
        self.0.encrypt_chained(state, blocks);
    }

    fn decrypt_chained(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.0.decrypt_chained(blocks, run, first);
    }

    fn absorb_chained(&self, state: &mut Block, blocks: &[Block]) {
        self.0.absorb_chained(state, blocks);
    }

    fn xor_keystream_absorbed(
        &self,
        state: &mut Block,
        blocks: &mut [Block],
        first: &Block,
        ciphertext: Ciphertext,
    ) {
        self.0.xor_keystream_absorbed(state, blocks, first, ciphertext);
    }
}
