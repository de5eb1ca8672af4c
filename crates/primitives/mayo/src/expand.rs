//! What is expanded from public seeds: P1 and P2, and the linear term of round 3.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fieldtest_aes::{Aes, BlockCipher16 as _};

use crate::engine::Engine;
use crate::grid::{Layout, ROWS};
use crate::maps::MOST_BYTES;
use crate::parameters::{PUBLIC_SEED, Parameters};

/// An entry that is not there.
static ZEROS: [u8; MOST_BYTES] = [0; MOST_BYTES];

/// Packed m-vectors, one after another, and some bytes more, so that the last can be read in whole words.
pub(crate) struct Stream {
    blocks: Vec<[u8; 16]>,
    /// Bytes of the m-vectors before these.
    skipped: usize,
    each: usize,
}

impl Stream {
    /// Room for some m-vectors.
    fn new(parameters: &Parameters, vectors: usize) -> Self {
        let each = parameters.m / 2;
        // They may begin and end within a block.
        Self { blocks: vec![[0; 16]; (vectors * each).div_ceil(16) + 2], skipped: 0, each }
    }

    /// The coefficients of the linear term: blocks are the nonce, with their number XORed in, encrypted (round 3).
    pub(crate) fn linear(parameters: &Parameters, seed: &[u8]) -> Self {
        let mut stream = Self::new(parameters, parameters.n);
        let (key, nonce) = seed.split_at(16);
        for (number, block) in (0u128..).zip(&mut stream.blocks) {
            block.copy_from_slice(nonce);
            *block = (u128::from_be_bytes(*block) ^ number).to_be_bytes();
        }
        aes(key).encrypt(&mut stream.blocks);
        stream
    }

    /// P3, from a public key.
    fn given(parameters: &Parameters, bytes: &[u8]) -> Self {
        let mut stream = Self::new(parameters, bytes.len() / (parameters.m / 2));
        stream.blocks.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        stream
    }

    /// Replaces its content by these m-vectors of the keystream of AES-128 in counter mode from 0 (MAYO.ExpandPK).
    fn read(&mut self, key: &Aes, vectors: Range<usize>) {
        let start = vectors.start * self.each / 16;
        let blocks = (vectors.end * self.each).div_ceil(16) - start + 1;
        self.skipped = 16 * start;
        let blocks = &mut self.blocks[..blocks];
        blocks.fill([0; 16]);
        key.xor_keystream(blocks, blocks.len(), &[(start as u128).to_be_bytes()]);
    }

    /// An m-vector and what follows it.
    #[inline(always)]
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        &self.blocks.as_flattened()[number * self.each - self.skipped..]
    }
}

/// Number of an entry of an upper triangle with `size` columns.
#[inline(always)]
const fn triangle(size: usize, row: usize, column: usize) -> usize {
    row * (2 * size - row + 1) / 2 + column - row
}

fn aes(key: &[u8]) -> Aes {
    match Aes::new(key) {
        Ok(key) => key,
        Err(_) => unreachable!("keys have 16 bytes"),
    }
}

/// What expands the public map, block by block.
pub(crate) struct Source {
    parameters: &'static Parameters,
    layout: Layout,
    key: Aes,
    p1: Stream,
    p2: Stream,
    p3: Option<Stream>,
}

impl Source {
    fn new(parameters: &'static Parameters, layout: Layout, seed: &[u8], p3: Option<Stream>) -> Self {
        Self {
            parameters,
            layout,
            key: aes(seed),
            p1: Stream::new(parameters, ROWS * parameters.v()),
            p2: Stream::new(parameters, ROWS * parameters.o),
            p3,
        }
    }

    /// Of the whole matrix: P1 and P2 over zeros and P3. `key` is a public key.
    pub(crate) fn whole(parameters: &'static Parameters, key: &[u8]) -> Self {
        let (seed, p3) = key.split_at(PUBLIC_SEED);
        Self::new(parameters, Layout::whole(parameters), seed, Some(Stream::given(parameters, p3)))
    }

