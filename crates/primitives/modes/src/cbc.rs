//! Cipher block chaining (SP 800-38A, section 6.2).

use fieldtest_block::xor;

use crate::sectors::{Numbers, blocks_of};
use crate::{Block, BlockCipher16, Error, SectorMode};

/// CBC over whole blocks.
///
/// Decryption takes many blocks at once. Encryption cannot within a message, but takes many sectors at once.
#[derive(Clone)]
pub struct Cbc<C>(C);

impl<C: BlockCipher16> Cbc<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Ok(Self(C::with_key(key)?))
    }

    /// Encrypts one message of whole blocks.
    ///
    /// # Errors
    /// [`Error::MessageLength`].
    pub fn encrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let mut state = *iv;
        self.0.encrypt_chained(&mut state, whole_blocks(message)?);
        Ok(())
    }

    /// Decrypts one message of whole blocks.
    ///
    /// # Errors
    /// [`Error::MessageLength`].
    pub fn decrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let blocks = whole_blocks(message)?;
        if !blocks.is_empty() {
            self.0.decrypt_chained(blocks, blocks.len(), &[*iv]);
        }
        Ok(())
    }
}

fn whole_blocks(message: &mut [u8]) -> Result<&mut [Block], Error> {
    let found = message.len() as u64;
    match message.as_chunks_mut() {
        (blocks, []) => Ok(blocks),
        _ => Err(Error::MessageLength { found, expected: "multiples of 16 bytes" }),
    }
}

impl<C: BlockCipher16> SectorMode for Cbc<C> {
    fn encrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (blocks, run) = blocks_of(sector_size, data)?;
        Numbers { next: first, step }.of_sectors(blocks, run, |sectors, states| {
            if let [state] = states {
                self.0.encrypt_chained(state, sectors);
                return;
            }
            for at in 0..run {
                let column = sectors.iter().skip(at).step_by(run);
                states.iter_mut().zip(column).for_each(|(state, block)| *state = xor(state, block));
                self.0.encrypt(states);
                let column = sectors.iter_mut().skip(at).step_by(run);
                states.iter().zip(column).for_each(|(state, block)| *block = *state);
            }
        });
        Ok(())
    }

    fn decrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (blocks, run) = blocks_of(sector_size, data)?;
        Numbers { next: first, step }
            .of_sectors(blocks, run, |sectors, ivs| self.0.decrypt_chained(sectors, run, ivs));
        Ok(())
    }
}
