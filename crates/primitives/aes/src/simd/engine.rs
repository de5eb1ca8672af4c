//! The rounds over several registers at once, which hides their latency.

#![allow(clippy::needless_range_loop)] // a register's number indexes several arrays at once

use super::vector::Vector;
use crate::Block;

/// Round keys in the order in which one direction uses them; the first `ROUNDS + 1` count.
pub(crate) type RoundKeys = [Block; 15];

/// Something else that is done between the rounds.
pub(super) trait Between {
    /// After the middle round of this number, from 0 to 8 and beyond.
    ///
    /// # Safety
    /// The processor has its instructions.
    unsafe fn after_round(&mut self, number: usize);
}

pub(super) struct Nothing;

impl Between for Nothing {
    #[inline(always)]
    unsafe fn after_round(&mut self, _: usize) {}
}

/// The blocks' states from the first AddRoundKey's result to before the last round.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn middle_rounds<V: Vector, const ROUNDS: usize, const DECRYPT: bool, const N: usize>(
    keys: &RoundKeys,
    mut states: [V; N],
    between: &mut impl Between,
) -> [V; N] {
    for (number, key) in keys[1..ROUNDS].iter().enumerate() {
        // SAFETY: as for this function.
        let key = unsafe { V::broadcast(key) };
        for state in &mut states {
            *state = if DECRYPT { state.inverse_round(key) } else { state.round(key) };
            *state = state.pinned();
        }
        // SAFETY: as for this function.
        unsafe { between.after_round(number) };
    }
    states
}

/// Encrypts or decrypts `N` registers of blocks in place, with `masks` XORed in before and after.
///
/// # Safety
/// The processor has the vector's instructions; `blocks` points to `N · LANES` of them.
#[inline(always)]
pub(super) unsafe fn group<V: Vector, const ROUNDS: usize, const DECRYPT: bool, const N: usize>(
    keys: &RoundKeys,
    blocks: *mut Block,
    masks: Option<[V; N]>,
) {
    // SAFETY: as for this function; every register is inside the blocks.
    unsafe {
        let (first, last) = (V::broadcast(&keys[0]), V::broadcast(&keys[ROUNDS]));
        let mut states = [first; N];
        for at in 0..N {
            if let Some(masks) = masks {
                states[at] = states[at].xor(masks[at]);
            }
            states[at] = states[at].xor(V::load(blocks.add(at * V::LANES)));
        }
        let states = middle_rounds::<V, ROUNDS, DECRYPT, N>(keys, states, &mut Nothing);
        for at in 0..N {
            // The last round ends in an XOR, which takes the mask along.
            let last = masks.map_or(last, |masks| last.xor(masks[at]));
            let state =
                if DECRYPT { states[at].last_inverse_round(last) } else { states[at].last_round(last) };
            state.store(blocks.add(at * V::LANES));
        }
    }
}

/// XORs the encrypted `counters` into `N` registers of blocks.
///
/// # Safety
/// As [`group`], and of what is between the rounds.
#[inline(always)]
pub(super) unsafe fn keystream_group<V: Vector, const ROUNDS: usize, const N: usize>(
    keys: &RoundKeys,
    blocks: *mut Block,
    counters: [V; N],
    between: &mut impl Between,
) {
    // SAFETY: as for this function; every register is inside the blocks.
    unsafe {
        let (first, last) = (V::broadcast(&keys[0]), V::broadcast(&keys[ROUNDS]));
        let mut states = counters;
        for state in &mut states {
            *state = state.xor(first);
        }
        let states = middle_rounds::<V, ROUNDS, false, N>(keys, states, between);
        for at in 0..N {
            let block = blocks.add(at * V::LANES);
            states[at].last_round(last.xor(V::load(block))).store(block);
        }
    }
}

/// Decrypts `N` registers of blocks in place, and XORs each with the ciphertext before it, which is `before` for those in the first
/// register.
///
/// # Safety
/// As [`group`].
#[inline(always)]
pub(super) unsafe fn unchained_group<V: Vector, const ROUNDS: usize, const N: usize>(
    keys: &RoundKeys,
    blocks: *mut Block,
    before: V,
) {
    // SAFETY: as for this function; every register is inside the blocks, and one block before all but the first is too.
    unsafe {
        let (first, last) = (V::broadcast(&keys[0]), V::broadcast(&keys[ROUNDS]));
        let mut states = [first; N];
        for at in 0..N {
            states[at] = states[at].xor(V::load(blocks.add(at * V::LANES)));
        }
        let states = middle_rounds::<V, ROUNDS, true, N>(keys, states, &mut Nothing);
        // From the end, where nothing was overwritten that is still read. A copy of the ciphertext instead
        // made a page of CBC cost 1,200 cycles, not 901 (VAES-512).
        for at in (0..N).rev() {
            let block = blocks.add(at * V::LANES);
            let before = if at == 0 { before } else { V::load(block.sub(1)) };
            states[at].last_inverse_round(last.xor(before)).store(block);
        }
    }
}
