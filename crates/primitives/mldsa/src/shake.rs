//! Four or eight sponges of SHAKE (FIPS 202) side by side, as FIPS 204 uses them. States are wiped: some hold secrets.

use fieldtest_keccak::Path;
use zeroize::Zeroize;

/// Permutes `W` states side by side.
pub(crate) type Permute<const W: usize> = fn(Path, &mut [[u64; W]; 25]);

/// `W` sponges with blocks of `RATE` bytes, each over a short message.
pub(crate) struct Sponges<const RATE: usize, const W: usize> {
    path: Path,
    permute: Permute<W>,
    states: [[u64; W]; 25],
}

impl<const RATE: usize, const W: usize> Sponges<RATE, W> {
    /// Each message is the seed, of at most 64 bytes, and the two bytes that are given for it, low byte first.
    pub(crate) fn new(path: Path, permute: Permute<W>, seed: &[u8], ends: [u16; W]) -> Self {
        let mut states = [[0; W]; 25];
        let mut words = seed.as_chunks().0.iter();
        for (side, word) in states.iter_mut().zip(&mut words) {
            *side = [u64::from_le_bytes(*word); W];
        }
        // Seeds are of 32 or 64 bytes: the rest begins with a word of its own.
        states[seed.len() / 8] = ends.map(|end| u64::from(end) | 0x1f << 16);
        states[RATE / 8 - 1] = [1 << 63; W];
        Sponges { path, permute, states }
    }

    /// The next blocks of output of each, as many as there is room for.
    pub(crate) fn blocks<const BLOCKS: usize>(&mut self, outputs: &mut [[[u8; RATE]; BLOCKS]; W]) {
        for number in 0..BLOCKS {
            (self.permute)(self.path, &mut self.states);
            for (at, side) in self.states[..RATE / 8].iter().enumerate() {
                for (blocks, word) in outputs.iter_mut().zip(side) {
                    blocks[number][8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
                }
            }
        }
    }
}

impl<const RATE: usize, const W: usize> Drop for Sponges<RATE, W> {
    fn drop(&mut self) {
        self.states.as_flattened_mut().zeroize();
    }
}
