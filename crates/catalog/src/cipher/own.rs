//! This project's own modes over its own block ciphers, which take many blocks and many sectors at once. Of
//! published crates `lea` 0.5.4 is scalar, `aria` 0.2.0 has tables, and `xts-mode` 0.6.0 takes a block at a
//! time.

use std::sync::Arc;

use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_block::{Block, BlockCipher16, KeyLength};
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use fieldtest_lea::Lea;
use fieldtest_modes::{Cbc, Ctr, Ecb, SectorMode, Xts};

use super::Mode;
use super::sectors::{Keyed, KeyedXts};

/// The block cipher `C`, whose keys have so many bytes, in a mode.
pub(super) fn cipher<C>(mode: Mode, key: usize) -> Arc<dyn Cipher>
where
    C: BlockCipher16 + Send + Sync + 'static,
{
    let key_len = mode.key_len(key);
    match mode {
        Mode::Xts => Arc::new(KeyedXts { key_len, prepare: |key| sectors(key, Xts::<C>::new) }),
        Mode::Ecb => Arc::new(Keyed { key_len, prepare: |key| sectors(key, Ecb::<C>::new) }),
        Mode::Cbc => Arc::new(Keyed { key_len, prepare: |key| sectors(key, Cbc::<C>::new) }),
        Mode::Ctr => Arc::new(Keyed { key_len, prepare: |key| sectors(key, Ctr::<C>::new) }),
    }
}

fn sectors<M>(
    key: &[u8],
    prepare: fn(&[u8]) -> Result<M, fieldtest_modes::Error>,
) -> Result<Sectors<M>, Error> {
    prepare(key).map(Sectors).map_err(|error| Error::MalformedKey(error.to_string()))
}

struct Sectors<M>(M);

impl<M: SectorMode + Send + Sync> CipherKey for Sectors<M> {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.encrypt_sectors(tweaks.first, tweaks.step, sector_size, data).map_err(refused)
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.decrypt_sectors(tweaks.first, tweaks.step, sector_size, data).map_err(refused)
    }
}

#[cold]
fn refused(error: fieldtest_modes::Error) -> Error {
    Error::Library(error.to_string())
}

/// A block cipher on its portable path, which is the reference for the others.
pub(crate) struct Portable<C>(C);

impl BlockCipher16 for Portable<Lea> {
    fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
        Lea::with_key(key).map(Portable)
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        self.0.encrypt_on(fieldtest_lea::Path::PORTABLE, blocks);
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        self.0.decrypt_on(fieldtest_lea::Path::PORTABLE, blocks);
    }

    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.0.encrypt_masked_on(fieldtest_lea::Path::PORTABLE, blocks, masks);
    }

    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.0.decrypt_masked_on(fieldtest_lea::Path::PORTABLE, blocks, masks);
    }
}

/// The ciphers whose keys are prepared for a path.
macro_rules! prepared_for_a_path {
    ($($cipher:ty, $path:expr;)*) => { $(
        impl BlockCipher16 for Portable<$cipher> {
            fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
                <$cipher>::new_on($path, key).map(Portable)
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
        }
    )* };
}

prepared_for_a_path! {
    Aes, fieldtest_aes::Path::PORTABLE;
    Aria, fieldtest_aria::Path::PORTABLE;
}
