//! What masks of all widths have in common.
#![allow(unsafe_code)] // they are made by instructions that not every processor has

use crate::Block;

/// Consecutive masks, in eight vector registers where they are not plain.
///
/// The methods are inlined into functions that have the target features. Only the constructor asks for the
/// instructions: whoever holds a value has proven that the processor has them.
pub trait Masks: Copy {
    /// How many masks.
    const COUNT: usize;

    /// `mask` times 1, x, x², ….
    ///
    /// # Safety
    /// The processor has the instructions that the type names.
    unsafe fn first(mask: &Block) -> Self;

    /// The masks after these.
    #[must_use]
    fn next(self) -> Self;

    /// Writes them.
    ///
    /// # Safety
    /// There is room for [`Self::COUNT`] blocks.
    unsafe fn store(self, to: *mut Block);
}
