//! The oil space, and what a signing key is expanded to.

use crate::engine::Engine;
use crate::expand::Source;
use crate::field::decode;
use crate::grid::{Layout, ROWS};
use crate::hash::shake256;
use crate::maps;
use crate::parameters::{PUBLIC_SEED, Parameters};
use crate::scratch::Scratch;

/// The oil space O, a matrix with v rows and o columns. It is wiped on drop.
#[derive(Clone)]
pub(crate) struct Oil {
    /// The seed of P1 and P2, which comes from the same hash. It is public.
    pub(crate) public_seed: [u8; PUBLIC_SEED],
    pub(crate) columns: Scratch<u8>,
    /// The same in pairs of columns that share bytes, each of [`Oil::row`] bytes.
    pub(crate) pairs: Scratch<u8>,
}

impl Oil {
    /// Hashes the secret seed (MAYO.CompactKeyGen).
    pub(crate) fn new(parameters: &Parameters, seed: &[u8]) -> Self {
        let (v, o) = (parameters.v(), parameters.o);
        let mut bytes = Scratch::new(PUBLIC_SEED + parameters.oil_bytes());
        shake256(&[seed], &mut bytes);
        let (public, packed) = bytes.split_at(PUBLIC_SEED);
        let mut public_seed = [0; PUBLIC_SEED];
        public_seed.copy_from_slice(public);
        let mut rows = Scratch::<u8>::new(v * o);
        decode(packed, &mut rows);

        let mut columns = Scratch::<u8>::new(v * o);
        let mut pairs = Scratch::<u8>::new(parameters.o_pairs() * Self::row(parameters));
        for (i, row) in rows.chunks_exact(o).enumerate() {
            for (j, element) in row.iter().enumerate() {
                columns[j * v + i] = *element;
                pairs[j / 2 * Self::row(parameters) + i] |= element << (j % 2 * 4);
            }
        }
        Self { public_seed, columns, pairs }
    }

    /// Bytes for one nibble of each vinegar variable.
    pub(crate) const fn row(parameters: &Parameters) -> usize {
        parameters.v().next_multiple_of(16)
    }
}

/// Makes the blocks of P1, and meanwhile from them L = (P1 + P1ᵀ) O + P2.
pub(crate) struct Expansion<E: Engine> {
    source: Source,
    /// For pairs of rows of O.
    pair_maps: Scratch<E::Map>,
    /// For each row of O, o of them.
    row_maps: Scratch<E::Map>,
    count: usize,
    /// L, as far as the blocks made it, in the form of [`Layout::products`].
    pub(crate) mixed: Scratch<u8>,
}

impl<E: Engine> Expansion<E> {
    #[inline(always)]
    pub(crate) fn new(engine: E, parameters: &'static Parameters, oil: &Oil) -> Self {
        let (v, o) = (parameters.v(), parameters.o);
        let source = Source::vinegar(parameters, &oil.public_seed);
        // Rows beyond the last are those of the last block's.
        let mut row_maps = Scratch::new(v.next_multiple_of(ROWS) * o);
        for (t, column) in oil.columns.chunks_exact(v).enumerate() {
            for (maps, element) in row_maps.chunks_exact_mut(o).zip(column) {
                maps::scalars(engine, core::slice::from_ref(element), &mut maps[t..=t]);
            }
        }
        Self {
            mixed: Scratch::new(source.layout().products(parameters.o_pairs())),
            source,
            pair_maps: maps::of(engine, &oil.columns, o, v),
            row_maps,
            count: o,
        }
    }

    pub(crate) fn layout(&self) -> Layout {
        self.source.layout()
    }

    pub(crate) fn room(&self) -> alloc::vec::Vec<u8> {
        self.source.room()
    }

    /// Writes a block to the beginning of `bytes`, and returns it. The last has to be made first, the first last: a block
    /// sets L's rows of its own, and adds to those of the blocks after it.
    #[inline(always)]
    pub(crate) fn block<'a>(&mut self, engine: E, number: usize, bytes: &'a mut [u8]) -> &'a [u8] {
        let layout = self.layout();
        let block = self.source.block(engine, number, bytes);
        let maps = &self.row_maps[ROWS * number * self.count..][..ROWS * self.count];
        // Both triangles have the diagonal, which is 0 in their sum.
        layout.multiply(engine, (number, block), &self.pair_maps, self.count.div_ceil(2), &mut self.mixed);
        layout.add_transposed(engine, (number, block), maps, self.count, &mut self.mixed);
        self.source.add_p2(engine, number, &mut self.mixed);
        block
    }
}
