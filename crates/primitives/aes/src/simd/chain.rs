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
        let Some((mut before, later)) = self.blocks.split_first_mut() else { return };
        // SAFETY: every path has the instructions of this register; every reference covers a block.
        unsafe {
            let mut link = Link::<ROUNDS>::first(keys, self.state, before);
            for block in later {
                link.add(block).store(before);
                before = block;
            }
            link.ciphertext().store(before);
            link.ciphertext().store(self.state);
        }
    }
}

impl Operation for Absorb<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        let Some((first, later)) = self.blocks.split_first() else { return };
        // SAFETY: every path has the instructions of this register; every reference covers a block.
        unsafe {
            let mut link = Link::<ROUNDS>::first(keys, self.state, first);
            for block in later {
                link.add(block);
            }
            link.ciphertext().store(self.state);
        }
    }
}

/// Where a chain is: its last block before the last round.
///
/// From there on all is a sum, up to the first round of the next block: of the last key, that block and the first key. The last round
/// takes them along, since it ends in an XOR anyway, so that nothing but rounds lies on the chain. One XOR
/// more for each block made CBC encryption of a page cost 11,612 to 11,864 cycles instead of 10,789.
pub(super) struct Link<const ROUNDS: usize> {
    state: Xmm,
    first: Xmm,
    middle: [Xmm; ROUNDS],
    last: Xmm,
}

impl<const ROUNDS: usize> Link<ROUNDS> {
    /// Of the first block after a ciphertext.
    ///
    /// # Safety
    /// The processor has AES-NI and AVX.
    #[inline(always)]
    unsafe fn first(keys: &RoundKeys, before: &Block, block: &Block) -> Self {
        // SAFETY: as for this function; the references cover blocks.
        unsafe {
            let link = Self::with_keys(keys);
            let state = Xmm::load(before).xor(Xmm::load(block).xor(link.first));
            Self { state: link.middle_rounds(state), ..link }
        }
    }

    /// Of the block whose ciphertext this is.
    ///
    /// # Safety
    /// The processor has AES-NI and AVX.
    #[inline(always)]
    pub(super) unsafe fn of(keys: &RoundKeys, ciphertext: &Block) -> Self {
        // SAFETY: as for this function; the reference covers a block.
        unsafe {
            let link = Self::with_keys(keys);
            let state = Xmm::load(ciphertext).xor(link.last).last_inverse_round(link.last.xor(link.last));
            Self { state, ..link }
        }
    }

    /// With the round keys in registers, and of no block yet.
    ///
    /// # Safety
    /// The processor has AES-NI and AVX.
    #[inline(always)]
    unsafe fn with_keys(keys: &RoundKeys) -> Self {
        // SAFETY: as for this function; the references cover blocks.
        unsafe {
            let first = Xmm::load(&raw const keys[0]);
            let mut middle = [first; ROUNDS];
            for round in 1..ROUNDS {
                middle[round] = Xmm::load(&raw const keys[round]);
            }
            Self { state: first, first, middle, last: Xmm::load(&raw const keys[ROUNDS]) }
        }
    }

    #[inline(always)]
    fn middle_rounds(&self, state: Xmm) -> Xmm {
        self.middle[1..].iter().fold(state, |state, key| state.round(*key))
    }

    /// Goes on to the next block. Returns the ciphertext of the one before it.
    ///
    /// # Safety
    /// The block can be read.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, block: *const Block) -> Xmm {
        // SAFETY: as for this function; a value of this type is the proof of the register's instructions.
        let whitened = unsafe { Xmm::load(block) }.xor(self.first);
        let state = self.state.last_round(self.last.xor(whitened));
        self.state = self.middle_rounds(state);
        state.xor(whitened)
    }

    #[inline(always)]
    pub(super) fn ciphertext(&self) -> Xmm {
        self.state.last_round(self.last)
    }
}
