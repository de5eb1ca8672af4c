//! Ciphers of storage: a block cipher in a mode, or a wide-block cipher, that encrypts sectors in place.
//!
//! A *sector* is a run of 512 to 4096 bytes that is encrypted by itself and keeps its length. What differs between
//! sectors is a *tweak*, made of the sector's number; it is the XTS tweak (IEEE 1619-2018, section 5.1), the
//! initialisation vector of CBC, the first counter block of CTR, or the tweak of Adiantum and HCTR2. How a number becomes
//! a tweak is the business of the carrier, except that consecutive sectors have consecutive little-endian numbers,
//! which lets an implementation make the tweaks of many sectors at once.

use crate::Error;

/// One implementation of one cipher with its mode.
pub trait Cipher: Send + Sync {
    /// Bytes of a key. For XTS both keys, one after the other.
    fn key_len(&self) -> usize;

    /// Prepares a key for many sectors.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the key is not [`key_len`](Self::key_len) bytes long, or is one that the standard
    /// forbids.
    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error>;

    /// Prepares a key only to decrypt what others encrypted under it, also one that the standard forbids: of XTS two equal halves.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the key has another length. Code that has no way around the standard's rule refuses it as
    /// [`prepare`](Self::prepare) does.
    fn prepare_to_read(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        self.prepare(key)
    }
}

/// A prepared key.
pub trait CipherKey: Send + Sync {
    /// Encrypts consecutive sectors in place.
    ///
    /// # Errors
    /// [`Error::Library`] if the data is no whole number of sectors, if the cipher has no sectors of that size, or if
    /// the library underneath fails.
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error>;

    /// Decrypts consecutive sectors in place.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error>;
}

/// The tweaks of consecutive sectors: that of sector *i* of the data is `first + i × step`, as 16 bytes, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tweaks {
    /// The first sector's, as a number.
    pub first: u128,
    /// From one sector to the next. dm-crypt counts in units of 512 bytes whatever the sector's size, unless told
    /// otherwise (`iv_large_sectors`).
    pub step: u64,
}

impl Tweaks {
    /// The tweak of one sector of the data, counted from 0.
    pub fn of(&self, sector: u64) -> [u8; 16] {
        self.first.wrapping_add(u128::from(sector) * u128::from(self.step)).to_le_bytes()
    }
}
