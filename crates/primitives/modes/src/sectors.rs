//! What the modes of sectors have in common.

use crate::{Block, Error};

/// A mode that encrypts consecutive sectors in place, each by itself.
///
/// Sector `i` of the data has the number `first + i · step` modulo 2^128. As sixteen little-endian bytes it is the XTS
/// tweak (IEEE 1619-2018, section 5.1), the initialisation vector of CBC or the first counter block of CTR, which
/// is what dm-crypt calls `plain64`.
pub trait SectorMode {
    /// Encrypts.
    ///
    /// # Errors
    /// [`Error::SectorSize`] if the mode has no sectors of that size, [`Error::PartialSector`] if `data` is no whole
    /// number of sectors; the data is as it was then.
    fn encrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error>;

    /// Decrypts.
    ///
    /// # Errors
    /// As [`encrypt_sectors`](Self::encrypt_sectors).
    fn decrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error>;
}

/// Refuses data that is not made of whole sectors.
pub(crate) fn whole_sectors(sector_size: usize, data: &[u8]) -> Result<(), Error> {
    match data.len() % sector_size {
        0 => Ok(()),
        _ => Err(Error::PartialSector { length: data.len(), sector_size }),
    }
}

/// The data as blocks, if the sectors are made of whole blocks; second, the blocks of a sector.
pub(crate) fn blocks_of(sector_size: usize, data: &mut [u8]) -> Result<(&mut [Block], usize), Error> {
    if sector_size == 0 || !sector_size.is_multiple_of(16) {
        return Err(Error::SectorSize { found: sector_size, expected: "multiples of 16 bytes" });
    }
    whole_sectors(sector_size, data)?;
    Ok((data.as_chunks_mut().0, sector_size / 16))
}

/// The numbers of consecutive sectors.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) next: u128,
    pub(crate) step: u64,
}

impl Numbers {
    #[inline]
    pub(crate) fn take(&mut self) -> Block {
        let number = self.next.to_le_bytes();
        self.next = self.next.wrapping_add(self.step.into());
        number
    }

    /// Those of as many sectors as there is room for.
    pub(crate) fn fill(&mut self, numbers: &mut [Block]) {
        numbers.fill_with(|| self.take());
    }

    /// Calls `work` on many sectors of `run` blocks at a time, and on their numbers.
    pub(crate) fn of_sectors(
        mut self,
        blocks: &mut [Block],
        run: usize,
        mut work: impl FnMut(&mut [Block], &mut [Block]),
    ) {
        // Clearing room for many would be felt with few sectors.
        if blocks.len() == run {
            work(blocks, &mut [self.take()]);
        } else if blocks.len() / 8 <= run {
            self.of_sectors_at_a_time::<8>(blocks, run, work);
        } else {
            self.of_sectors_at_a_time::<64>(blocks, run, work);
        }
    }

    fn of_sectors_at_a_time<const N: usize>(
        mut self,
        blocks: &mut [Block],
        run: usize,
        mut work: impl FnMut(&mut [Block], &mut [Block]),
    ) {
        let mut numbers = [[0; 16]; N];
        for sectors in blocks.chunks_mut(run.saturating_mul(N)) {
            let numbers = &mut numbers[..sectors.len() / run];
            self.fill(numbers);
            work(sectors, numbers);
        }
    }
}
