//! How the adapters go from sector to sector.

use std::ops::RangeInclusive;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

/// The sizes of sectors that a mode has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    bytes: RangeInclusive<usize>,
    multiple_of: usize,
}

impl Sizes {
    /// Whole blocks of 16 bytes.
    pub(crate) const BLOCKS: Self = Sizes { bytes: 16..=usize::MAX, multiple_of: 16 };
    /// A stream: any size.
    pub(crate) const STREAM: Self = Sizes { bytes: 1..=usize::MAX, multiple_of: 1 };
    /// XTS: a block or more, up to 2^20 blocks (IEEE 1619-2018, section 5.1); a last partial block steals ciphertext.
    pub(crate) const XTS: Self = Sizes { bytes: 16..=16 << 20, multiple_of: 1 };
    /// Wide-block ciphers: a block or more, up to a page, which is all that the crate `adiantum` takes.
    pub(crate) const PAGE: Self = Sizes { bytes: 16..=4096, multiple_of: 1 };

    /// Refuses what is not made of whole sectors of a size that the mode has.
    pub(crate) fn check(&self, sector_size: usize, data: &[u8]) -> Result<(), Error> {
        if !self.bytes.contains(&sector_size) || !sector_size.is_multiple_of(self.multiple_of) {
            return Err(Error::Library(format!(
                "sectors of {sector_size} bytes; this cipher takes {} to {} bytes, in multiples of {}",
                self.bytes.start(),
                self.bytes.end(),
                self.multiple_of
            )));
        }
        if !data.len().is_multiple_of(sector_size) {
            return Err(Error::Library(format!(
                "{} bytes are not a multiple of the sector size of {sector_size} bytes; pass whole sectors",
                data.len()
            )));
        }
        Ok(())
    }
}

/// A prepared key of a library that takes one sector at a time.
pub(crate) trait SectorKey: Send + Sync + 'static {
    /// The sectors that it has; the other methods are given no sector of another size.
    fn sizes(&self) -> Sizes;

    /// Encrypts one sector in place.
    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error>;

    /// Decrypts one sector in place.
    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error>;
}

/// The implementation of [`CipherKey`] by such a key.
pub(crate) struct OneByOne<K>(pub(crate) K);

impl<K: SectorKey> CipherKey for OneByOne<K> {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.sizes().check(sector_size, data)?;
        let mut sectors = (0..).zip(data.chunks_exact_mut(sector_size));
        sectors.try_for_each(|(number, sector)| self.0.encrypt(&tweaks.of(number), sector))
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.0.sizes().check(sector_size, data)?;
        let mut sectors = (0..).zip(data.chunks_exact_mut(sector_size));
        sectors.try_for_each(|(number, sector)| self.0.decrypt(&tweaks.of(number), sector))
    }
}

/// The implementation of [`Cipher`] by a function that prepares a key.
pub(crate) struct Keyed<K> {
    pub(crate) key_len: usize,
    pub(crate) prepare: fn(&[u8]) -> Result<K, Error>,
}

impl<K: CipherKey + 'static> Cipher for Keyed<K> {
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        Ok(Box::new((self.prepare)(key)?))
    }
}

/// The same for XTS, by a function that takes any two keys, one after the other.
pub(crate) struct KeyedXts<K> {
    /// Bytes of both keys.
    pub(crate) key_len: usize,
    /// Prepares them, of which each has half as many bytes.
    pub(crate) prepare: fn(&[u8]) -> Result<K, Error>,
}

impl<K: CipherKey + 'static> Cipher for KeyedXts<K> {
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        xts_halves(key)?;
        self.prepare_to_read(key)
    }

    fn prepare_to_read(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        Ok(Box::new((self.prepare)(key)?))
    }
}

pub(crate) fn check_key(expected: usize, key: &[u8]) -> Result<(), Error> {
    if key.len() == expected { Ok(()) } else { Err(wrong_key(expected, key.len())) }
}

#[cold]
pub(crate) fn wrong_key(expected: usize, found: usize) -> Error {
    Error::MalformedKey(format!("it has {found} bytes, and a key of this cipher has {expected}"))
}

/// The two keys of XTS: that of the data, then that of the tweaks.
///
/// # Errors
/// [`Error::MalformedKey`] if they are equal, which FIPS 140-3 forbids (implementation guidance C.I). The comparison
/// takes the same time for all other keys.
pub(crate) fn xts_halves(key: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let (data, tweak) = key.split_at(key.len() / 2);
    if constant_time_eq(data, tweak) {
        return Err(Error::MalformedKey(
            "the two halves of the XTS key are equal, which FIPS 140-3 forbids; make them independently at random"
                .to_owned(),
        ));
    }
    Ok((data, tweak))
}
