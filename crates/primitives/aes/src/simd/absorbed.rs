//! Keystream and CBC-MAC at once: CCM. The blocks of the MAC wait for one another and leave most of the processor idle: between two
//! rounds of eight registers of the keystream one of them is encrypted.
//!
//! These registers have one block each on every path. While any of 512 bits is under way, one of Intel's two units for AES rests, and the
//! chain took a tenth longer for it; those of 256 bits were no faster than these.

use fieldtest_block::Ciphertext;

use super::Operation;
use super::chain::{Absorb, Link};
use super::engine::{Between, Nothing, RoundKeys, keystream_group};
use super::operations::{Keystream, WIDE};
use super::vector::{Vector, overflows};
use super::xmm::Xmm;
use crate::Block;

/// Blocks XORed with encrypted counters, as one run, and the last ciphertext of a chain over their plaintext.
pub(crate) struct KeystreamAbsorbed<'a> {
    /// The chain's ciphertext before the first block, and then the last one.
    pub(crate) state: &'a mut Block,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) first: &'a Block,
    /// When the blocks are the keystream's ciphertext.
    pub(crate) ciphertext: Ciphertext,
}

/// A group that is absorbed between the rounds of one, of which there are more than it has blocks.
struct AbsorbBetween<'a, const ROUNDS: usize> {
    link: &'a mut Link<ROUNDS>,
    group: *const Block,
}

impl<const ROUNDS: usize> Between for AbsorbBetween<'_, ROUNDS> {
    #[inline(always)]
    unsafe fn after_round(&mut self, number: usize) {
        if number < WIDE {
            // SAFETY: as for this function; the group has a block of each number.
            unsafe { self.link.add(self.group.add(number)) };
        }
    }
}

impl Operation for KeystreamAbsorbed<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        let KeystreamAbsorbed { state, blocks, first, ciphertext } = self;
        let counter = u128::from_be_bytes(*first);
        let grouped = if overflows(counter, blocks.len()) { 0 } else { blocks.len() / WIDE * WIDE };
        let (groups, rest) = blocks.split_at_mut(grouped);
        if !groups.is_empty() {
            // SAFETY: every path has the instructions of these registers; a group has as many blocks as it says.
            unsafe { in_groups::<ROUNDS>(keys, state, groups.as_chunks_mut().0, counter, ciphertext) };
        }
        if !rest.is_empty() {
            let run = rest.len();
            let first = [counter.wrapping_add(grouped as u128).to_be_bytes()];
            // SAFETY: as for this function.
            unsafe {
                if ciphertext == Ciphertext::After {
                    Absorb { state, blocks: rest }.run::<V, ROUNDS, DECRYPT>(keys);
                }
                Keystream { blocks: rest, run, first: &first }.run::<V, ROUNDS, DECRYPT>(keys);
                if ciphertext == Ciphertext::Before {
                    Absorb { state, blocks: rest }.run::<V, ROUNDS, DECRYPT>(keys);
                }
            }
        }
    }
}

/// All of whole groups, of which there is one at least. The lower half of the counter does not overflow.
///
/// # Safety
/// The processor has AES-NI and AVX.
#[inline(always)]
unsafe fn in_groups<const ROUNDS: usize>(
    keys: &RoundKeys,
    state: &mut Block,
    groups: &mut [[Block; WIDE]],
    counter: u128,
    ciphertext: Ciphertext,
) {
    // SAFETY: as for this function; all that is read and written are whole groups.
    unsafe {
        let mut link = Link::<ROUNDS>::of(keys, state);
        let mut numbers = Xmm::numbers(counter);
        let mut before: *const Block = core::ptr::null();
        for group in groups {
            let blocks = group.as_mut_ptr();
            // What is decrypted is absorbed between the rounds of the next group.
            let plaintext = if ciphertext == Ciphertext::After { blocks } else { before };
            let counters = Xmm::next_counters(&mut numbers);
            if plaintext.is_null() {
                keystream_group::<Xmm, ROUNDS, WIDE>(keys, blocks, counters, &mut Nothing);
            } else {
                let mut between = AbsorbBetween { link: &mut link, group: plaintext };
                keystream_group::<Xmm, ROUNDS, WIDE>(keys, blocks, counters, &mut between);
            }
            before = blocks;
        }
        if ciphertext == Ciphertext::Before {
            for at in 0..WIDE {
                link.add(before.add(at));
            }
        }
        link.ciphertext().store(state);
    }
}
