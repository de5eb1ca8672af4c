//! Masks, counters and the ciphertext before each block, for ciphers that do not make them beside their rounds: a buffer that stays
//! in the first-level cache is filled, and then used by one call, across the borders of runs.

use crate::{Block, counters, masks};

/// Blocks of a buffer: several times as many as any cipher takes at once, and few enough that clearing it costs little.
const CHUNK: usize = 128;

/// Blocks of a buffer for short sectors, where clearing the other would be felt.
const SHORT: usize = 32;

/// Aligned to cache lines, so that no store of a whole register crosses one.
#[repr(align(64))]
struct Buffer<const N: usize>([Block; N]);

/// Where a chunk of blocks lies among the runs.
struct Runs<'a> {
    /// Blocks in a run.
    run: usize,
    /// The first block of what belongs to the runs from the current one on.
    first: &'a [Block],
    /// Blocks of the current run that have been passed.
    passed: usize,
    /// What belongs to the next block, if that does not begin a run.
    next: Block,
}

impl Runs<'_> {
    /// Overwrites `chunk` with what belongs to the next blocks. `fill` overwrites a slice with the sequence from the
    /// given block on; `successor` is the block after the given one.
    fn fill(
        &mut self,
        mut chunk: &mut [Block],
        fill: impl Fn(&Block, &mut [Block]),
        successor: impl Fn(&Block) -> Block,
    ) {
        while !chunk.is_empty() {
            if self.passed == self.run || self.passed == 0 {
                let Some((first, later)) = self.first.split_first() else { return };
                (self.next, self.first, self.passed) = (*first, later, 0);
            }
            let (part, rest) = chunk.split_at_mut(chunk.len().min(self.run - self.passed));
            fill(&self.next, part);
            if let Some(last) = part.last() {
                self.next = successor(last);
            }
            self.passed += part.len();
            chunk = rest;
        }
    }
}

/// Runs of `run` blocks (the last may be shorter) between masks, for a cipher that makes them beside its rounds: by
/// `beside`, where whole registers of masks fit the runs; otherwise by `masked`, to which masks come as many as blocks,
/// since a group of blocks is then better filled across the borders of runs.
#[inline]
pub fn xex(
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
    beside: impl FnOnce(&mut [Block]),
    masked: impl Fn(&mut [Block], &[Block]),
) {
    if blocks.len() <= run || run.is_multiple_of(32) {
        beside(blocks);
    } else {
        in_masked_chunks(blocks, run, first, masked);
    }
}

/// Calls `cipher` on all blocks with their masks, a chunk at a time.
pub(crate) fn in_masked_chunks(
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
    cipher: impl Fn(&mut [Block], &[Block]),
) {
    if blocks.len() <= SHORT {
        masked_chunks::<SHORT>(blocks, run, first, cipher);
    } else {
        masked_chunks::<CHUNK>(blocks, run, first, cipher);
    }
}

fn masked_chunks<const N: usize>(
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
    cipher: impl Fn(&mut [Block], &[Block]),
) {
    let mut runs = Runs { run, first, passed: 0, next: [0; 16] };
    let mut buffer = Buffer([[0; 16]; N]);
    for blocks in blocks.chunks_mut(N) {
        let chunk = &mut buffer.0[..blocks.len()];
        runs.fill(chunk, masks::fill, masks::next);
        cipher(blocks, chunk);
    }
}

/// XORs encrypted counters into runs of `run` blocks (the last may be shorter), a chunk at a time, for a cipher that does not
/// make them beside its rounds, and across the borders of runs.
pub fn xor_keystream(blocks: &mut [Block], run: usize, first: &[Block], encrypt: impl Fn(&mut [Block])) {
    if blocks.len() <= SHORT {
        keystream_chunks::<SHORT>(blocks, run, first, encrypt);
    } else {
        keystream_chunks::<CHUNK>(blocks, run, first, encrypt);
    }
}

fn keystream_chunks<const N: usize>(
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
    encrypt: impl Fn(&mut [Block]),
) {
    let mut runs = Runs { run, first, passed: 0, next: [0; 16] };
    let mut buffer = Buffer([[0; 16]; N]);
    for blocks in blocks.chunks_mut(N) {
        let stream = &mut buffer.0[..blocks.len()];
        runs.fill(stream, counters::fill, counters::next);
        encrypt(stream);
        counters::xor_into(blocks, stream);
    }
}

/// Decrypts runs of `run` blocks (the last may be shorter), a chunk at a time, and XORs each block with the ciphertext before it, which
/// is the run's in `first` for its first.
pub fn decrypt_chained(blocks: &mut [Block], run: usize, first: &[Block], decrypt: impl Fn(&mut [Block])) {
    if blocks.len() <= SHORT {
        unchained_chunks::<SHORT>(blocks, run, first, decrypt);
    } else {
        unchained_chunks::<CHUNK>(blocks, run, first, decrypt);
    }
}

fn unchained_chunks<const N: usize>(
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
    decrypt: impl Fn(&mut [Block]),
) {
    let mut buffer = Buffer([[0; 16]; N]);
    let mut last = [0; 16];
    for (start, blocks) in (0_usize..).step_by(N).zip(blocks.chunks_mut(N)) {
        let before = &mut buffer.0[..blocks.len()];
        before[0] = last;
        before[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
        last = blocks[blocks.len() - 1];
        for at in (start.next_multiple_of(run)..start + blocks.len()).step_by(run) {
            before[at - start] = first[at / run];
        }
        decrypt(blocks);
        counters::xor_into(blocks, before);
    }
}
