//! XTS (IEEE 1619-2018).

use fieldtest_block::masks;

use crate::sectors::{Numbers, blocks_of, whole_sectors};
use crate::{Block, BlockCipher16, Error, SectorMode};

/// XTS: each block of a sector between two XORs with a mask, which is made of the encrypted sector number and the
/// block's place. A last partial block steals ciphertext from the one before it.
///
/// The numbers of many sectors are encrypted by one call, so that short sectors cost little more than long ones.
#[derive(Clone)]
pub struct Xts<C> {
    /// Key₁ of the standard.
    data: C,
    /// Key₂.
    tweak: C,
}

/// Most bytes of a sector: 2^20 blocks (section 5.1).
const LONGEST: usize = 16 << 20;

impl<C: BlockCipher16> Xts<C> {
    /// Prepares both keys, which stand one after the other.
    ///
    /// The halves may be equal, as the standard's own vector 1 has them and as the Linux kernel accepts outside its
    /// FIPS mode. FIPS 140-3 forbids that of AES (implementation guidance C.I), and the caller is to look for it.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let wrong = |_| Error::KeyLength { found: key.len() };
        let (data, tweak) = key.split_at(key.len() / 2);
        Ok(Self { data: C::with_key(data).map_err(wrong)?, tweak: C::with_key(tweak).map_err(wrong)? })
    }

    /// Encrypts one sector ("data unit") of at least 16 bytes under its tweak.
    ///
    /// # Errors
    /// [`Error::SectorSize`] for one of less than 16 bytes or more than 2^20 blocks.
    pub fn encrypt(&self, tweak: &Block, sector: &mut [u8]) -> Result<(), Error> {
        self.encrypt_sectors(u128::from_le_bytes(*tweak), 0, sector.len(), sector)
    }

    /// Decrypts one sector.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &Block, sector: &mut [u8]) -> Result<(), Error> {
        self.decrypt_sectors(u128::from_le_bytes(*tweak), 0, sector.len(), sector)
    }

    /// Calls `whole` on sectors of whole blocks with their encrypted tweaks, many at a time, or `stealing` on each
    /// other one with its own.
    fn sectors(
        &self,
        numbers: Numbers,
        sector_size: usize,
        data: &mut [u8],
        whole: impl Fn(&mut [Block], usize, &[Block]),
        stealing: impl Fn(&mut [Block], &mut [u8], Block),
    ) -> Result<(), Error> {
        // Clearing a large buffer would be felt with few sectors.
        if data.len() <= sector_size {
            self.sectors_at_a_time::<1>(numbers, sector_size, data, whole, stealing)
        } else if data.len() / 8 <= sector_size {
            self.sectors_at_a_time::<8>(numbers, sector_size, data, whole, stealing)
        } else {
            self.sectors_at_a_time::<64>(numbers, sector_size, data, whole, stealing)
        }
    }

    /// [`sectors`](Self::sectors), the numbers of `N` sectors encrypted at a time.
    fn sectors_at_a_time<const N: usize>(
        &self,
        mut numbers: Numbers,
        sector_size: usize,
        data: &mut [u8],
        whole: impl Fn(&mut [Block], usize, &[Block]),
        stealing: impl Fn(&mut [Block], &mut [u8], Block),
    ) -> Result<(), Error> {
        if !(16..=LONGEST).contains(&sector_size) {
            return Err(Error::SectorSize { found: sector_size, expected: "16 to 16,777,216 bytes" });
        }
        whole_sectors(sector_size, data)?;
        let mut tweaks = [[0; 16]; N];
        if let Ok((blocks, run)) = blocks_of(sector_size, data) {
            for blocks in blocks.chunks_mut(run * N) {
                let tweaks = &mut tweaks[..blocks.len() / run];
                numbers.fill(tweaks);
                self.tweak.encrypt(tweaks);
                whole(blocks, run, tweaks);
            }
            return Ok(());
        }
        for sectors in data.chunks_mut(sector_size * N) {
            let tweaks = &mut tweaks[..sectors.len() / sector_size];
            numbers.fill(tweaks);
            self.tweak.encrypt(tweaks);
            for (sector, tweak) in sectors.chunks_mut(sector_size).zip(tweaks) {
                let (blocks, rest) = sector.as_chunks_mut();
                stealing(blocks, rest, *tweak);
            }
        }
        Ok(())
    }
}

impl<C: BlockCipher16> SectorMode for Xts<C> {
    fn encrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        self.sectors(
            Numbers { next: first, step },
            sector_size,
            data,
            |blocks, run, tweaks| self.data.encrypt_xex(blocks, run, tweaks),
            // Section 5.3.2.
            |blocks, rest, tweak| {
                self.data.encrypt_xex(blocks, blocks.len(), &[tweak]);
                let mask = nth_mask(tweak, blocks.len());
                if let Some(last) = blocks.last_mut() {
                    swap_beginnings(last, rest);
                    self.data.encrypt_masked(core::slice::from_mut(last), &[mask]);
                }
            },
        )
    }

    fn decrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        self.sectors(
            Numbers { next: first, step },
            sector_size,
            data,
            |blocks, run, tweaks| self.data.decrypt_xex(blocks, run, tweaks),
            // Section 5.4.2: the last whole block has the mask of the partial one, and the other way round.
            |blocks, rest, tweak| {
                if let Some((last, before)) = blocks.split_last_mut() {
                    if !before.is_empty() {
                        self.data.decrypt_xex(before, before.len(), &[tweak]);
                    }
                    let mask = nth_mask(tweak, before.len());
                    self.data.decrypt_masked(core::slice::from_mut(last), &[masks::next(&mask)]);
                    swap_beginnings(last, rest);
                    self.data.decrypt_masked(core::slice::from_mut(last), &[mask]);
                }
            },
        )
    }
}

fn nth_mask(tweak: Block, at: usize) -> Block {
    (0..at).fold(tweak, |mask, _| masks::next(&mask))
}

fn swap_beginnings(block: &mut Block, rest: &mut [u8]) {
    for (a, b) in block.iter_mut().zip(rest) {
        core::mem::swap(a, b);
    }
}
