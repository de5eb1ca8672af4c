//! What modes ask of a cipher. There are no traits of RustCrypto's `cipher`: nothing used them but tests of
//! their own, since our modes take many blocks and sectors per call.

use fieldtest_block::{BlockCipher16, KeyLength, xex};

use crate::{Block, Lea};

impl BlockCipher16 for Lea {
    fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
        Self::new(key)
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
        let beside = |blocks: &mut [Block]| self.encrypt_xex(blocks, run, first);
        xex(blocks, run, first, beside, |blocks, masks| self.encrypt_masked(blocks, masks));
    }

    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        let beside = |blocks: &mut [Block]| self.decrypt_xex(blocks, run, first);
        xex(blocks, run, first, beside, |blocks, masks| self.decrypt_masked(blocks, masks));
    }

    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xor_keystream(blocks, run, first);
    }
}
