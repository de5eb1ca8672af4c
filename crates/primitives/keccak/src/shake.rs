//! SHAKE128 and SHAKE256 (FIPS 202) as signature algorithms use them: a few short pieces, and secrets among them. States
//! are wiped.

use zeroize::Zeroize;

use crate::path::Path;
use crate::states::{permute, permute_four};

/// Bytes of a block of SHAKE128.
pub const RATE_128: usize = 168;
/// Bytes of a block of SHAKE256.
pub const RATE_256: usize = 136;

/// SHAKE256 over a message in pieces.
pub type Shake256 = Shake<RATE_256>;

/// SHAKE with blocks of `RATE` bytes, over a message in pieces.
pub struct Shake<const RATE: usize> {
    path: Path,
    state: [u64; 25],
    /// Where in the block the next byte goes.
    at: usize,
}

impl<const RATE: usize> Shake<RATE> {
    /// The state after these pieces, by the given path.
    #[must_use]
    pub fn of(path: Path, pieces: &[&[u8]]) -> Self {
        let mut shake = Self { path, state: [0; 25], at: 0 };
        pieces.iter().for_each(|piece| shake.absorb(piece));
        shake
    }

    /// Appends to the message.
    pub fn absorb(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            self.begin_block();
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

    /// Absorbs the block if it is full. That waits until there is more, because [`four`] goes on from there.
    fn begin_block(&mut self) {
        if self.at == RATE {
            permute(self.path, &mut self.state);
            self.at = 0;
        }
    }

    /// Ends the message.
    #[must_use]
    pub fn output(mut self) -> Output<RATE> {
        self.begin_block();
        self.state[self.at / 8] ^= 0x1f << (8 * (self.at % 8));
        self.state[RATE / 8 - 1] ^= 1 << 63;
        Output(self)
    }

    /// Ends the message and overwrites `digest` with the beginning of the output.
    pub fn finish(self, digest: &mut [u8]) {
        let mut output = self.output();
        for block in digest.chunks_mut(RATE) {
            for (bytes, word) in block.chunks_mut(8).zip(output.words()) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
        }
    }

    /// Ends the message and gives the beginning of the output.
    #[must_use]
    pub fn digest<const BYTES: usize>(self) -> [u8; BYTES] {
        let mut digest = [0; BYTES];
        self.finish(&mut digest);
        digest
    }
}

impl<const RATE: usize> Drop for Shake<RATE> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// What follows a message that has ended.
pub struct Output<const RATE: usize>(Shake<RATE>);

impl<const RATE: usize> Output<RATE> {
    /// The next block, as words of which the bytes are in little-endian order.
    pub fn words(&mut self) -> &[u64] {
        permute(self.0.path, &mut self.0.state);
        &self.0.state[..RATE / 8]
    }

    /// The next block.
    pub fn block(&mut self) -> [u8; RATE] {
        let mut block = [0; RATE];
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(self.words()) {
            *bytes = word.to_le_bytes();
        }
        block
    }
}

/// SHAKE256 of four messages side by side, which are the pieces and one byte from 0 to 3 behind them: a word of each
/// output in turn.
pub fn four(path: Path, pieces: &[&[u8]], output: &mut [[u64; 4]]) {
    // The states are equal up to the last byte, so that one state absorbs what comes before the last block.
    let mut common = Shake256::of(path, pieces);
    common.begin_block();
    let mut states = common.state.map(|word| [word; 4]);
    for (number, word) in states[common.at / 8].iter_mut().enumerate() {
        // The byte, and the end of the message behind it where the block has room for both.
        *word ^= (number as u64) << (8 * (common.at % 8));
    }
    common.at += 1;
    if common.at == RATE_256 {
        permute_four(path, &mut states);
        common.at = 0;
    }
    states[common.at / 8].iter_mut().for_each(|word| *word ^= 0x1f << (8 * (common.at % 8)));
    states[RATE_256 / 8 - 1].iter_mut().for_each(|word| *word ^= 1 << 63);
    for block in output.chunks_mut(RATE_256 / 8) {
        permute_four(path, &mut states);
        block.copy_from_slice(&states[..block.len()]);
    }
    states.as_flattened_mut().zeroize();
}
