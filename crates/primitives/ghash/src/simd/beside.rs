//! The hash over one register of four blocks after the other, for a cipher that hashes between its rounds. Both together need
//! more than sixteen registers.

use core::arch::x86_64::__m128i;

use super::element::{loaded, reduced, reversed, stored};
use super::vector::{Products, Vector as _};
use super::zmm::Zmm;
use super::{GROUP, Powers};
use crate::Block;

/// Blocks in a register.
pub const LANES: usize = Zmm::LANES;

/// Registers of a group, which is reduced at once.
pub const REGISTERS: usize = GROUP / LANES;

/// A key's powers, which are the proof that this processor has VPCLMULQDQ and AVX-512 F, BW and VL.
#[derive(Clone, Copy)]
pub struct Key<'a>(pub(crate) &'a Powers);

impl core::fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

/// A hash that is under way.
pub struct Hashing<'a> {
    powers: &'a Powers,
    sum: __m128i,
    products: Products<Zmm>,
}

impl core::fmt::Debug for Hashing<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hashing").finish_non_exhaustive()
    }
}

impl<'a> Hashing<'a> {
    /// Goes on from a state.
    #[inline(always)]
    pub fn new(key: Key<'a>, state: &Block) -> Self {
        // SAFETY: the key is the proof of the instructions.
        unsafe { Self { powers: key.0, sum: reversed(loaded(state)), products: Products::zero() } }
    }

    /// Adds a group's register `at`, which lies in memory. Register 0 waits for the group before, and so is best added last.
    ///
    /// # Safety
    /// `at` is less than [`REGISTERS`], and the register's blocks can be read.
    #[inline(always)]
    pub unsafe fn add(&mut self, at: usize, register: *const Block) {
        // SAFETY: as for this function; there are as many powers as a group has blocks.
        unsafe {
            let mut blocks = Zmm::load(register).reversed();
            if at == 0 {
                blocks = blocks.xor(Zmm::first_lane(self.sum));
            }
            self.products.add(blocks, Zmm::load(self.powers.0.as_ptr().add(at * LANES)));
        }
    }

    /// Ends a group, of which every register was added once.
    #[inline(always)]
    pub fn end_group(&mut self) {
        // SAFETY: the key was the proof of the instructions.
        unsafe {
            self.sum = reduced(core::mem::replace(&mut self.products, Products::zero()));
        }
    }

    /// The state, after the end of a group.
    #[inline(always)]
    pub fn state(&self) -> Block {
        // SAFETY: as in `end_group`.
        unsafe { stored(reversed(self.sum)) }
    }
}
