//! Sectors and random keys.

use fieldtest_kinds::cipher::Tweaks;
use fieldtest_measure::Rng;
use fieldtest_measure::record::Input;
use fieldtest_study::speed::input;

/// dm-crypt counts in units of so many bytes.
const UNIT: usize = 512;
/// Sets the keys' randomness apart from the data's.
const KEYS: u64 = 1;

/// The key's seed: a key is the same in all studies, as it does not matter.
pub(super) const KEY_SEED: u64 = 1;

/// Plaintext in sectors that follow each other.
pub(super) struct Data {
    pub(super) bytes: Vec<u8>,
    /// Bytes per sector.
    pub(super) sector: usize,
    pub(super) input: Input,
}

impl Data {
    /// As many bytes, which are to be a whole number of sectors.
    pub(super) fn random(length: usize, sector: usize, seed: u64) -> Data {
        let bytes = random(length, &mut Rng::new(seed));
        let name = format!("{length} random bytes in sectors of {sector}, seed {seed}");
        let input = input(name, &bytes, length / sector);
        Data { bytes, sector, input }
    }

    pub(super) fn first(&self, length: usize) -> Data {
        let bytes = self.bytes[..length.min(self.bytes.len())].to_vec();
        let name = format!("the first {} bytes of {}", bytes.len(), self.input.name);
        let input = input(name, &bytes, bytes.len() / self.sector);
        Data { bytes, sector: self.sector, input }
    }

    /// The tweaks from the sector on that begins at this byte of the disk.
    pub(super) fn tweaks(&self, offset: usize) -> Tweaks {
        tweaks(self.sector, offset)
    }
}

/// The tweaks of a disk with such sectors, from the one on that begins at this byte: numbers as `plain64` makes them.
pub(super) fn tweaks(sector: usize, offset: usize) -> Tweaks {
    Tweaks { first: (offset / UNIT) as u128, step: (sector / UNIT) as u64 }
}

/// A key for a study: not secret.
pub(super) fn key(length: usize, seed: u64) -> Vec<u8> {
    random(length, &mut Rng::for_purpose(seed, KEYS))
}

fn random(length: usize, rng: &mut Rng) -> Vec<u8> {
    let words = (0..length.div_ceil(8)).flat_map(|_| rng.next_u64().to_le_bytes());
    words.take(length).collect()
}
