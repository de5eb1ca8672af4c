//! LEA of the crate `lea`, the only published one in Rust: a block at a time, without XTS, and over traits that no mode
//! of today takes, so that it is here for the cipher alone.

use std::sync::Arc;

use ::lea::Lea256;
use ::lea::cipher::generic_array::GenericArray;
use ::lea::cipher::{BlockDecrypt as _, BlockEncrypt as _, NewBlockCipher as _};
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use super::sectors::{Keyed, OneByOne, SectorKey, Sizes, wrong_key};

/// Bytes of a key.
const KEY: usize = 32;

/// LEA-256, block by block.
pub(super) fn ecb() -> Arc<dyn Cipher> {
    Arc::new(Keyed {
        key_len: KEY,
        prepare: |key| Lea256::new_from_slice(key).map(OneByOne).map_err(|_| wrong_key(KEY, key.len())),
    })
}

impl SectorKey for Lea256 {
    fn sizes(&self) -> Sizes {
        Sizes::BLOCKS
    }

    fn encrypt(&self, _: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        let blocks = sector.chunks_exact_mut(16).map(GenericArray::from_mut_slice);
        blocks.for_each(|block| self.encrypt_block(block));
        Ok(())
    }

    fn decrypt(&self, _: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        let blocks = sector.chunks_exact_mut(16).map(GenericArray::from_mut_slice);
        blocks.for_each(|block| self.decrypt_block(block));
        Ok(())
    }
}
