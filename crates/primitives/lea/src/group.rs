//! Groups of blocks in vectors, whichever processor they are for.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

use crate::Block;
use crate::portable;
use crate::rounds::{Direction, rounds};
use crate::schedule::Schedule;
use crate::words::Words;

/// A vector register, which holds a row of whole blocks in memory and, after the transposition, one word of each block
/// of four rows.
pub(crate) trait Vector: Words {
    /// Blocks in a row.
    const ROW: usize;

    /// From so many blocks on, a group is quicker than plain registers are.
    const WORTHWHILE: usize;

    /// The first `count` blocks at `from`; the others are zero. At most [`Self::ROW`].
    ///
    /// # Safety
    /// The processor has the vector's instructions, and `count` blocks can be read at `from`.
    unsafe fn load(from: *const Block, count: usize) -> Self;

    /// Writes the first `count` blocks to `to`. At most [`Self::ROW`].
    ///
    /// # Safety
    /// `count` blocks can be written at `to`.
    unsafe fn store(self, to: *mut Block, count: usize);

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// Turns four rows into four vectors of one word each, and these into rows again: within each 128 bits, what was
    /// row `i` and word `j` becomes row `j` and word `i`.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}

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
        unsafe { groups::<D, V, 2>(schedule, now.as_mut_ptr(), masks.map(<[_]>::as_ptr), pair) };
        (rest, rest_of_masks) = (later, later_masks);
    }
    let (count, to, masks) = (rest.len(), rest.as_mut_ptr(), rest_of_masks.map(<[_]>::as_ptr));
    if count < V::WORTHWHILE {
        portable::run::<D>(schedule, rest, rest_of_masks);
    } else if count <= pair / 2 {
        // SAFETY: as for this function; the slices have `count` blocks.
        unsafe { groups::<D, V, 1>(schedule, to, masks, count) }
    } else {
        // SAFETY: as for this function; the slices have `count` blocks.
        unsafe { groups::<D, V, 2>(schedule, to, masks, count) }
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
    masks: Option<*const Block>,
    count: usize,
) {
    // SAFETY: as for this function.
    unsafe {
        let mut state = load::<V, GROUPS>(blocks, count);
        if let Some(masks) = masks {
            xor(&mut state, load(masks, count));
        }
        transpose(&mut state);
        rounds::<D, V, GROUPS>(schedule, &mut state);
        transpose(&mut state);
        if let Some(masks) = masks {
            xor(&mut state, load(masks, count));
        }
        for (group, rows) in state.iter().enumerate() {
            for (row, vector) in rows.iter().enumerate() {
                let first = V::ROW * (4 * group + row);
                vector.store(blocks.wrapping_add(first), count.saturating_sub(first).min(V::ROW));
            }
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
fn xor<V: Vector, const GROUPS: usize>(state: &mut [[V; 4]; GROUPS], masks: [[V; 4]; GROUPS]) {
    for (rows, masks) in state.iter_mut().zip(masks) {
        for (row, mask) in rows.iter_mut().zip(masks) {
            *row = row.xor(mask);
        }
    }
}

#[inline(always)]
fn transpose<V: Vector, const GROUPS: usize>(state: &mut [[V; 4]; GROUPS]) {
    for rows in state {
        *rows = V::transpose(*rows);
    }
}
