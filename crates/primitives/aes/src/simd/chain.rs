//! Blocks that wait for one another: CBC and CBC-MAC. One register is under way, whatever the path, and the round keys stay in
//! others.

use super::Operation;
use super::engine::RoundKeys;
use super::vector::Vector;
use super::xmm::Xmm;
use crate::Block;

/// Each block XORed with the ciphertext before it.
pub(crate) struct Chain<'a> {
    /// The ciphertext before the first, and then the last one.
    pub(crate) state: &'a mut Block,
    pub(crate) blocks: &'a mut [Block],
}

/// The last ciphertext of a [`Chain`].
pub(crate) struct Absorb<'a> {
    /// The ciphertext before the first, and then the last one.
    pub(crate) state: &'a mut Block,
    pub(crate) blocks: &'a [Block],
}

impl Operation for Chain<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        // SAFETY: every path has the instructions of this register; every reference covers a block.
        unsafe {
            let keys = Keys::<ROUNDS>::load(keys);
            let mut state = Xmm::load(self.state);
            for block in self.blocks {
                state = keys.step(state, Xmm::load(block));
                state.store(block);
            }
            state.store(self.state);
        }
    }
}

impl Operation for Absorb<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        // SAFETY: every path has the instructions of this register; every reference covers a block.
        unsafe {
            let keys = Keys::<ROUNDS>::load(keys);
            let state = self
                .blocks
                .iter()
                .fold(Xmm::load(self.state), |state, block| keys.step(state, Xmm::load(block)));
            state.store(self.state);
        }
    }
}

/// The round keys in registers.
struct Keys<const ROUNDS: usize> {
    first: Xmm,
    middle: [Xmm; ROUNDS],
    last: Xmm,
}

impl<const ROUNDS: usize> Keys<ROUNDS> {
    /// # Safety
    /// The processor has AES-NI and AVX.
    #[inline(always)]
    unsafe fn load(keys: &RoundKeys) -> Self {
        // SAFETY: as for this function; the references cover blocks.
        unsafe {
            let first = Xmm::load(&raw const keys[0]);
            let mut middle = [first; ROUNDS];
            for round in 1..ROUNDS {
                middle[round] = Xmm::load(&raw const keys[round]);
            }
            Self { first, middle, last: Xmm::load(&raw const keys[ROUNDS]) }
        }
    }

    /// The encrypted sum of state and block. The block and the first key are added up while the state is still awaited.
    #[inline(always)]
    fn step(&self, state: Xmm, block: Xmm) -> Xmm {
        let whitened = state.xor(block.xor(self.first));
        let state = self.middle[1..].iter().fold(whitened, |state, key| state.round(*key));
        state.last_round(self.last)
    }
}
