//! SHAKE128 and SHAKE256 (FIPS 202) as FIPS 204 uses them, one at a time and eight side by side. States are wiped: some
//! hold secrets.

use fieldtest_keccak::{Path, permute, permute_eight};
use zeroize::Zeroize;

/// Bytes of a block of SHAKE128.
pub(crate) const RATE_128: usize = 168;
/// Bytes of a block of SHAKE256.
pub(crate) const RATE_256: usize = 136;

/// SHAKE256 of pieces.
pub(crate) struct Shake256 {
    path: Path,
    state: [u64; 25],
    /// Where in the block the next byte goes, or comes from.
    at: usize,
}

impl Shake256 {
    pub(crate) fn new(path: Path) -> Self {
        Shake256 { path, state: [0; 25], at: 0 }
    }

    /// The state after these pieces.
    pub(crate) fn of(path: Path, pieces: &[&[u8]]) -> Self {
        let mut shake = Self::new(path);
        pieces.iter().for_each(|piece| shake.absorb(piece));
        shake
    }

    pub(crate) fn absorb(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            if self.at == RATE_256 {
                permute(self.path, &mut self.state);
                self.at = 0;
            }
            match piece.split_first_chunk() {
                Some((word, rest)) if self.at.is_multiple_of(8) => {
                    self.state[self.at / 8] ^= u64::from_le_bytes(*word);
                    self.at += 8;
                    piece = rest;
                }
                _ => {
                    self.state[self.at / 8] ^= u64::from(piece[0]) << (8 * (self.at % 8));
                    self.at += 1;
                    piece = &piece[1..];
                }
            }
        }
    }

    /// Ends the message; blocks can be had after this.
    pub(crate) fn end(&mut self) {
        if self.at == RATE_256 {
            permute(self.path, &mut self.state);
            self.at = 0;
        }
        self.state[self.at / 8] ^= 0x1f << (8 * (self.at % 8));
        self.state[RATE_256 / 8 - 1] ^= 1 << 63;
    }

    /// The next block of output.
    pub(crate) fn block(&mut self) -> [u8; RATE_256] {
        permute(self.path, &mut self.state);
        let mut block = [0; RATE_256];
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(self.state) {
            *bytes = word.to_le_bytes();
        }
        block
    }

    /// The beginning of the output.
    pub(crate) fn digest<const BYTES: usize>(mut self) -> [u8; BYTES] {
        const { assert!(BYTES <= RATE_256) };
        self.end();
        let mut block = self.block();
        let mut digest = [0; BYTES];
        digest.copy_from_slice(&block[..BYTES]);
        block.zeroize();
        digest
    }
}

impl Drop for Shake256 {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// Eight sponges with blocks of `RATE` bytes, each over a short message.
pub(crate) struct Eight<const RATE: usize> {
    path: Path,
    states: [[u64; 8]; 25],
}

impl<const RATE: usize> Eight<RATE> {
    /// Each message is the seed, of at most 64 bytes, and the two bytes that are given for it, low byte first.
    pub(crate) fn new(path: Path, seed: &[u8], ends: [u16; 8]) -> Self {
        let mut states = [[0; 8]; 25];
        let mut words = seed.as_chunks().0.iter();
        for (side, word) in states.iter_mut().zip(&mut words) {
            *side = [u64::from_le_bytes(*word); 8];
        }
        // Seeds are of 32 or 64 bytes: the rest begins with a word of its own.
        states[seed.len() / 8] = ends.map(|end| u64::from(end) | 0x1f << 16);
        states[RATE / 8 - 1] = [1 << 63; 8];
        Eight { path, states }
    }

    /// The next block of output of each.
    pub(crate) fn blocks(&mut self, blocks: &mut [[u8; RATE]; 8]) {
        permute_eight(self.path, &mut self.states);
        for (at, side) in self.states[..RATE / 8].iter().enumerate() {
            for (block, word) in blocks.iter_mut().zip(side) {
                block[8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

impl<const RATE: usize> Drop for Eight<RATE> {
    fn drop(&mut self) {
        self.states.as_flattened_mut().zeroize();
    }
}
