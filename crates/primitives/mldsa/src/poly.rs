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

/// A secret polynomial s of coefficients that fit in a byte, as -s, s, -s: for i from 0 to 255, the 256 bytes from 256 - i
/// on are x^i · s modulo x^256 + 1, and those from 512 - i on -x^i · s.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Short([i8; 768]);

impl Short {
    pub(crate) const ZERO: Short = Short([0; 768]);

    /// The polynomial, or its negative.
    pub(crate) fn set(&mut self, poly: &Poly, negative: bool) {
        for (at, to) in self.0.iter_mut().enumerate() {
            let value = poly.0[at % 256] as i8;
            *to = if (at / 256 == 1) == negative { -value } else { value };
        }
    }

    /// What was set, if it was negative, too.
    pub(crate) fn coefficients(&self, negative: bool) -> Poly {
        let first = if negative { 0 } else { 256 };
        Poly(core::array::from_fn(|at| i32::from(self.0[first + at])))
    }

    /// The bytes from this one on, 512 at most.
    #[inline(always)]
    pub(crate) fn window(&self, start: u16) -> &[i8; 256] {
        self.0.get(usize::from(start)..).and_then(<[i8]>::first_chunk).unwrap_or(&[0; 256])
    }
}

impl Zeroize for Short {
    fn zeroize(&mut self) {
        self.0 = [0; 768];
        optimization_barrier(self);
    }
}

pub(crate) fn zeros(count: usize) -> Box<[Poly]> {
    alloc::vec![Poly::ZERO; count].into_boxed_slice()
}
