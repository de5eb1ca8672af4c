//! The electronic codebook mode (SP 800-38A, section 6.1).

use crate::sectors::blocks_of;
use crate::{BlockCipher16, Error, SectorMode};

/// The cipher alone, each block by itself. What all other modes are measured against; it hides nothing of a sector
/// but single blocks.
#[derive(Clone)]
pub struct Ecb<C>(C);

impl<C: BlockCipher16> Ecb<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Ok(Self(C::with_key(key)?))
    }
}

impl<C: BlockCipher16> SectorMode for Ecb<C> {
    fn encrypt_sectors(&self, _: u128, _: u64, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.encrypt(blocks_of(sector_size, data)?.0);
        Ok(())
    }

    fn decrypt_sectors(&self, _: u128, _: u64, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.decrypt(blocks_of(sector_size, data)?.0);
        Ok(())
    }
}
