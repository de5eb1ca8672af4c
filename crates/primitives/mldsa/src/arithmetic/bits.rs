//! Coefficients in strings of bits (FIPS 204, sections 7.1 and 7.3): those that are read and written in every
//! verification or attempt. What is done once for a key or a signature is in [`pack`](crate::pack). Read by
//! vectors, and with secrets wiped in one piece, signing takes 0.83 to 0.85 of the time and verifying with
//! a new key about 0.8 (AVX-512).

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

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::arithmetic::Arithmetic;
    use crate::path::Path;

    /// Also of bytes in which many numbers are not below q, which chance would hardly ever give.
    #[test]
    fn numbers_below_q() {
        for (count, every) in
            [(280, 300), (280, 12), (280, 11), (280, 1), (277, 13), (256, 999), (255, 999), (3, 2)]
        {
            let number = |at: i32| match at % every {
                0 => Q + at % 2,
                1 => Q - 1,
                _ => at * 29_003 % Q,
            };
            let numbers: Vec<_> = (0..count).map(number).collect();
            // The highest bit of three bytes does not count.
            let bytes: Vec<_> =
                numbers.iter().flat_map(|n| [*n as u8, (n >> 8) as u8, (n >> 16) as u8 | 0x80]).collect();
            let expected: Vec<_> = numbers.into_iter().filter(|number| *number < Q).take(256).collect();
            for path in Path::available() {
                let mut coefficients = [0; 256];
                let filled = (Arithmetic::of(path).uniform)(&bytes, &mut coefficients);
                assert_eq!(coefficients[..filled], expected, "{} {count} {every}", path.name());
            }
        }
    }

    /// Bit by bit (algorithms 18 and 19), of exactly as many bytes as it takes and of more.
    #[test]
    fn numbers_of_bits() {
        let bytes: Vec<_> = (0..700_u32).map(|at| (at * at * 7 + at / 3) as u8).collect();
        let numbers = |bits: usize| -> Vec<i32> {
            let bit = |at: usize| i32::from(bytes[at / 8] >> (at % 8) & 1);
            (0..256).map(|c| (0..bits).map(|at| bit(c * bits + at) << at).sum()).collect()
        };
        for path in Path::available() {
            let arithmetic = Arithmetic::of(path);
            for extra in [0, 5] {
                let mut poly = Poly::ZERO;
                for bits in [17, 19] {
                    arithmetic.unpack_response(bits, &bytes[..32 * (bits + 1) + extra], &mut poly);
                    let expected: Vec<_> =
                        numbers(bits + 1).iter().map(|number| (1 << bits) - number).collect();
                    assert_eq!(poly.0[..], expected, "{} {bits}", path.name());
                }
                (arithmetic.unpack_t1)(&bytes[..320 + extra], &mut poly);
                let expected: Vec<_> = numbers(10).iter().map(|number| -number).collect();
                assert_eq!(poly.0[..], expected, "{}", path.name());
            }
        }
    }
}
