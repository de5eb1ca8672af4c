//! Block ciphers of the RustCrypto project, in its modes CBC and CTR and in the XTS of the crate `xts-mode`.
//!
//! A mode of RustCrypto owns its cipher, and one is made for each sector; here it is given a reference to the prepared
//! cipher, so that the round keys are not copied. It is the only linked code for Serpent and Camellia: a
//! page of Serpent in XTS takes 150,000 cycles, and 43,000 by libgcrypt or Botan of a host (`-i all`).

use std::marker::PhantomData;
use std::sync::Arc;

use ::cbc::{Decryptor, Encryptor};
use cipher::array::Array;
use cipher::consts::U16;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt as _, BlockModeEncrypt as _, InnerIvInit as _,
    KeyInit, StreamCipher as _,
};
use ctr::{Ctr128BE, CtrCore};
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;
use xts_mode::Xts128;

use super::Mode;
use super::sectors::{Keyed, KeyedXts, OneByOne, SectorKey, Sizes, wrong_key};

/// A block cipher with blocks of 16 bytes.
pub(super) trait Block16:
    BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt + KeyInit + Send + Sync + 'static
{
}

impl<C> Block16 for C where
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt + KeyInit + Send + Sync + 'static
{
}

/// The block cipher `C`, whose keys have so many bytes, in a mode. Some types have keys of several lengths.
pub(super) fn cipher<C: Block16>(mode: Mode, key: usize) -> Arc<dyn Cipher> {
    let key_len = mode.key_len(key);
    match mode {
        Mode::Xts => Arc::new(KeyedXts {
            key_len,
            prepare: |key| {
                let (data, tweak) = key.split_at(key.len() / 2);
                Ok(OneByOne(Xts128::new(block_cipher::<C>(data)?, block_cipher::<C>(tweak)?)))
            },
        }),
        Mode::Ecb => Arc::new(Keyed { key_len, prepare: in_mode::<C, Ecb> }),
        Mode::Cbc => Arc::new(Keyed { key_len, prepare: in_mode::<C, Cbc> }),
        Mode::Ctr => Arc::new(Keyed { key_len, prepare: in_mode::<C, Ctr> }),
    }
}

fn block_cipher<C: KeyInit>(key: &[u8]) -> Result<C, Error> {
    C::new_from_slice(key).map_err(|_| wrong_key(C::key_size(), key.len()))
}

impl<C: Block16> SectorKey for Xts128<C> {
    fn sizes(&self) -> Sizes {
        Sizes::XTS
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.encrypt_sector(sector, Array(*tweak));
        Ok(())
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.decrypt_sector(sector, Array(*tweak));
        Ok(())
    }
}

struct InMode<C, M> {
    cipher: C,
    mode: PhantomData<fn() -> M>,
}

fn in_mode<C: Block16, M>(key: &[u8]) -> Result<OneByOne<InMode<C, M>>, Error> {
    Ok(OneByOne(InMode { cipher: block_cipher(key)?, mode: PhantomData }))
}

struct Ecb;
struct Cbc;
struct Ctr;

/// The sector as blocks; [`Sizes::BLOCKS`] leaves no rest.
fn blocks(sector: &mut [u8]) -> &mut [Array<u8, U16>] {
    Array::slice_as_chunks_mut(sector).0
}

impl<C: Block16> SectorKey for InMode<C, Ecb> {
    fn sizes(&self) -> Sizes {
        Sizes::BLOCKS
    }

    fn encrypt(&self, _: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.cipher.encrypt_blocks(blocks(sector));
        Ok(())
    }

    fn decrypt(&self, _: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.cipher.decrypt_blocks(blocks(sector));
        Ok(())
    }
}

impl<C: Block16> SectorKey for InMode<C, Cbc> {
    fn sizes(&self) -> Sizes {
        Sizes::BLOCKS
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        Encryptor::inner_iv_init(&self.cipher, &Array(*tweak)).encrypt_blocks(blocks(sector));
        Ok(())
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        Decryptor::inner_iv_init(&self.cipher, &Array(*tweak)).decrypt_blocks(blocks(sector));
        Ok(())
    }
}

impl<C: Block16> SectorKey for InMode<C, Ctr> {
    fn sizes(&self) -> Sizes {
        Sizes::STREAM
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        let core = CtrCore::inner_iv_init(&self.cipher, &Array(*tweak));
        Ctr128BE::from_core(core)
            .try_apply_keystream(sector)
            .map_err(|error| Error::Library(error.to_string()))
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.encrypt(tweak, sector)
    }
}
