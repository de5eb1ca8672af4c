//! Arithmetic modulo q on whole polynomials, by the path that was chosen.
//!
//! Coefficients are signed 32-bit integers, reduced no further than each function says. Products are Montgomery's with
//! R = 2^32: a product of two carries a factor 1 / R, which [`Arithmetic::inverse_ntt`] takes away.
//!
//! In the NTT's domain the value that FIPS 204 (algorithm 41) has at `16 r + c` lies at `16 c + r`: a polynomial is a
//! square of 16 rows of 16 columns, the first four layers of the NTT combine rows, the square is transposed, and the
//! last four layers combine rows again. So no layer moves anything within a vector of 16.

#![allow(unsafe_code)] // calls of functions with target features

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bits;
mod ntt;
mod portable;
pub(crate) mod rounding;
mod vector;
mod zetas;

use crate::params::Gamma2;
use crate::path::{Kind, Path};
use crate::poly::{Poly, Short};

pub(crate) struct Arithmetic {
    /// Algorithm 41, of coefficients between -2^20 and 2^20 or between -q and q; the values are between -9 q and 9 q.
    pub(crate) ntt: fn(&mut Poly),
    /// Algorithm 42 and a factor R, of values between -q and q; the coefficients are between -q and q.
    pub(crate) inverse_ntt: fn(&mut Poly),
    /// Brings values in the order of FIPS 204 into the order used here, or back.
    pub(crate) transpose: fn(&mut Poly),
    /// Overwrites the first with the sum of the products, value by value, of the second and the third, divided by R.
    /// The second are between -q and q, the third between -9 q and 9 q, and there are at most eight; the sum is
    /// between -q and q.
    pub(crate) dot: fn(&mut Poly, &[Poly], &[Poly]),
    /// Adds coefficients of the second to those of the first.
    pub(crate) add: fn(&mut Poly, &Poly),
    /// Adds the sum of the windows that start at these bytes, and returns the largest absolute value, not reduced.
    pub(crate) add_windows: fn(&mut Poly, &Short, &[u16]) -> i32,
    /// Brings coefficients between -2^31 + q and 2^31 - q into the range from 0 to q - 1.
    pub(crate) freeze: fn(&mut Poly),
    /// The largest absolute value modulo q (FIPS 204, section 2.3, ‖·‖∞), of coefficients between -q and q.
    pub(crate) norm: fn(&Poly) -> i32,
    /// Algorithm 36 on coefficients between -q and q: the high bits and, in place, the low ones, for the two γ2.
    decompose: [fn(&mut Poly, &mut Poly); 2],
    /// Algorithm 40 on coefficients between -q and q and hints of 0 and 1, in place of the first.
    use_hint: [fn(&mut Poly, &Poly); 2],
    /// Algorithm 39: high bits, in place of which come the hints, low bits, and what is added, from 0 to q - 1 and less than
    /// γ2 from 0 or q.
    make_hint: [fn(&mut Poly, &Poly, &Poly); 2],
    /// Algorithm 19 for the two γ1, on at least as many bytes as it takes.
    unpack_response: [fn(&[u8], &mut Poly); 2],
    /// Numbers of ten bits, negative (algorithm 18).
    pub(crate) unpack_t1: fn(&[u8], &mut Poly),
    /// Algorithm 30: those numbers of 23 bits that are below q, until there are 256; returns how many there are.
    pub(crate) uniform: fn(&[u8], &mut [i32; 256]) -> usize,
    /// Algorithm 28 on one polynomial, for the two γ2.
    pack_high: [fn(&Poly, &mut [u8]); 2],
}

impl Arithmetic {
    pub(crate) fn of(path: Path) -> &'static Arithmetic {
        match path.kind() {
            Kind::Portable => &PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => &AVX2,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => &AVX512,
        }
    }

    /// High and low bits: `low` has the coefficients and gets the low bits.
    pub(crate) fn decompose(&self, gamma2: Gamma2, low: &mut Poly, high: &mut Poly) {
        self.decompose[gamma2 as usize](low, high);
    }

    pub(crate) fn make_hint(&self, gamma2: Gamma2, high: &mut Poly, low: &Poly, change: &Poly) {
        self.make_hint[gamma2 as usize](high, low, change);
    }

    /// The high bits of `r` as the hint corrects them, in its place.
    pub(crate) fn use_hint(&self, gamma2: Gamma2, r: &mut Poly, hint: &Poly) {
        self.use_hint[gamma2 as usize](r, hint);
    }

    /// A polynomial of z, or of the mask y, out of bytes; γ1 is 2 to the power of this.
    pub(crate) fn unpack_response(&self, gamma1_bits: usize, bytes: &[u8], poly: &mut Poly) {
        self.unpack_response[usize::from(gamma1_bits == 19)](bytes, poly);
    }

    pub(crate) fn pack_high(&self, gamma2: Gamma2, high: &Poly, bytes: &mut [u8]) {
        self.pack_high[gamma2 as usize](high, bytes);
    }
}

