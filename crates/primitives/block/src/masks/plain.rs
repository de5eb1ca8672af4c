//! Masks without vectors.
#![allow(unsafe_code)] // the trait's store through a pointer

use super::{Masks, times_x};
use crate::Block;

/// One mask, for every processor.
#[derive(Clone, Copy)]
pub struct Plain(u128);

impl Masks for Plain {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn first(mask: &Block) -> Self {
        Self(u128::from_le_bytes(*mask))
    }

    #[inline(always)]
    fn next(self) -> Self {
        Self(times_x(self.0))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        // SAFETY: as for this function.
        unsafe { to.write(self.0.to_le_bytes()) };
    }
}
