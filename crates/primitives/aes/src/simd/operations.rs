//! The five things that are done to blocks, each in groups of eight registers, then of fewer, and what is left over
//! in single blocks.

use super::engine::{Nothing, RoundKeys, group, keystream_group, unchained_group};
use super::vector::{Vector, overflows};
use super::{Operation, on_xmm};
use crate::Block;
use crate::counter::{fill_counters, xor};

pub(super) const WIDE: usize = 8;

/// Blocks in the widest group.
const WIDEST: usize = 4 * WIDE;

/// Each block by itself.
pub(crate) struct Ecb<'a> {
    pub(crate) blocks: &'a mut [Block],
}

/// Each block between two XORs with its mask.
pub(crate) struct Masked<'a> {
    pub(crate) blocks: &'a mut [Block],
    /// As many as blocks.
    pub(crate) masks: &'a [Block],
}

/// Runs of blocks, each between two XORs with masks that begin with the run's and go on times x.
pub(crate) struct Xex<'a> {
    pub(crate) blocks: &'a mut [Block],
    /// Blocks in a run, except that the last may be shorter.
    pub(crate) run: usize,
    /// One for each run.
    pub(crate) first: &'a [Block],
}

/// Runs of blocks, each XORed with encrypted counters that begin with the run's.
pub(crate) struct Keystream<'a> {
    pub(crate) blocks: &'a mut [Block],
    /// Blocks in a run, except that the last may be shorter.
    pub(crate) run: usize,
    /// One for each run.
    pub(crate) first: &'a [Block],
}

/// Runs of blocks, each XORed after its decryption with the ciphertext before it.
pub(crate) struct Unchain<'a> {
    pub(crate) blocks: &'a mut [Block],
    /// Blocks in a run, except that the last may be shorter.
    pub(crate) run: usize,
    /// What stands in for the ciphertext before the first block of each run.
    pub(crate) first: &'a [Block],
}

/// Takes groups of the given numbers of registers off the front of `$rest`, a mutable slice of blocks: as many as
/// there are of the first number, at most one of each other. `$body` sees the group's place among the blocks.
macro_rules! in_groups {
    ($V:ident, $rest:ident, $at:ident, |$blocks:ident, $N:ident| $body:expr) => {
        in_groups!(@ while $V, $rest, $at, $blocks, $N, WIDE, $body);
        in_groups!(@ if $V, $rest, $at, $blocks, $N, 4, $body);
        in_groups!(@ if $V, $rest, $at, $blocks, $N, 2, $body);
        in_groups!(@ if $V, $rest, $at, $blocks, $N, 1, $body);
    };
    (@ $repeat:ident $V:ident, $rest:ident, $at:ident, $blocks:ident, $N:ident, $count:expr, $body:expr) => {
        $repeat $rest.len() >= $count * $V::LANES {
            const $N: usize = $count;
            let (taken, after) = $rest.split_at_mut($N * $V::LANES);
            $rest = after;
            let $blocks = taken.as_mut_ptr();
            $body;
            $at += $N * $V::LANES;
        }
    };
}

impl Operation for Ecb<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        let mut rest = self.blocks;
        let mut at = 0;
        // SAFETY: as for this function; each group has the blocks it says.
        in_groups!(V, rest, at, |blocks, N| unsafe { group::<V, ROUNDS, DECRYPT, N>(keys, blocks, None) });
        let _ = at;
        if !rest.is_empty() {
            // SAFETY: as for this function.
            unsafe { on_xmm::<_, ROUNDS, DECRYPT>(Ecb { blocks: rest }, keys) };
        }
    }
}

impl Operation for Masked<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        let mut rest = self.blocks;
        let mut at = 0;
        in_groups!(V, rest, at, |blocks, N| {
            let masks = &self.masks[at..at + N * V::LANES];
            // SAFETY: as for this function; each group has the blocks it says, and as many masks.
            unsafe {
                let mut registers = [V::load(masks.as_ptr()); N];
                for (at, register) in registers.iter_mut().enumerate() {
                    *register = V::load(masks.as_ptr().add(at * V::LANES));
                }
                group::<V, ROUNDS, DECRYPT, N>(keys, blocks, Some(registers));
            }
        });
        if !rest.is_empty() {
            let masks = &self.masks[at..];
            // SAFETY: as for this function.
            unsafe { on_xmm::<_, ROUNDS, DECRYPT>(Masked { blocks: rest, masks }, keys) };
        }
    }
}

