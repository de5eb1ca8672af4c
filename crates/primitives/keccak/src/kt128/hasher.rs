//! One message, possibly in pieces.

use core::convert::Infallible;

use super::{CHUNK, FINAL_NODE, LEAF, Length, MARK, ONE_CHUNK, RATE, ROUNDS, VALUE};
use crate::lanes::{self, Task};
use crate::path::Path;
use crate::source::Source;
use crate::sponge::Sponge;

/// How many chunks are handed over together; a multiple of the lanes of every path.
const TOGETHER: usize = 16;

#[derive(Clone)]
pub(crate) struct Hasher {
    path: Path,
    /// The final node.
    root: Sponge<RATE>,
    /// The chunk under way, unless it is the first, which is the beginning of the final node.
    leaf: Option<Sponge<RATE>>,
    /// Bytes in the chunk under way.
    filled: usize,
    /// Chaining values absorbed.
    leaves: usize,
}

impl Hasher {
    pub(crate) fn new(path: Path) -> Self {
        Self { path, root: Sponge::new(path, ROUNDS), leaf: None, filled: 0, leaves: 0 }
    }

    pub(crate) fn update(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            if self.filled == CHUNK {
                self.end_chunk();
            }
            let chunks = piece.as_chunks::<CHUNK>().0;
            if self.leaf.is_some() && self.filled == 0 && chunks.len() > 1 {
                self.whole_chunks(chunks);
                piece = piece.get(chunks.len() * CHUNK..).unwrap_or_default();
                continue;
            }
            let (now, later) = piece.split_at(piece.len().min(CHUNK - self.filled));
            self.leaf.as_mut().unwrap_or(&mut self.root).update(now);
            self.filled += now.len();
            piece = later;
        }
    }

    /// Ends the chunk under way, after which another must follow.
    fn end_chunk(&mut self) {
        match self.leaf.take() {
            None => self.root.update(&MARK),
            Some(leaf) => self.end_leaf(leaf),
        }
        self.leaf = Some(Sponge::new(self.path, ROUNDS));
        self.filled = 0;
    }

    fn end_leaf(&mut self, leaf: Sponge<RATE>) {
        let mut value = [0; VALUE];
        leaf.finish(LEAF, &mut value);
        self.root.update(&value);
        self.leaves += 1;
    }

    /// Chunks that are not the first, side by side.
    fn whole_chunks(&mut self, chunks: &[[u8; CHUNK]]) {
        for chunks in chunks.chunks(TOGETHER) {
            let mut values = [[0; VALUE]; TOGETHER];
            let tasks = chunks.iter().zip(&mut values).map(|(chunk, value)| {
                Ok::<_, Infallible>(Task {
                    source: Source::new([chunk, &[], &[]]),
                    suffix: LEAF,
                    digest: value,
                })
            });
            let Ok(()) = lanes::run::<RATE, _>(self.path, ROUNDS, tasks);
            self.root.update(values.get(..chunks.len()).unwrap_or_default().as_flattened());
            self.leaves += chunks.len();
        }
    }

    /// Ends the message with a customization string, which may be empty, and overwrites the output.
    pub(crate) fn finish(mut self, customization: &[u8], output: &mut [u8]) {
        self.update(customization);
        self.update(Length::of(customization.len()).as_bytes());
        let Some(leaf) = self.leaf.take() else { return self.root.finish(ONE_CHUNK, output) };
        if self.filled > 0 {
            self.end_leaf(leaf);
        }
        self.root.update(Length::of(self.leaves).as_bytes());
        self.root.update(&[0xff, 0xff]);
        self.root.finish(FINAL_NODE, output);
    }
}
