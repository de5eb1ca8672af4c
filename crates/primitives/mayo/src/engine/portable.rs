//! Plain Rust: eight bytes in a word, a map as the images of a byte's eight bits.

use super::Engine;
use crate::field::{multiply, times_x};

#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Byte j is the scalar times xʲ.
const fn images(scalar: u8) -> u32 {
    let b1 = times_x(scalar);
    let b2 = times_x(b1);
    u32::from_le_bytes([scalar, b1, b2, times_x(b2)])
}

const UNITS: [u32; 4] = [images(1), images(2), images(4), images(8)];

/// One's bits select among the others': scalars are secret, thus no table is indexed by them.
#[inline(always)]
pub(super) fn select(scalar: u8, units: &[u32; 4]) -> u32 {
    let scalar = u32::from(scalar);
    (scalar & 1).wrapping_neg() & units[0]
        ^ (scalar >> 1 & 1).wrapping_neg() & units[1]
        ^ (scalar >> 2 & 1).wrapping_neg() & units[2]
        ^ (scalar >> 3 & 1).wrapping_neg() & units[3]
}

#[inline(always)]
fn apply(map: u64, word: u64) -> u64 {
    let mut sum = 0;
    for bit in 0..8 {
        // 0 or 1 in each byte, times a byte: nothing is carried.
        sum ^= (word >> bit & ONES) * (map >> (8 * bit) & 0xff);
    }
    sum
}

#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}

impl Engine for Portable {
    type Unit = u32;
    type Map = u64;

    #[inline(always)]
    fn unit(self, scalar: u8) -> u32 {
        select(scalar, &UNITS)
    }

    #[inline(always)]
    fn map(self, ll: u32, hl: u32, lh: u32, hh: u32) -> u64 {
        u64::from(ll | lh << 4) | u64::from(hl | hh << 4) << 32
    }

    fn combine(self, maps: &[u64], width: usize, input: &[u8], output: &mut [u8], length: usize) {
        for (row, maps) in input.chunks_exact(length).zip(maps.chunks_exact(width)) {
            for (sum, map) in output.chunks_exact_mut(length).zip(maps) {
                for (sum, bytes) in sum.chunks_exact_mut(8).zip(row.chunks_exact(8)) {
                    let product = apply(*map, word(bytes));
                    sum.copy_from_slice(&(word(sum) ^ product).to_le_bytes());
                }
            }
        }
    }

    #[inline(always)]
    fn zip(self, first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
        zip(first, second, low, high);
    }
}

/// See [`Engine::zip`].
#[inline(always)]
pub(super) fn zip(first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]) {
    const LOW: u64 = 0x0f * ONES;
    for (((first, second), low), high) in first
        .chunks_exact(8)
        .zip(second.chunks_exact(8))
        .zip(low.chunks_exact_mut(8))
        .zip(high.chunks_exact_mut(8))
    {
        let (first, second) = (word(first), word(second));
        low.copy_from_slice(&(first & LOW | (second & LOW) << 4).to_le_bytes());
        high.copy_from_slice(&(first >> 4 & LOW | second & !LOW).to_le_bytes());
    }
}

const _: () = assert!(multiply(7, 9) == 10, "7 · 9 = (x² + x + 1)(x³ + 1) = x³ + x");
