//! The lanes of a code path and what fills them.
#![allow(unsafe_code)] // Calls of the paths' steps, with the pointers that this module keeps.

use core::{array, ptr};

use crate::batch::Batch;
use crate::block::Block;
use crate::chain::Chain;
use crate::key::{Cmac, write_tag};

/// The states, keys and messages of `LANES` lanes, laid out so that neighbours fill a vector register.
#[repr(C, align(64))]
pub(crate) struct Bank<const ROUNDS: usize, const LANES: usize> {
    pub(crate) state: [Block; LANES],
    pub(crate) whitening: [Block; LANES],
    /// Per round, one key for each lane; the last row holds the links (see [`crate::chain`]).
    pub(crate) keys: [[Block; LANES]; ROUNDS],
    /// The blocks of each lane; while some are read, others may lie outside of anything.
    pub(crate) blocks: [*const [u8; 16]; LANES],
}

/// What a path does with the blocks from one number up to another one, in all lanes: a step for each of them, except
/// that block 0 with the whitening is the first state.
///
/// # Safety
/// These blocks of every lane must be valid for reading, and the processor must have the path.
pub(crate) type Steps<const ROUNDS: usize, const LANES: usize> =
    unsafe fn(&mut Bank<ROUNDS, LANES>, usize, usize);

/// Tags the messages of a batch, as many at a time as there are lanes.
///
/// Such a group is sorted by length, longest first, so the next lane to be through is always the last one that is not.
/// This keeps the work between two runs of steps small and, on purpose, scalar: a vector load from places that were
/// written one by one has to wait until all of that, and the whole computation before it, has retired.
///
/// It is inlined into a function of the path, so that the whole of it is compiled with the path's instructions.
///
/// # Safety
/// The processor must have the path of `steps`.
#[inline(always)]
pub(crate) unsafe fn drive<const ROUNDS: usize, const LANES: usize>(
    steps: Steps<ROUNDS, LANES>,
    batch: &mut Batch<'_, '_, ROUNDS>,
) {
    let mut bank = Bank {
        state: [Block::ZERO; LANES],
        whitening: [Block::ZERO; LANES],
        keys: [[Block::ZERO; LANES]; ROUNDS],
        blocks: [ptr::null(); LANES],
    };
    // What follows the blocks of a message: the last one with its subkey, then the whitening.
    let mut tails = [[Block::ZERO; 2]; LANES];
    let mut keys: [Option<&Cmac<ROUNDS>>; LANES] = [None; LANES];
    let mut tags: [&mut [u8]; LANES] = array::from_fn(|_| Default::default());
    // How many blocks come before each lane's tail.
    let mut before = [0; LANES];
    loop {
        let mut busy = 0;
        while busy < LANES
            && let Some(job) = batch.take()
        {
            if !keys[busy].is_some_and(|held| ptr::eq(held, job.key)) {
                bank.set_key(busy, job.key);
                keys[busy] = Some(job.key);
            }
            let chain = Chain::new(job.key, job.message);
            tails[busy] = [chain.last.xor(*chain.subkey), job.key.whitening];
            bank.blocks[busy] = chain.before.as_ptr();
            before[busy] = chain.before.len();
            tags[busy] = job.tag;
            busy += 1;
        }
        let mut in_message = busy;
        let mut at = 0;
        while busy > 0 {
            while in_message > 0 && before[in_message - 1] == at {
                in_message -= 1;
                bank.blocks[in_message] = tails[in_message].as_ptr().cast::<[u8; 16]>().wrapping_sub(at);
            }
            // Lanes without a message repeat what the longest one does; their states are not looked at.
            for lane in busy..LANES {
                bank.blocks[lane] = bank.blocks[0];
            }
            let turn = if in_message > 0 { before[in_message - 1] } else { usize::MAX };
            let end = turn.min(before[busy - 1] + 2);
            // SAFETY: up to `end`, no busy lane's message or tail is used up, and the others read what lane 0 reads,
            // which is busy the longest.
            unsafe { steps(&mut bank, at, end) };
            at = end;
            while busy > 0 && before[busy - 1] + 2 == at {
                busy -= 1;
                write_tag(&bank.state[busy], tags[busy]);
            }
        }
        if batch.is_empty() {
            break;
        }
    }
    bank.wipe();
    tails = [[Block::ZERO; 2]; LANES];
    zeroize::optimization_barrier(&tails);
}

impl<const ROUNDS: usize, const LANES: usize> Bank<ROUNDS, LANES> {
    /// Puts a key into a lane's place of each row. (To put whole vectors of a row together was no faster.)
    #[inline(always)]
    fn set_key(&mut self, lane: usize, key: &Cmac<ROUNDS>) {
        self.whitening[lane] = key.whitening;
        for (row, round_key) in self.keys.iter_mut().zip(&key.rounds) {
            row[lane] = *round_key;
        }
    }

    fn wipe(&mut self) {
        self.state = [Block::ZERO; LANES];
        self.whitening = [Block::ZERO; LANES];
        self.keys = [[Block::ZERO; LANES]; ROUNDS];
        zeroize::optimization_barrier(self);
    }
}
