//! The path for every processor: the crate `aes` of RustCrypto.

use aes::cipher::array::Array;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use fieldtest_block::masks::times_x;

use crate::counter::{fill_counters, xor};
use crate::{Block, KeyLength};

/// Blocks whose masks or counters are made at a time.
const CHUNK: usize = 64;

/// A prepared key, erased on drop by its library.
#[derive(Clone)]
pub(crate) enum Key {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl Key {
    pub(crate) fn new(key: &[u8]) -> Result<Self, KeyLength> {
        let wrong = |_| KeyLength { found: key.len() };
        match key.len() {
            16 => Aes128::new_from_slice(key).map(Self::Aes128).map_err(wrong),
            24 => Aes192::new_from_slice(key).map(Self::Aes192).map_err(wrong),
            _ => Aes256::new_from_slice(key).map(Self::Aes256).map_err(wrong),
        }
    }

    pub(crate) fn ecb<const DECRYPT: bool>(&self, blocks: &mut [Block]) {
        let blocks = Array::cast_slice_from_core_mut(blocks);
        match (self, DECRYPT) {
            (Self::Aes128(key), false) => key.encrypt_blocks(blocks),
            (Self::Aes192(key), false) => key.encrypt_blocks(blocks),
            (Self::Aes256(key), false) => key.encrypt_blocks(blocks),
            (Self::Aes128(key), true) => key.decrypt_blocks(blocks),
            (Self::Aes192(key), true) => key.decrypt_blocks(blocks),
            (Self::Aes256(key), true) => key.decrypt_blocks(blocks),
        }
    }

    /// Each block between two XORs with its mask.
    pub(crate) fn masked<const DECRYPT: bool>(&self, blocks: &mut [Block], masks: &[Block]) {
        xor(blocks, masks);
        self.ecb::<DECRYPT>(blocks);
        xor(blocks, masks);
    }

    /// Runs of blocks, each between two XORs with masks that begin with the run's and go on times x.
    pub(crate) fn xex<const DECRYPT: bool>(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        for (blocks, first) in blocks.chunks_mut(run).zip(first) {
            let mut mask = u128::from_le_bytes(*first);
            for blocks in blocks.chunks_mut(CHUNK) {
                let mut masks = [[0; 16]; CHUNK];
                let masks = &mut masks[..blocks.len()];
                for to in masks.iter_mut() {
                    *to = mask.to_le_bytes();
                    mask = times_x(mask);
                }
                self.masked::<DECRYPT>(blocks, masks);
            }
        }
    }

    /// Runs of blocks, each XORed with encrypted counters that begin with the run's.
    pub(crate) fn keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        for (blocks, first) in blocks.chunks_mut(run).zip(first) {
            let mut counter = u128::from_be_bytes(*first);
            for blocks in blocks.chunks_mut(CHUNK) {
                let mut stream = [[0; 16]; CHUNK];
                let stream = &mut stream[..blocks.len()];
                counter = fill_counters(counter, stream);
                self.ecb::<false>(stream);
                xor(blocks, stream);
            }
        }
    }

    /// Each block XORed with the ciphertext before it.
    pub(crate) fn chain(&self, state: &mut Block, blocks: &mut [Block]) {
        for block in blocks {
            self.absorb(state, core::slice::from_ref(block));
            *block = *state;
        }
    }

    /// The last ciphertext of such a chain.
    pub(crate) fn absorb(&self, state: &mut Block, blocks: &[Block]) {
        for block in blocks {
            let state = core::slice::from_mut(state);
            xor(state, core::slice::from_ref(block));
            self.ecb::<false>(state);
        }
    }
}
