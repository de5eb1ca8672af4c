//! Upper triangular matrices of m-vectors, laid out for [`Engine::combine`].
//!
//! Two m-vectors of neighbouring columns become one of `width` bytes: first the bytes of their even entries, then those of
//! the odd ones, the left column's entry in the lower nibble. Four rows make a block, whose size is then a multiple of 64
//! bytes; in a block, pairs of columns follow one another, from the first that has an entry on or above the diagonal.
//!
//! A block can be used as soon as it is there: what is done once never has the whole matrix in memory.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::engine::Engine;
use crate::parameters::Parameters;
use crate::scratch::Scratch;

/// Rows of a block.
pub(crate) const ROWS: usize = 4;

/// Where the entries of a matrix are.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Rows and columns.
    pub(crate) size: usize,
    /// Bytes of two m-vectors.
    pub(crate) width: usize,
}

impl Layout {
    /// The vinegar variables' matrix P1.
    pub(crate) const fn vinegar(parameters: &Parameters) -> Self {
        Self { size: parameters.v(), width: parameters.width() }
    }

    /// The matrix of the whole map.
    pub(crate) const fn whole(parameters: &Parameters) -> Self {
        Self { size: parameters.n, width: parameters.width() }
    }

    pub(crate) const fn blocks(self) -> usize {
        self.size.div_ceil(ROWS)
    }

    /// The pairs of columns of which a block has entries.
    pub(crate) const fn pairs(self, block: usize) -> Range<usize> {
        ROWS / 2 * block..self.size.div_ceil(2)
    }

    pub(crate) const fn bytes(self, block: usize) -> usize {
        let pairs = self.pairs(block);
        (pairs.end - pairs.start) * ROWS * self.width
    }

    /// Bytes of the products with 2 `count` vectors: for each pair of rows 2 `count` m-vectors of `width` bytes, in whose
    /// lower nibbles is the first row's product.
    pub(crate) const fn products(self, count: usize) -> usize {
        self.size.div_ceil(2) * 2 * count * self.width
    }

    /// Writes into `products` those of a block's rows with some vectors, of which `maps` are for pairs of their entries and
    /// `count` the pairs of vectors.
    #[inline(always)]
    pub(crate) fn multiply<E: Engine>(
        self,
        engine: E,
        (number, block): (usize, &[u8]),
        maps: &[E::Map],
        count: usize,
        products: &mut [u8],
    ) {
        let (width, pairs) = (self.width, self.pairs(number));
        let mut sums = Scratch::<u8>::new(count * ROWS * width);
        engine.combine(&maps[pairs.start * count..pairs.end * count], count, block, &mut sums, ROWS * width);
        // A byte has two vectors' products with one row; it is to have two rows' with one vector.
        let each = 2 * count * width;
        let products = &mut products[pairs.start * each..];
        for (pair, products) in products.chunks_exact_mut(each).take(ROWS / 2).enumerate() {
            for (sum, product) in sums.chunks_exact(ROWS * width).zip(products.chunks_exact_mut(2 * width)) {
                let (first, second) = sum[2 * pair * width..].split_at(width);
                let (low, high) = product.split_at_mut(width);
                engine.zip(first, second, low, high);
            }
        }
    }

    /// Adds to `products` those of the transposed matrix, as far as they come from this block. `maps` multiply by the
    /// entries of the `count` vectors at the block's rows.
    #[inline(always)]
    pub(crate) fn add_transposed<E: Engine>(
        self,
        engine: E,
        (number, block): (usize, &[u8]),
        maps: &[E::Map],
        count: usize,
        products: &mut [u8],
    ) {
        let each = count.next_multiple_of(2) * self.width;
        let products = &mut products[self.pairs(number).start * each..];
        for (rows, products) in block.chunks_exact(ROWS * self.width).zip(products.chunks_exact_mut(each)) {
            engine.combine(maps, count, rows, &mut products[..count * self.width], self.width);
        }
    }
}

/// A matrix in memory. It is public.
#[derive(Clone)]
pub(crate) struct Grid {
    layout: Layout,
    bytes: Vec<u8>,
}

impl Grid {
    pub(crate) fn new(layout: Layout) -> Self {
        let bytes = (0..layout.blocks()).map(|block| layout.bytes(block)).sum();
        Self { layout, bytes: vec![0; bytes] }
    }

    pub(crate) fn block_mut(&mut self, number: usize) -> &mut [u8] {
        let start: usize = (0..number).map(|before| self.layout.bytes(before)).sum();
        &mut self.bytes[start..][..self.layout.bytes(number)]
    }

    /// The products with vectors; see [`Layout::multiply`].
    #[inline(always)]
    pub(crate) fn times<E: Engine>(&self, engine: E, maps: &[E::Map], count: usize) -> Scratch<u8> {
        let mut products = Scratch::new(self.layout.products(count));
        let mut rest = self.bytes.as_slice();
        for number in 0..self.layout.blocks() {
            let (block, after) = rest.split_at(self.layout.bytes(number));
            rest = after;
            self.layout.multiply(engine, (number, block), maps, count, &mut products);
        }
        products
    }
}
