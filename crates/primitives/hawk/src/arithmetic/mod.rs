//! Arithmetic on whole polynomials, by the path that was chosen.

#![allow(unsafe_code)] // calls of functions with target features

#[cfg(target_arch = "x86_64")]
mod avx2;
mod fixed;
mod modular;
mod portable;
mod vector;

pub(crate) use fixed::Roots;
pub(crate) use modular::{Form, Tables};

use alloc::vec::Vec;

use crate::path::{Kind, Path};

pub(crate) struct Arithmetic {
    /// Coefficients modulo a prime to values at the roots.
    pub(crate) ntt: fn(&mut [u32], &Tables),
    /// Values to coefficients.
    pub(crate) inverse_ntt: fn(&mut [u32], &Tables),
    /// `a = a·b/R`, value by value.
    pub(crate) multiply: fn(&mut [u32], &[u32], &Tables),
    /// `a = (a·b - c·d)/R`, value by value, of b, c and d.
    pub(crate) cross: fn(&mut [u32], [&[u32]; 3], &Tables),
    /// R²/a of all a, whose number is a multiple of eight; `None` if one is zero.
    pub(crate) invert: fn(&[u32], &Tables) -> Option<Vec<u32>>,
    /// Half of n times the squared norm of (w0, w1), of their values.
    pub(crate) norm: fn(&[u32], &[u32], &Form, &Tables) -> u32,
    /// Algorithm 16.
    pub(crate) fft: fn(&mut [u32], &Roots),
    /// Algorithm 17.
    pub(crate) inverse_fft: fn(&mut [u32], &Roots),
}

impl Arithmetic {
    pub(crate) fn of(path: Path) -> &'static Arithmetic {
        match path.kind() {
            Kind::Portable => &PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => &AVX2,
        }
    }
}

/// The functions of a path: the generic ones, compiled with the features that its vectors need. `Arithmetic::of` is
/// the only way to them, and a `Path` is the proof that the processor has those.
macro_rules! compiled {
    ($name:ident, $vector:ty $(, $features:literal)?) => {
        static $name: Arithmetic = {
            compiled!(@fn ntt(poly: &mut [u32], tables: &Tables) = modular::forward::<$vector>(poly, tables); $($features)?);
            compiled!(@fn inverse_ntt(poly: &mut [u32], tables: &Tables) = modular::inverse::<$vector>(poly, tables); $($features)?);
            compiled!(@fn multiply(a: &mut [u32], b: &[u32], tables: &Tables) = modular::multiply::<$vector>(a, b, tables); $($features)?);
            compiled!(@fn cross(a: &mut [u32], others: [&[u32]; 3], tables: &Tables) = modular::cross::<$vector>(a, others, tables); $($features)?);
            compiled!(@fn invert(all: &[u32], tables: &Tables,) -> Option<Vec<u32>> = modular::invert::<$vector>(all, tables); $($features)?);
            compiled!(@fn norm(w0: &[u32], w1: &[u32], form: &Form, tables: &Tables,) -> u32 = modular::norm::<$vector>(w0, w1, form, tables); $($features)?);
            compiled!(@fn fft(poly: &mut [u32], roots: &Roots) = fixed::forward::<$vector>(poly, roots); $($features)?);
            compiled!(@fn inverse_fft(poly: &mut [u32], roots: &Roots) = fixed::inverse::<$vector>(poly, roots); $($features)?);
            Arithmetic { ntt, inverse_ntt, multiply, cross, invert, norm, fft, inverse_fft }
        };
    };
    (@fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:expr; ) => {
        fn $name($($arg: $type),*) $(-> $out)? {
            // SAFETY: plain Rust needs no instructions of its own.
            unsafe { $body }
        }
    };
    (@fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:expr; $features:literal) => {
        fn $name($($arg: $type),*) $(-> $out)? {
            #[target_feature(enable = $features)]
            fn compiled($($arg: $type),*) $(-> $out)? {
                // SAFETY: this function has the features of the vectors.
                unsafe { $body }
            }
            // SAFETY: the path, by which alone this is reached, exists only where the processor has the features.
            unsafe { compiled($($arg),*) }
        }
    };
}

compiled!(PORTABLE, portable::Numbers);
#[cfg(target_arch = "x86_64")]
compiled!(AVX2, avx2::Register, "avx2,bmi1,bmi2");

#[cfg(test)]
mod tests;
