//! Any number of blocks as groups of as many as a path takes at once.

#![allow(unsafe_code)] // calls of functions for processors that have certain instructions

use core::mem::MaybeUninit;

use fieldtest_block::masks::Masks;

use crate::Block;
use crate::prepared::Prepared;

/// Encrypts or decrypts `N` blocks, which the keys determine, and adds their masks before and after if there are any.
pub(crate) type Group<const N: usize> = unsafe fn(&Prepared, &mut [Block; N], Option<&[Block; N]>);

/// Calls `crypt` for each group of `N` blocks and their masks, of which there are as many as blocks. What is left
/// over is padded to a group.
///
/// # Safety
/// The processor has what `crypt` needs.
pub(crate) unsafe fn each<const N: usize>(
    crypt: Group<N>,
    keys: &Prepared,
    blocks: &mut [Block],
    masks: Option<&[Block]>,
) {
    let (groups, rest) = blocks.as_chunks_mut::<N>();
    let (mask_groups, mask_rest) = masks.map(<[Block]>::as_chunks::<N>).unzip();
    for (index, group) in groups.iter_mut().enumerate() {
        // SAFETY: as for this function.
        unsafe { crypt(keys, group, mask_groups.and_then(|groups| groups.get(index))) };
    }
    if !rest.is_empty() {
        let mut group = padded(rest);
        let mask_group = mask_rest.map(padded);
        // SAFETY: as for this function.
        unsafe { crypt(keys, &mut group, mask_group.as_ref()) };
        rest.iter_mut().zip(group).for_each(|(block, result)| *block = result);
    }
}

/// At most `N` blocks, with zeros behind them.
fn padded<const N: usize>(blocks: &[Block]) -> [Block; N] {
    let mut group = [[0; 16]; N];
    group.iter_mut().zip(blocks).for_each(|(padded, block)| *padded = *block);
    group
}

/// The masks of blocks that are runs one after another: each run's first mask, times 1, x, x², ….
pub(crate) struct Runs<'a, M> {
    /// Blocks in a run, a multiple of `M::COUNT` if there is more than one.
    run: usize,
    first: &'a [Block],
    /// The masks made last, of which `left` of the run's blocks have not been reached.
    masks: Option<M>,
    left: usize,
}

impl<'a, M: Masks> Runs<'a, M> {
    pub(crate) fn new(run: usize, first: &'a [Block]) -> Self {
        Self { run, first, masks: None, left: 0 }
    }

    /// The masks of the next `N` blocks. Those beyond the last run go on times x.
    ///
    /// # Safety
    /// The processor has what `M` names.
    #[inline(always)]
    unsafe fn fill<'b, const N: usize>(&mut self, group: &'b mut MaybeUninit<[Block; N]>) -> &'b [Block; N] {
        const { assert!(N.is_multiple_of(M::COUNT)) };
        let to = group.as_mut_ptr().cast::<Block>();
        for part in 0..N / M::COUNT {
            let masks = match (self.masks, self.first) {
                (Some(masks), _) if self.left > 0 => masks.next(),
                (Some(masks), []) => masks.next(),
                (_, firsts) => {
                    let (first, later) = firsts.split_first().unwrap_or((&[0; 16], &[]));
                    (self.first, self.left) = (later, self.run);
                    // SAFETY: as for this function.
                    unsafe { M::first(first) }
                }
            };
            self.left = self.left.saturating_sub(M::COUNT);
            self.masks = Some(masks);
            // SAFETY: the group has room for them.
            unsafe { masks.store(to.add(part * M::COUNT)) };
        }
        // SAFETY: all its parts have been written.
        unsafe { group.assume_init_ref() }
    }
}

/// Aligned to cache lines, so that no store of a whole register crosses one.
#[repr(align(64))]
struct Aligned<T>(T);

/// [`each`] with masks that are made here.
///
/// # Safety
/// The processor has what `crypt` needs and what `M` names.
#[inline(always)]
pub(crate) unsafe fn each_xex<M: Masks, const N: usize>(
    crypt: Group<N>,
    keys: &Prepared,
    blocks: &mut [Block],
    runs: &mut Runs<'_, M>,
) {
    let mut masks = Aligned(MaybeUninit::<[Block; N]>::uninit());
    let (groups, rest) = blocks.as_chunks_mut::<N>();
    for group in groups {
        // SAFETY: as for this function.
        unsafe {
            let masks = runs.fill(&mut masks.0);
            crypt(keys, group, Some(masks));
        }
    }
    if !rest.is_empty() {
        let mut group = padded(rest);
        // SAFETY: as for this function.
        unsafe {
            let masks = runs.fill(&mut masks.0);
            crypt(keys, &mut group, Some(masks));
        }
        rest.iter_mut().zip(group).for_each(|(block, result)| *block = result);
    }
}