    /// Of P1.
    pub(crate) fn vinegar(parameters: &'static Parameters, seed: &[u8]) -> Self {
        Self::new(parameters, Layout::vinegar(parameters), seed, None)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn room(&self) -> Vec<u8> {
        vec![0; self.layout.bytes(0)]
    }

    /// Writes a block to the beginning of `bytes`, and returns it.
    #[inline(always)]
    pub(crate) fn block<'a, E: Engine>(&mut self, engine: E, number: usize, bytes: &'a mut [u8]) -> &'a [u8] {
        let (v, o, width) = (self.parameters.v(), self.parameters.o, self.layout.width);
        let p2 = v * (v + 1) / 2;
        let rows = ROWS * number..(ROWS * (number + 1)).min(self.layout.size);
        if rows.start < v {
            let end = rows.end.min(v);
            self.p1.read(&self.key, triangle(v, rows.start, rows.start)..triangle(v, end, end));
            self.p2.read(&self.key, p2 + rows.start * o..p2 + end * o);
        }
        let bytes = &mut bytes[..self.layout.bytes(number)];
        for row in rows.clone() {
            // In the pairs of the block that are left of the diagonal is nothing.
            let before = row / 2 - self.layout.pairs(number).start;
            let at = row % ROWS * width;
            for pair in 0..before {
                bytes[pair * ROWS * width + at..][..width].fill(0);
            }
            let bytes = &mut bytes[before * ROWS * width..];
            let (first, size) = (row / 2 * 2, self.layout.size);
            if row % 2 == 1 {
                bytes[at..][..width].fill(0);
            }
            if row < v {
                let vectors = self.p1.get(triangle(v, row, row));
                self.fill(engine, vectors, row - first..v - first, bytes, at);
                if size > v {
                    self.fill(engine, self.p2.get(p2 + row * o), v - first..size - first, bytes, at);
                }
            } else if let Some(p3) = &self.p3 {
                let vectors = p3.get(triangle(o, row - v, row - v));
                self.fill(engine, vectors, row - first..size - first, bytes, at);
            }
        }
        for row in rows.len()..ROWS {
            for column in bytes.chunks_exact_mut(ROWS * width) {
                column[row * width..][..width].fill(0);
            }
        }
        bytes
    }

    /// Writes m-vectors to some columns of a row, which is `at` in every pair's rows. If the first is the right one of its
    /// pair, it is added to what is there already.
    #[inline(always)]
    fn fill<E: Engine>(
        &self,
        engine: E,
        mut vectors: &[u8],
        columns: Range<usize>,
        bytes: &mut [u8],
        at: usize,
    ) {
        let (width, each, stride) = (self.layout.width, self.p1.each, ROWS * self.layout.width);
        let mut start = columns.start;
        if start % 2 == 1 {
            add_pair(engine, &ZEROS, vectors, &mut bytes[start / 2 * stride + at..][..width]);
            vectors = &vectors[each..];
            start += 1;
        }
        let pairs = (columns.end - start) / 2;
        if pairs > 0 {
            engine.zip_all(vectors, each, &mut bytes[start / 2 * stride + at..], stride, width / 2, pairs);
        }
        if columns.end % 2 == 1 && columns.end > start {
            let pair = &mut bytes[columns.end / 2 * stride + at..][..width];
            pair.fill(0);
            add_pair(engine, &vectors[2 * pairs * each..], &ZEROS, pair);
        }
    }

    /// Adds P2's rows of the block made last to products with the oil space's columns; see [`Layout::products`].
    #[inline(always)]
    pub(crate) fn add_p2<E: Engine>(&self, engine: E, number: usize, products: &mut [u8]) {
        let (v, o, width) = (self.parameters.v(), self.parameters.o, self.layout.width);
        let p2 = v * (v + 1) / 2;
        let each = 2 * self.parameters.o_pairs() * width;
        let first = self.layout.pairs(number).start;
        for (pair, products) in (first..).zip(products[first * each..].chunks_exact_mut(each)).take(ROWS / 2)
        {
            for (t, product) in products.chunks_exact_mut(width).take(o).enumerate() {
                let second = 2 * pair + 1;
                let second = if second < v { self.p2.get(p2 + second * o + t) } else { &ZEROS[..] };
                add_pair(engine, self.p2.get(p2 + 2 * pair * o + t), second, product);
            }
        }
    }
}

/// Adds two packed m-vectors to one whose bytes have an entry of each.
#[inline(always)]
pub(crate) fn add_pair<E: Engine>(engine: E, first: &[u8], second: &[u8], sum: &mut [u8]) {
    let half = sum.len() / 2;
    let mut both = [0; 2 * MOST_BYTES];
    let (even, odd) = both.split_at_mut(half);
    engine.zip(first, second, even, &mut odd[..half]);
    for (sum, byte) in sum.iter_mut().zip(&both) {
        *sum ^= byte;
    }
}
