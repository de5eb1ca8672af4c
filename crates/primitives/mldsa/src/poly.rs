//! Polynomials of 256 coefficients.

use alloc::boxed::Box;

use zeroize::{Zeroize, optimization_barrier};

/// A polynomial, or what the NTT makes of one; in the latter case the coefficients have the order that
/// [`arithmetic`](crate::arithmetic) explains.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Poly(pub(crate) [i32; 256]);

impl Poly {
    pub(crate) const ZERO: Poly = Poly([0; 256]);

    /// The coefficients in rows of sixteen.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &[[i32; 16]; 16] {
        self.0.as_chunks().0.first_chunk().unwrap_or(&[[0; 16]; 16])
    }

    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut [[i32; 16]] {
        self.0.as_chunks_mut().0
    }
}

impl Zeroize for Poly {
    /// In one piece and not number by number.
    fn zeroize(&mut self) {
        self.0 = [0; 256];
        optimization_barrier(self);
    }
}

pub(crate) fn zeros(count: usize) -> Box<[Poly]> {
    alloc::vec![Poly::ZERO; count].into_boxed_slice()
}
