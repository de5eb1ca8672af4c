//! What is expanded from seeds: P1 and P2, the oil space, and the linear term of round 3.

use alloc::vec;
use alloc::vec::Vec;

use fieldtest_aes::Aes;

use crate::engine::Engine;
use crate::field::decode;
use crate::grid::{Grid, Shape};
use crate::hash::shake256;
use crate::maps::MOST_BYTES;
use crate::parameters::{PUBLIC_SEED, Parameters};
use crate::scratch::Scratch;

/// An entry that is not there.
static ZEROS: [u8; MOST_BYTES] = [0; MOST_BYTES];

/// Packed m-vectors, one after another, and some bytes more, so that the last can be read in whole words.
pub(crate) struct Stream {
    blocks: Vec<[u8; 16]>,
    each: usize,
}

impl Stream {
    fn new(parameters: &Parameters, bytes: usize) -> Self {
        Self { blocks: vec![[0; 16]; bytes.div_ceil(16) + 1], each: parameters.m / 2 }
    }

    /// P1 and P2: the keystream of AES-128 in counter mode from 0 (specification, section 2.1.3).
    pub(crate) fn public(parameters: &Parameters, seed: &[u8]) -> Self {
        let mut stream = Self::new(parameters, parameters.expanded_bytes());
        let length = stream.blocks.len();
        aes(seed).xor_keystream(&mut stream.blocks, length, &[[0; 16]]);
        stream
    }

    /// The coefficients of the linear term: blocks are the nonce, with their number XORed in, encrypted (specification of
    /// round 3, section 2.1.3).
    pub(crate) fn linear(parameters: &Parameters, seed: &[u8]) -> Self {
        let mut stream = Self::new(parameters, parameters.n * parameters.m / 2);
        let (key, nonce) = seed.split_at(16);
        for (number, block) in (0u128..).zip(&mut stream.blocks) {
            block.copy_from_slice(nonce);
            *block = (u128::from_be_bytes(*block) ^ number).to_be_bytes();
        }
        aes(key).encrypt(&mut stream.blocks);
        stream
    }

    /// P3, from a public key.
    pub(crate) fn given(parameters: &Parameters, bytes: &[u8]) -> Self {
        let mut stream = Self::new(parameters, bytes.len());
        stream.blocks.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        stream
    }

    /// An m-vector and what follows it.
    #[inline(always)]
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        &self.blocks.as_flattened()[number * self.each..]
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

/// The matrix of the whole public map: P1 and P2 over zeros and P3.
#[inline(always)]
pub(crate) fn whole<E: Engine>(engine: E, parameters: &Parameters, expanded: &Stream, p3: &Stream) -> Grid {
    let (v, o) = (parameters.v(), parameters.o);
    let p2 = v * (v + 1) / 2;
    Grid::new(engine, Shape::Upper, parameters.n, parameters.width(), |row, column| {
        if column < row || column >= v + o {
            &ZEROS[..]
        } else if column < v {
            expanded.get(triangle(v, row, column))
        } else if row < v {
            expanded.get(p2 + row * o + column - v)
        } else {
            p3.get(triangle(o, row - v, column - v))
        }
    })
}

/// P1, or its transpose.
#[inline(always)]
pub(crate) fn vinegar<E: Engine>(
    engine: E,
    parameters: &Parameters,
    expanded: &Stream,
    shape: Shape,
) -> Grid {
    let v = parameters.v();
    Grid::new(engine, shape, v, parameters.width(), |row, column| {
        let (row, column) = match shape {
            Shape::Upper => (row, column),
            Shape::Lower => (column, row),
        };
        if column < row || column >= v { &ZEROS[..] } else { expanded.get(triangle(v, row, column)) }
    })
}

/// Adds P2 to what [`Grid::times`] gives for vectors that are the oil space's columns.
#[inline(always)]
pub(crate) fn add_p2<E: Engine>(engine: E, parameters: &Parameters, expanded: &Stream, sums: &mut [u8]) {
    let (v, o, width) = (parameters.v(), parameters.o, parameters.width());
    let p2 = v * (v + 1) / 2;
    for (pair, sums) in sums.chunks_exact_mut(2 * parameters.o_pairs() * width).enumerate() {
        for (t, sum) in sums.chunks_exact_mut(width).take(o).enumerate() {
            let second = 2 * pair + 1;
            let second = if second < v { expanded.get(p2 + second * o + t) } else { &ZEROS[..] };
            add_pair(engine, expanded.get(p2 + 2 * pair * o + t), second, sum);
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

/// The seed of P1 and P2, and the oil space with v rows and o columns, from the secret seed (specification, algorithm 5).
pub(crate) fn secret(parameters: &Parameters, seed: &[u8]) -> ([u8; PUBLIC_SEED], Scratch<u8>) {
    let mut bytes = Scratch::new(PUBLIC_SEED + parameters.oil_bytes());
    shake256(&[seed], &mut bytes);
    let (public, packed) = bytes.split_at(PUBLIC_SEED);
    let mut oil = Scratch::new(parameters.v() * parameters.o);
    decode(packed, &mut oil);
    let mut seed = [0; PUBLIC_SEED];
    seed.copy_from_slice(public);
    (seed, oil)
}

/// A matrix's columns one after another.
pub(crate) fn transposed(matrix: &[u8], columns: usize) -> Scratch<u8> {
    let rows = matrix.len() / columns;
    let mut result = Scratch::new(matrix.len());
    for (i, row) in matrix.chunks_exact(columns).enumerate() {
        for (j, element) in row.iter().enumerate() {
            result[j * rows + i] = *element;
        }
    }
    result
}
