//! Coefficients in strings of bits (FIPS 204, sections 7.1 and 7.3): those that are read and written in every
//! verification or attempt. What is done once for a key or a signature is in [`pack`](crate::pack).

#![allow(unsafe_code)] // vectors are made where the processor's instructions are vouched for

use super::vector::Vector;
use crate::params::Q;
use crate::poly::Poly;

/// Reads numbers of so many bits and subtracts them from `base` (algorithms 18 and 19).
///
/// # Safety
/// The processor has the vector's instructions. (So for all of this file.)
#[inline(always)]
pub(super) unsafe fn unpack<V: Vector, const BITS: usize>(bytes: &[u8], poly: &mut Poly, base: i32) {
    for (group, to) in poly.rows_mut().iter_mut().enumerate() {
        let rest = bytes.get(2 * BITS * group..).unwrap_or_default();
        let mut padded = [0; 64];
        let window = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        // SAFETY: as for this function.
        unsafe { V::splat(base).subtract(V::fields::<BITS, BITS>(window)).store(to) };
    }
}

/// Algorithm 30: those numbers of 23 bits that are below q, until there are 256. Returns how many there are: fewer if the
/// bytes, three for each number, do not suffice.
///
/// # Safety
/// As above.
#[inline(always)]
pub(super) unsafe fn uniform<V: Vector>(bytes: &[u8], coefficients: &mut [i32; 256]) -> usize {
    let (mut filled, mut at) = (0, 0);
    while let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && let Some(to) = coefficients.get_mut(filled..).and_then(<[i32]>::first_chunk_mut)
    {
        // SAFETY: as for this function.
        filled += unsafe { V::fields::<24, 23>(window) }.below_q(to);
        at += 48;
    }
    for [low, middle, high] in bytes.get(at..).unwrap_or_default().as_chunks().0 {
        let Some(to) = coefficients.get_mut(filled) else { break };
        *to = i32::from(*low) | i32::from(*middle) << 8 | i32::from(high & 0x7f) << 16;
        filled += usize::from(*to < Q);
    }
    filled
}

/// Writes high bits, of 6 bits each or of 4 (algorithm 28). Loops of few steps that compilers make vectors of.
#[inline(always)]
pub(super) fn pack_high<const SIX: bool>(poly: &Poly, bytes: &mut [u8]) {
    if SIX {
        for (four, bytes) in poly.0.as_chunks::<4>().0.iter().zip(bytes.as_chunks_mut::<3>().0) {
            let [a, b, c, d] = four.map(i32::cast_unsigned);
            let word = a | b << 6 | c << 12 | d << 18;
            *bytes = [word as u8, (word >> 8) as u8, (word >> 16) as u8];
        }
    } else {
        for ([a, b], byte) in poly.0.as_chunks().0.iter().zip(bytes) {
            *byte = (a | b << 4) as u8;
        }
    }
}
