//! Any number of blocks as groups of as many as a path takes at once.

#![allow(unsafe_code)] // calls of functions for processors that have certain instructions

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
