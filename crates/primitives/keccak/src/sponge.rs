//! A sponge (FIPS 202, section 4) that absorbs a message in pieces.

use crate::engine;
use crate::lanes::squeeze;
use crate::path::Path;
use crate::permutation::{State, last_rounds};

/// A message under way into a sponge that takes `RATE` bytes at a time.
#[derive(Clone)]
pub(crate) struct Sponge<const RATE: usize> {
    path: Path,
    iota: &'static [u64],
    state: State,
    /// The end of the message so far that does not fill a block.
    buffer: [u8; RATE],
    filled: usize,
}

impl<const RATE: usize> Sponge<RATE> {
    pub(crate) fn new(path: Path, rounds: usize) -> Self {
        Self { path, iota: last_rounds(rounds), state: [0; 25], buffer: [0; RATE], filled: 0 }
    }

    pub(crate) fn update(&mut self, mut piece: &[u8]) {
        if self.filled > 0 {
            let (_, free) = self.buffer.split_at_mut(self.filled);
            let (now, later) = piece.split_at(piece.len().min(free.len()));
            free[..now.len()].copy_from_slice(now);
            self.filled += now.len();
            piece = later;
            if self.filled < RATE {
                return;
            }
            engine::absorb(self.path, &mut self.state, &[self.buffer], self.iota);
        }
        let (blocks, rest) = piece.as_chunks::<RATE>();
        engine::absorb(self.path, &mut self.state, blocks, self.iota);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Ends the message with `suffix` and the padding, and overwrites the output.
    pub(crate) fn finish(mut self, suffix: u8, output: &mut [u8]) {
        self.buffer[self.filled..].fill(0);
        self.buffer[self.filled] = suffix;
        self.buffer[RATE - 1] |= 0x80;
        engine::absorb(self.path, &mut self.state, &[self.buffer], self.iota);
        squeeze::<RATE>(self.path, self.iota, &mut self.state, output);
    }
}
