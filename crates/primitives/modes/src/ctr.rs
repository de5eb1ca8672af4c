//! The counter mode with a counter of the whole block (SP 800-38A, section 6.5).

use crate::sectors::{Numbers, blocks_of, whole_sectors};
use crate::{Block, BlockCipher16, Error, SectorMode};

/// CTR with a big-endian counter of 128 bits. Every counter block must be used once only, over all messages under a
/// key: a sector that is written twice under one number betrays the XOR of its contents.
#[derive(Clone)]
pub struct Ctr<C>(C);

impl<C: BlockCipher16> Ctr<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Ok(Self(C::with_key(key)?))
    }

    pub(crate) fn cipher(&self) -> &C {
        &self.0
    }

    /// Encrypts or decrypts a message of any length, whose first counter block is `counter`.
    pub fn apply(&self, counter: &Block, message: &mut [u8]) {
        let (blocks, rest) = message.as_chunks_mut();
        if !blocks.is_empty() {
            self.0.xor_keystream(blocks, blocks.len(), &[*counter]);
        }
        if !rest.is_empty() {
            let last = u128::from_be_bytes(*counter).wrapping_add(blocks.len() as u128);
            let mut stream = [last.to_be_bytes()];
            self.0.encrypt(&mut stream);
            rest.iter_mut().zip(stream.as_flattened()).for_each(|(byte, other)| *byte ^= other);
        }
    }
}

impl<C: BlockCipher16> SectorMode for Ctr<C> {
    fn encrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        if sector_size == 0 {
            return Err(Error::SectorSize { found: 0, expected: "any other size" });
        }
        whole_sectors(sector_size, data)?;
        let mut numbers = Numbers { next: first, step };
        if let Ok((blocks, run)) = blocks_of(sector_size, data) {
            numbers.of_sectors(blocks, run, |blocks, counters| self.0.xor_keystream(blocks, run, counters));
        } else {
            for sector in data.chunks_mut(sector_size) {
                self.apply(&numbers.take(), sector);
            }
        }
        Ok(())
    }

    fn decrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        self.encrypt_sectors(first, step, sector_size, data)
    }
}