/// The functions of a path: the generic ones, compiled with the features that its vectors need. `Arithmetic::of` is
/// the only way to them, and a `Path` is the proof that the processor has those.
macro_rules! compiled {
    ($name:ident, $vector:ty $(, $features:literal)?) => {
        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))] const _: &str = $features;)?
        static $name: Arithmetic = {
            compiled!(@fn ntt(poly: &mut Poly) = ntt::forward::<$vector>(poly); $($features)?);
            compiled!(@fn inverse(poly: &mut Poly) = ntt::inverse::<$vector>(poly); $($features)?);
            compiled!(@fn transpose(poly: &mut Poly) = ntt::transpose::<$vector>(poly); $($features)?);
            compiled!(@fn dot(sum: &mut Poly, a: &[Poly], b: &[Poly]) = ntt::dot::<$vector>(sum, a, b); $($features)?);
            compiled!(@fn add(a: &mut Poly, b: &Poly) = rounding::add(a, b); $($features)?);
            compiled!(@fn add_windows(a: &mut Poly, from: &Short, starts: &[u16],) -> i32 = rounding::add_windows::<$vector>(a, from, starts); $($features)?);
            compiled!(@fn freeze(poly: &mut Poly) = rounding::freeze(poly); $($features)?);
            compiled!(@fn norm(poly: &Poly,) -> i32 = rounding::norm(poly); $($features)?);
            compiled!(@fn decompose_88(low: &mut Poly, high: &mut Poly) = rounding::decompose::<true>(low, high); $($features)?);
            compiled!(@fn decompose_32(low: &mut Poly, high: &mut Poly) = rounding::decompose::<false>(low, high); $($features)?);
            compiled!(@fn use_hint_88(r: &mut Poly, hint: &Poly) = rounding::use_hint::<true>(r, hint); $($features)?);
            compiled!(@fn use_hint_32(r: &mut Poly, hint: &Poly) = rounding::use_hint::<false>(r, hint); $($features)?);
            compiled!(@fn hint_88(high: &mut Poly, low: &Poly, change: &Poly) = rounding::make_hint::<true>(high, low, change); $($features)?);
            compiled!(@fn hint_32(high: &mut Poly, low: &Poly, change: &Poly) = rounding::make_hint::<false>(high, low, change); $($features)?);
            compiled!(@fn unpack_17(bytes: &[u8], poly: &mut Poly) = bits::unpack::<$vector, 18>(bytes, poly, 1 << 17); $($features)?);
            compiled!(@fn unpack_19(bytes: &[u8], poly: &mut Poly) = bits::unpack::<$vector, 20>(bytes, poly, 1 << 19); $($features)?);
            compiled!(@fn unpack_t1(bytes: &[u8], poly: &mut Poly) = bits::unpack::<$vector, 10>(bytes, poly, 0); $($features)?);
            compiled!(@fn uniform(bytes: &[u8], to: &mut [i32; 256],) -> usize = bits::uniform::<$vector>(bytes, to); $($features)?);
            compiled!(@fn pack_88(high: &Poly, bytes: &mut [u8]) = bits::pack_high::<true>(high, bytes); $($features)?);
            compiled!(@fn pack_32(high: &Poly, bytes: &mut [u8]) = bits::pack_high::<false>(high, bytes); $($features)?);
            Arithmetic {
                ntt,
                inverse_ntt: inverse,
                transpose,
                dot,
                add,
                add_windows,
                freeze,
                norm,
                decompose: [decompose_88, decompose_32],
                use_hint: [use_hint_88, use_hint_32],
                make_hint: [hint_88, hint_32],
                unpack_response: [unpack_17, unpack_19],
                unpack_t1,
                uniform,
                pack_high: [pack_88, pack_32],
            }
        };
    };
    (@fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:expr; ) => {
        #[allow(unused_unsafe)]
        fn $name($($arg: $type),*) $(-> $out)? {
            // SAFETY: plain Rust needs no instructions of its own.
            unsafe { $body }
        }
    };
    (@fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:expr; $features:literal) => {
        fn $name($($arg: $type),*) $(-> $out)? {
            #[allow(unused_unsafe)]
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

compiled!(PORTABLE, portable::Sixteen);
#[cfg(target_arch = "x86_64")]
compiled!(AVX2, avx2::Sixteen, "avx2,bmi1,bmi2");
#[cfg(target_arch = "x86_64")]
compiled!(AVX512, avx512::Sixteen, "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl");
