//! Matrices of m-vectors, laid out for [`Engine::combine`].
//!
//! Two m-vectors of neighbouring columns become one of `width` bytes: first the bytes of their even entries, then those of
//! the odd ones, the left column's entry in the lower nibble. Four rows make a block, whose size is then a multiple of 64
//! bytes; in a block, pairs of columns follow one another.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::engine::Engine;
use crate::scratch::Scratch;

/// Rows of a block.
const ROWS: usize = 4;

/// Which entries of a square matrix there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Those on and above the diagonal.
    Upper,
    /// Those on and below.
    Lower,
}

/// A triangular matrix of m-vectors. It is public.
#[derive(Clone)]
pub(crate) struct Grid {
    shape: Shape,
    size: usize,
    width: usize,
    bytes: Vec<u8>,
}

impl Grid {
    /// A matrix with `size` rows and columns. `entry` gives the m-vector of a row and a column as packed nibbles in at
    /// least `width / 2` bytes, of which those beyond m nibbles do not matter; it is asked for the triangle's entries, and
    /// gives zeros for some beyond.
    #[inline(always)]
    pub(crate) fn new<'a, E: Engine>(
        engine: E,
        shape: Shape,
        size: usize,
        width: usize,
        entry: impl Fn(usize, usize) -> &'a [u8],
    ) -> Self {
        let mut grid = Self { shape, size, width, bytes: Vec::new() };
        grid.bytes = vec![0; grid.offset(grid.blocks())];
        for row in 0..size {
            let pairs = grid.pairs(row / ROWS);
            let start = grid.offset(row / ROWS) + row % ROWS * width;
            for (at, pair) in pairs.enumerate() {
                let both = &mut grid.bytes[start + at * ROWS * width..][..width];
                let (even, odd) = both.split_at_mut(width / 2);
                engine.zip(entry(row, 2 * pair), entry(row, 2 * pair + 1), even, odd);
            }
        }
        grid
    }

    fn blocks(&self) -> usize {
        self.size.div_ceil(ROWS)
    }

    /// The pairs of columns of which a block has entries.
    fn pairs(&self, block: usize) -> Range<usize> {
        let all = self.size.div_ceil(2);
        match self.shape {
            Shape::Upper => ROWS / 2 * block..all,
            Shape::Lower => 0..(ROWS / 2 * (block + 1)).min(all),
        }
    }

    /// Where a block begins.
    fn offset(&self, block: usize) -> usize {
        let pairs: usize = (0..block).map(|before| self.pairs(before).len()).sum();
        pairs * ROWS * self.width
    }

    /// The matrix times vectors, of which `maps` are for pairs of their entries and `count` the pairs of vectors. The
    /// result has, for each pair of rows, 2 `count` m-vectors of `width` bytes: in the lower nibbles the first row's.
    #[inline(always)]
    pub(crate) fn times<E: Engine>(&self, engine: E, maps: &[E::Map], count: usize) -> Scratch<u8> {
        let width = self.width;
        let mut result = Scratch::new(self.size.div_ceil(2) * 2 * count * width);
        let mut sums = Scratch::<u8>::new(count * ROWS * width);
        let mut at = 0;
        for (block, result) in result.chunks_mut(ROWS / 2 * 2 * count * width).enumerate() {
            let pairs = self.pairs(block);
            let length = pairs.len() * ROWS * width;
            sums.fill(0);
            engine.combine(
                &maps[pairs.start * count..pairs.end * count],
                count,
                &self.bytes[at..at + length],
                &mut sums,
                ROWS * width,
            );
            at += length;
            // A byte has two vectors' products with one row; it is to have two rows' with one vector.
            for (pair, result) in result.chunks_exact_mut(2 * count * width).enumerate() {
                for (sum, result) in sums.chunks_exact(ROWS * width).zip(result.chunks_exact_mut(2 * width)) {
                    let (first, second) = sum[2 * pair * width..].split_at(width);
                    let (low, high) = result.split_at_mut(width);
                    engine.zip(first, second, low, high);
                }
            }
        }
        result
    }
}
