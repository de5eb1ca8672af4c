//! Memory that is wiped when it is given back.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// A vector that is filled with zeros on drop. It never grows, so that no copy of it is left behind; whole-slice
/// fills are as fast as memory, where wiping by single volatile bytes would take as long as signing.
#[derive(Clone)]
pub(crate) struct Scratch<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Scratch<T> {
    /// `length` zeros.
    #[inline(always)]
    pub(crate) fn new(length: usize) -> Self {
        Self(vec![T::default(); length])
    }
}

impl<T: Copy + Default> Deref for Scratch<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Scratch<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Scratch<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.fill(T::default());
        zeroize::optimization_barrier(self.0.as_slice());
    }
}
