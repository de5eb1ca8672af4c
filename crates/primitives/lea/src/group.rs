//! Groups of blocks in vectors, whichever processor they are for.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

use crate::Block;
use crate::masks;
use crate::portable;
use crate::rounds::{Direction, Encryption, rounds};
use crate::schedule::Schedule;
use crate::vector::Vector;

/// Runs the cipher over the blocks in pairs of groups. Those that are left go into a pair or a group that is not full,
/// or, if they are very few, through plain registers.
///
/// # Safety
/// The processor has the vector's instructions; there are as many masks as blocks if there are any.
#[inline(always)]
pub(crate) unsafe fn run<D: Direction, V: Vector>(
    schedule: &Schedule,
    blocks: &mut [Block],
    masks: Option<&[Block]>,
) {
    let pair = 8 * V::ROW;
    let (mut rest, mut rest_of_masks) = (blocks, masks);
    while rest.len() >= pair {
        let (now, later) = rest.split_at_mut(pair);
        let (masks, later_masks) = split(rest_of_masks, pair);
        // SAFETY: as for this function; the slices have a pair of groups of blocks.
        unsafe { groups::<D, V, 2>(schedule, now.as_mut_ptr(), Masks::of(masks), pair) };
        (rest, rest_of_masks) = (later, later_masks);
    }
    let (count, to) = (rest.len(), rest.as_mut_ptr());
    if count < V::WORTHWHILE {
        portable::run::<D>(schedule, rest, rest_of_masks);
    } else if count <= pair / 2 {
        // SAFETY: as for this function; the slices have `count` blocks.
        unsafe { groups::<D, V, 1>(schedule, to, Masks::of(rest_of_masks), count) }
    } else {
        // SAFETY: as for this function; the slices have `count` blocks.
        unsafe { groups::<D, V, 2>(schedule, to, Masks::of(rest_of_masks), count) }
    }
}

/// Runs the cipher over runs of blocks between masks that are made beside the rounds. What is left of a run goes into a
/// pair of groups that is not full.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(crate) unsafe fn run_xex<D: Direction, V: Vector>(
    schedule: &Schedule,
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
) {
    let pair = 8 * V::ROW;
    for (blocks, first) in blocks.chunks_mut(run).zip(first) {
        // SAFETY: as for this function.
        let mut masks = unsafe { masks::first::<V>(first) };
        let mut rest = blocks;
        while rest.len() >= pair {
            let (now, later) = rest.split_at_mut(pair);
            rest = later;
            let current = masks;
            // Before the rounds, so that the processor finds it while it still looks ahead.
            masks = masks::next(masks);
            // SAFETY: as for this function; the slice has a pair of groups of blocks.
            unsafe { groups::<D, V, 2>(schedule, now.as_mut_ptr(), Masks::Words(current), pair) };
        }
        let (count, to) = (rest.len(), rest.as_mut_ptr());
        if count > pair / 2 {
            // SAFETY: as for this function; the slice has `count` blocks.
            unsafe { groups::<D, V, 2>(schedule, to, Masks::Words(masks), count) };
        } else if count > 0 {
            // SAFETY: as for this function; the slice has `count` blocks.
            unsafe { groups::<D, V, 1>(schedule, to, Masks::Words([masks[0]]), count) };
        }
    }
}

/// XORs a keystream into runs of blocks: encrypted counters, which are made where the cipher's words are. Their last 32 bits
/// alone are counted, and must not overflow within a run. Counters in memory are transposed like data: with
/// them, a page took 4,234 cycles instead of 3,580.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(crate) unsafe fn run_keystream<V: Vector>(
    schedule: &Schedule,
    blocks: &mut [Block],
    run: usize,
    first: &[Block],
) {
    let group = 4 * V::ROW;
    for (blocks, first) in blocks.chunks_mut(run).zip(first) {
        let words = first.as_chunks().0;
        // SAFETY: as for this function.
        let (fixed, mut number, more) = unsafe {
            let fixed = |at: usize| V::repeat(u32::from_le_bytes(words[at]));
            let number = V::repeat(u32::from_be_bytes(words[3])).add(V::words(const { &V::PLACES }));
            ([fixed(0), fixed(1), fixed(2)], number, V::repeat(group as u32))
        };
        let mut next = || {
            let [a, b, c] = fixed;
            let counters = [a, b, c, number.swap_bytes()];
            number = number.add(more);
            counters
        };
        for blocks in blocks.chunks_mut(2 * group) {
            let (count, to) = (blocks.len(), blocks.as_mut_ptr());
            // SAFETY: as for this function; there are `count` blocks.
            unsafe {
                if count > group {
                    keystream_groups::<V, 2>(schedule, to, [next(), next()], count);
                } else {
                    keystream_groups::<V, 1>(schedule, to, [next()], count);
                }
            }
        }
    }
}

