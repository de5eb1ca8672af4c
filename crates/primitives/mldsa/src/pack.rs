//! Coefficients as strings of bits (FIPS 204, section 7.1 and 7.2).

use crate::params::ParameterSet;
use crate::poly::Poly;

/// Writes each coefficient, as the function makes a number of it, with so many bits (algorithms 16 and 17).
#[inline(always)]
pub(crate) fn pack<const BITS: usize>(poly: &Poly, bytes: &mut [u8], number: impl Fn(i32) -> u32) {
    // As many as fill whole bytes and fit.
    let group = const { if BITS > 16 { 4 } else { 8 } };
    for (group, bytes) in poly.0.chunks_exact(group).zip(bytes.chunks_exact_mut(group * BITS / 8)) {
        let bits = group.iter().rev().fold(0, |bits, value| bits << BITS | u128::from(number(*value)));
        bytes.copy_from_slice(&bits.to_le_bytes()[..bytes.len()]);
    }
}

/// Reads numbers of so many bits, and makes coefficients of them (algorithms 18 and 19).
#[inline(always)]
pub(crate) fn unpack<const BITS: usize>(bytes: &[u8], poly: &mut Poly, coefficient: impl Fn(u32) -> i32) {
    for (eight, bytes) in poly.0.as_chunks_mut::<8>().0.iter_mut().zip(bytes.as_chunks::<BITS>().0) {
        for (index, to) in eight.iter_mut().enumerate() {
            let (first, shift) = (index * BITS / 8, index * BITS % 8);
            let number = (0..(shift + BITS).div_ceil(8))
                .fold(0, |number, at| number | u32::from(bytes[first + at]) << (8 * at));
            *to = coefficient(number >> shift & ((1 << BITS) - 1));
        }
    }
}

/// [`pack`] with a number of bits that a parameter set has.
#[inline(always)]
pub(crate) fn pack_of(bits: usize, poly: &Poly, bytes: &mut [u8], number: impl Fn(i32) -> u32) {
    match bits {
        3 => pack::<3>(poly, bytes, number),
        4 => pack::<4>(poly, bytes, number),
        18 => pack::<18>(poly, bytes, number),
        _ => pack::<20>(poly, bytes, number),
    }
}

/// [`unpack`] with a number of bits that a parameter set has.
#[inline(always)]
pub(crate) fn unpack_of(bits: usize, bytes: &[u8], poly: &mut Poly, coefficient: impl Fn(u32) -> i32) {
    match bits {
        3 => unpack::<3>(bytes, poly, coefficient),
        _ => unpack::<4>(bytes, poly, coefficient),
    }
}

/// Writes the places of the hints (algorithm 20); false if there are more than ω.
pub(crate) fn pack_hints<P: ParameterSet>(hints: &[Poly], bytes: &mut [u8]) -> bool {
    bytes.fill(0);
    let (places, ends) = bytes.split_at_mut(P::OMEGA);
    let mut count = 0;
    for (hint, end) in hints.iter().zip(ends) {
        for place in (0..=255_u8).filter(|place| hint.0[usize::from(*place)] != 0) {
            let Some(to) = places.get_mut(count) else { return false };
            *to = place;
            count += 1;
        }
        *end = count as u8;
    }
    true
}

/// Reads what [`pack_hints`] writes into polynomials of zeros (algorithm 21); false for anything that it does not write.
pub(crate) fn unpack_hints<P: ParameterSet>(bytes: &[u8], hints: &mut [Poly]) -> bool {
    let (places, ends) = bytes.split_at(P::OMEGA);
    let mut begin = 0;
    for (hint, end) in hints.iter_mut().zip(ends) {
        let end = usize::from(*end);
        let Some(places) = places.get(begin..end) else { return false };
        if !places.is_sorted_by(|a, b| a < b) {
            return false;
        }
        for place in places {
            hint.0[usize::from(*place)] = 1;
        }
        begin = end;
    }
    places[begin..].iter().all(|place| *place == 0)
}