impl Operation for Xex<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        let mut firsts = self.first.iter();
        let Some(first) = firsts.next() else { return };
        // SAFETY: as for this function.
        let mut masks = unsafe { V::masks(first) };
        for blocks in self.blocks.chunks_mut(self.run) {
            let mut rest = blocks;
            while rest.len() >= WIDE * V::LANES {
                let (taken, after) = rest.split_at_mut(WIDE * V::LANES);
                rest = after;
                // The masks of the group after this one stand before its rounds, so that the processor, which looks
                // ahead less far than the rounds are long, makes them beside the rounds. Made after them,
                // eight runs of 512 bytes took 1,200 cycles instead of 938 (VAES-512, Intel with AMX).
                let current = masks;
                if !rest.is_empty() {
                    masks = V::times_x_8_registers(masks);
                } else if let Some(first) = firsts.next() {
                    // SAFETY: as for this function.
                    masks = unsafe { V::masks(first) };
                }
                // SAFETY: as for this function; the group has the blocks it says.
                unsafe { group::<V, ROUNDS, DECRYPT, WIDE>(keys, taken.as_mut_ptr(), Some(current)) };
            }
            if !rest.is_empty() {
                let stored = stored(masks);
                if let Some(first) = firsts.next() {
                    // SAFETY: as for this function.
                    masks = unsafe { V::masks(first) };
                }
                let stored = &stored.0[..rest.len()];
                // SAFETY: as for this function.
                unsafe { Masked { blocks: rest, masks: stored }.run::<V, ROUNDS, DECRYPT>(keys) };
            }
        }
    }
}

impl Operation for Keystream<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        for (blocks, first) in self.blocks.chunks_mut(self.run).zip(self.first) {
            let mut rest = blocks;
            let mut counter = u128::from_be_bytes(*first);
            // A run in which it overflows goes the way of the last blocks.
            if rest.len() >= WIDE * V::LANES && !overflows(counter, rest.len()) {
                // SAFETY: as for this function.
                let mut numbers = unsafe { V::numbers(counter) };
                while rest.len() >= WIDE * V::LANES {
                    let (taken, after) = rest.split_at_mut(WIDE * V::LANES);
                    rest = after;
                    let counters = V::next_counters(&mut numbers);
                    // SAFETY: as for this function; the group has the blocks it says.
                    unsafe {
                        keystream_group::<V, ROUNDS, WIDE>(keys, taken.as_mut_ptr(), counters, &mut Nothing)
                    };
                    counter = counter.wrapping_add((WIDE * V::LANES) as u128);
                }
            }
            for blocks in rest.chunks_mut(WIDEST) {
                let mut stream = [[0; 16]; WIDEST];
                let stream = &mut stream[..blocks.len()];
                counter = fill_counters(counter, stream);
                // SAFETY: as for this function.
                unsafe { Ecb { blocks: stream }.run::<V, ROUNDS, false>(keys) };
                xor(blocks, stream);
            }
        }
    }
}

impl Operation for Unchain<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROUNDS: usize, const DECRYPT: bool>(self, keys: &RoundKeys) {
        for (blocks, first) in self.blocks.chunks_mut(self.run).zip(self.first) {
            let mut before = *first;
            let mut rest = blocks;
            let mut at = 0;
            // SAFETY: as for this function; each group has the blocks it says.
            in_groups!(V, rest, at, |blocks, N| unsafe {
                let last = *blocks.add(N * V::LANES - 1);
                let preceding = V::load(blocks).preceded_by(V::broadcast(&before));
                unchained_group::<V, ROUNDS, N>(keys, blocks, preceding);
                before = last;
            });
            let _ = at;
            if !rest.is_empty() {
                let run = rest.len();
                // SAFETY: as for this function.
                unsafe {
                    on_xmm::<_, ROUNDS, DECRYPT>(Unchain { blocks: rest, run, first: &[before] }, keys)
                };
            }
        }
    }
}

/// As many blocks as the widest group has.
///
/// The alignment is not for these blocks alone. It makes the compiler align the whole frame of the function they are in,
/// where it keeps the masks that find no register; without that they may cross cache lines and take half as
/// long again. A page of XEX took 1,185 cycles in one process and 1,683 in the next (VAES-256).
#[repr(align(64))]
struct Stored([Block; WIDEST]);

/// Eight registers as blocks; those of narrow registers are followed by zeros.
#[inline(always)]
fn stored<V: Vector>(registers: [V; WIDE]) -> Stored {
    let mut blocks = Stored([[0; 16]; WIDEST]);
    for (at, register) in registers.iter().enumerate() {
        // SAFETY: eight registers of any width fit.
        unsafe { register.store(blocks.0.as_mut_ptr().add(at * V::LANES)) };
    }
    blocks
}
