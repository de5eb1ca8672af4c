//! What is computed, by the path that was chosen. All of it is plain Rust whose loops become the path's vectors, compiled
//! once for each.

#![allow(unsafe_code)] // calls of functions with target features

use alloc::boxed::Box;

use crate::annulus::{self, Extremes};
use crate::basis::Basis;
use crate::fft::{self, Complex, Transforms};
use crate::ntt::{self, Multiplier, Ring, centred};
use crate::params::{N, Q};
use crate::path::{Kind, Path};
use crate::point;
use crate::random::Random;

pub(crate) struct Engine {
    /// One attempt at f and g.
    pub(crate) annulus: fn(&mut Random) -> Option<[[i8; N]; 2]>,
    /// The smallest and the largest |f|² + |g|² of all embeddings.
    pub(crate) extremes: fn(&[i8; N], &[i8; N]) -> Option<Extremes>,
    /// g / f modulo q, from 0 to q - 1, unless f is not invertible.
    pub(crate) quotient: fn(&[i8; N], &[i8; N]) -> Option<[u16; N]>,
    /// A public key, from 0 to q - 1, prepared.
    pub(crate) multiplier: fn(&[u16; N]) -> Multiplier,
    /// h times a polynomial modulo q, centred.
    pub(crate) product: fn(&Multiplier, &[i8; N]) -> [i16; N],
    /// A secret basis f, g, F, G, prepared.
    pub(crate) basis: fn([&[i8; N]; 4]) -> Box<Basis>,
    /// s₁ for a message's polynomial.
    pub(crate) sample: fn(&Basis, &[i16; N], &mut Random) -> [i16; N],
    /// Whether (s₁, c + h s₁) is short enough.
    pub(crate) is_short: fn(&Multiplier, &[i16; N], &[i16; N]) -> bool,
}

impl Engine {
    pub(crate) fn of(path: Path) -> &'static Engine {
        match path.kind() {
            Kind::Portable => &PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => &AVX2,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => &AVX512,
        }
    }
}

#[inline(always)]
fn ring(poly: &[i8; N]) -> Ring {
    let mut ring = Ring([0; N]);
    for i in 0..N {
        ring.0[i] = i16::from(poly[i]);
    }
    ring
}

#[inline(always)]
fn quotient(g: &[i8; N], f: &[i8; N]) -> Option<[u16; N]> {
    let (mut g, mut f) = (ring(g), ring(f));
    ntt::forward(&mut g);
    ntt::forward(&mut f);
    let one = ntt::quotient(&g, &f)?;
    // The inverse transform wants the factor that a multiplier has: the product with 1.
    let mut poly = Ring([0; N]);
    poly.0[0] = 1;
    Multiplier::new(&one).product(&mut poly);
    let mut h = [0; N];
    for i in 0..N {
        let coefficient = centred(poly.0[i]);
        h[i] = (i32::from(coefficient) + if coefficient < 0 { Q } else { 0 }) as u16;
    }
    Some(h)
}

#[inline(always)]
fn multiplier(h: &[u16; N]) -> Multiplier {
    let mut values = Ring([0; N]);
    for i in 0..N {
        values.0[i] = centred(h[i] as i16);
    }
    ntt::forward(&mut values);
    Multiplier::new(&values)
}

#[inline(always)]
fn product(h: &Multiplier, poly: &[i8; N]) -> [i16; N] {
    let mut product = ring(poly);
    h.product(&mut product);
    for coefficient in &mut product.0 {
        *coefficient = centred(*coefficient);
    }
    product.0
}

#[inline(always)]
fn basis<T: Transforms>(polys: [&[i8; N]; 4]) -> Box<Basis> {
    let mut basis = Box::new(Basis::EMPTY);
    basis.prepare::<T>(polys);
    basis
}

/// Compiles the functions with the features that the path's vectors need. `Engine::of` is the only way to them, and a
/// `Path` is the proof that the processor has those.
macro_rules! compiled {
    ($name:ident $(, $features:literal)?) => {
        static $name: Engine = {
            struct Fft;
            impl Transforms for Fft {
                fn forward(poly: &mut Complex) {
                    compiled!(@fn #[inline(never)] once(poly: &mut Complex) -> () = fft::forward; $($features)?);
                    once(poly);
                }
                fn inverse(poly: &mut Complex) {
                    compiled!(@fn #[inline(never)] once(poly: &mut Complex) -> () = fft::inverse; $($features)?);
                    once(poly);
                }
            }
            compiled!(@fn annulus(random: &mut Random) -> Option<[[i8; N]; 2]> = annulus::sample::<Fft>; $($features)?);
            compiled!(@fn extremes(f: &[i8; N], g: &[i8; N]) -> Option<Extremes> = annulus::extremes::<Fft>; $($features)?);
            compiled!(@fn divided(g: &[i8; N], f: &[i8; N]) -> Option<[u16; N]> = quotient; $($features)?);
            compiled!(@fn prepared(h: &[u16; N]) -> Multiplier = multiplier; $($features)?);
            compiled!(@fn times(h: &Multiplier, poly: &[i8; N]) -> [i16; N] = product; $($features)?);
            compiled!(@fn secret(polys: [&[i8; N]; 4]) -> Box<Basis> = basis::<Fft>; $($features)?);
            compiled!(@fn sample(b: &Basis, c: &[i16; N], r: &mut Random) -> [i16; N] = Basis::sample::<Fft>; $($features)?);
            compiled!(@fn short(h: &Multiplier, c: &[i16; N], s: &[i16; N]) -> bool = point::is_short; $($features)?);
            Engine {
                annulus,
                extremes,
                quotient: divided,
                multiplier: prepared,
                product: times,
                basis: secret,
                sample,
                is_short: short,
            }
        };
    };
    (@fn $(#[$inline:meta])? $name:ident($($arg:ident: $type:ty),*) -> $out:ty = $body:expr; ) => {
        $(#[$inline])?
        fn $name($($arg: $type),*) -> $out {
            $body($($arg),*)
        }
    };
    (@fn $(#[$inline:meta])? $name:ident($($arg:ident: $type:ty),*) -> $out:ty = $body:expr; $features:literal) => {
        fn $name($($arg: $type),*) -> $out {
            $(#[$inline])?
            #[target_feature(enable = $features)]
            fn compiled($($arg: $type),*) -> $out {
                $body($($arg),*)
            }
            // SAFETY: the path, by which alone this is reached, exists only where the processor has the features.
            unsafe { compiled($($arg),*) }
        }
    };
}

compiled!(PORTABLE);
#[cfg(target_arch = "x86_64")]
compiled!(AVX2, "avx2,bmi1,bmi2");
#[cfg(target_arch = "x86_64")]
compiled!(AVX512, "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl");