/// XORs encrypted words into the `count` blocks at `blocks`, which are as many as there are in the groups or fewer.
///
/// # Safety
/// As [`groups`].
#[inline(always)]
unsafe fn keystream_groups<V: Vector, const GROUPS: usize>(
    schedule: &Schedule,
    blocks: *mut Block,
    mut state: [[V; 4]; GROUPS],
    count: usize,
) {
    rounds::<Encryption, V, GROUPS>(schedule, &mut state);
    transpose(&mut state);
    // SAFETY: as for this function.
    unsafe {
        xor(&mut state, &load(blocks, count));
        store(&state, blocks, count);
    }
}

/// What each block is XORed with before and after.
enum Masks<V, const GROUPS: usize> {
    None,
    /// As many as blocks.
    Blocks(*const Block),
    /// Their words, as the transposition of the blocks gives them.
    Words([[V; 4]; GROUPS]),
}

impl<V, const GROUPS: usize> Masks<V, GROUPS> {
    #[inline(always)]
    fn of(masks: Option<&[Block]>) -> Self {
        masks.map_or(Self::None, |masks| Self::Blocks(masks.as_ptr()))
    }
}

/// Splits the masks, if there are any, behind the first `count`.
#[inline(always)]
fn split(masks: Option<&[Block]>, count: usize) -> (Option<&[Block]>, Option<&[Block]>) {
    masks.map(|masks| masks.split_at(count)).unzip()
}

/// The cipher on the `count` blocks at `blocks`, which are as many as there are in the groups or fewer.
///
/// # Safety
/// The processor has the vector's instructions; `count` blocks can be read and written, and as many masks read.
#[inline(always)]
unsafe fn groups<D: Direction, V: Vector, const GROUPS: usize>(
    schedule: &Schedule,
    blocks: *mut Block,
    masks: Masks<V, GROUPS>,
    count: usize,
) {
    // SAFETY: as for this function.
    unsafe {
        let mut state = load::<V, GROUPS>(blocks, count);
        if let Masks::Blocks(masks) = masks {
            xor(&mut state, &load(masks, count));
        }
        transpose(&mut state);
        if let Masks::Words(masks) = &masks {
            xor(&mut state, masks);
        }
        rounds::<D, V, GROUPS>(schedule, &mut state);
        if let Masks::Words(masks) = &masks {
            xor(&mut state, masks);
        }
        transpose(&mut state);
        if let Masks::Blocks(masks) = masks {
            xor(&mut state, &load(masks, count));
        }
        store(&state, blocks, count);
    }
}

/// Writes the rows of the groups, of which the first `count` blocks are there.
///
/// # Safety
/// `count` blocks can be written.
#[inline(always)]
unsafe fn store<V: Vector, const GROUPS: usize>(state: &[[V; 4]; GROUPS], to: *mut Block, count: usize) {
    for (group, rows) in state.iter().enumerate() {
        for (row, vector) in rows.iter().enumerate() {
            let first = V::ROW * (4 * group + row);
            // SAFETY: as for this function.
            unsafe { vector.store(to.wrapping_add(first), count.saturating_sub(first).min(V::ROW)) };
        }
    }
}

/// The rows of the groups, of which the first `count` blocks are there.
///
/// # Safety
/// The processor has the vector's instructions; `count` blocks can be read.
#[inline(always)]
unsafe fn load<V: Vector, const GROUPS: usize>(from: *const Block, count: usize) -> [[V; 4]; GROUPS] {
    // SAFETY: as for this function.
    unsafe {
        let mut groups = [[V::load(from, 0); 4]; GROUPS];
        for (group, rows) in groups.iter_mut().enumerate() {
            for (row, vector) in rows.iter_mut().enumerate() {
                let first = V::ROW * (4 * group + row);
                *vector = V::load(from.wrapping_add(first), count.saturating_sub(first).min(V::ROW));
            }
        }
        groups
    }
}

#[inline(always)]
fn xor<V: Vector, const GROUPS: usize>(state: &mut [[V; 4]; GROUPS], masks: &[[V; 4]; GROUPS]) {
    for (rows, masks) in state.iter_mut().zip(masks) {
        for (row, mask) in rows.iter_mut().zip(masks) {
            *row = row.xor(*mask);
        }
    }
}

#[inline(always)]
fn transpose<V: Vector, const GROUPS: usize>(state: &mut [[V; 4]; GROUPS]) {
    for rows in state {
        *rows = V::transpose(*rows);
    }
}
