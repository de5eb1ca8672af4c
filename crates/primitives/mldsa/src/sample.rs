//! Polynomials of pseudorandom bytes (FIPS 204, section 7.3).

use fieldtest_keccak::shake::{RATE_128, RATE_256, Shake, Shake256};
use fieldtest_keccak::{permute_eight, permute_four};
use zeroize::{Zeroize, optimization_barrier};

use crate::arithmetic::Arithmetic;
use crate::params::{ParameterSet, Q};
use crate::path::Path;
use crate::poly::Poly;
use crate::shake::{Permute, Sponges};

/// The matrix A, row after row, in the order of FIPS 204 (algorithm 32). `place` says where the entry goes that has this
/// number in the order of rows.
pub(crate) fn matrix<P: ParameterSet>(
    path: Path,
    rho: &[u8; 32],
    matrix: &mut [Poly],
    place: impl Fn(usize) -> usize,
) {
    let arithmetic = Arithmetic::of(path);
    let count = P::K * P::L;
    let mut outputs = [[[0; RATE_128]; 5]; 8];
    for first in (0..count).step_by(8) {
        let entry = |lane: usize| (first + lane).min(count - 1);
        // The column first, then the row.
        let mut eight = Sponges::<RATE_128, 8>::new(
            path.keccak(),
            permute_eight,
            rho,
            core::array::from_fn(|lane| (((entry(lane) / P::L) << 8) | (entry(lane) % P::L)) as u16),
        );
        // Five blocks have 280 numbers, and hardly ever are 25 of them not below q.
        eight.blocks(&mut outputs);
        for (lane, output) in outputs.iter().enumerate().take(count - first) {
            let poly = &mut matrix[place(entry(lane))];
            if (arithmetic.uniform)(output.as_flattened(), &mut poly.0) < 256 {
                uniform_of_any_length(path, rho, [entry(lane) % P::L, entry(lane) / P::L], &mut poly.0);
            }
        }
    }
}

/// Algorithm 30, number by number, for the few polynomials that take more than five blocks.
fn uniform_of_any_length(path: Path, rho: &[u8; 32], place: [usize; 2], coefficients: &mut [i32; 256]) {
    let mut output = Shake::<RATE_128>::of(path.keccak(), &[rho, &place.map(|part| part as u8)]).output();
    let mut filled = 0;
    while filled < 256 {
        for [low, middle, high] in output.block().as_chunks().0 {
            let Some(to) = coefficients.get_mut(filled) else { return };
            *to = i32::from(*low) | i32::from(*middle) << 8 | i32::from(high & 0x7f) << 16;
            filled += usize::from(*to < Q);
        }
    }
}

/// The secret polynomials s1 and s2, all of them (algorithms 31 and 33).
pub(crate) fn secrets<P: ParameterSet>(path: Path, seed: &[u8; 64], secrets: &mut [Poly]) {
    let mut blocks = [[[0; RATE_256]; 1]; 8];
    for (batch, polys) in secrets.chunks_mut(8).enumerate() {
        let mut eight = Sponges::<RATE_256, 8>::new(
            path.keccak(),
            permute_eight,
            seed,
            core::array::from_fn(|lane| (8 * batch + lane) as u16),
        );
        let mut filled = [0; 8];
        while filled[..polys.len()].iter().any(|filled| *filled < 256) {
            eight.blocks(&mut blocks);
            for ((poly, filled), block) in polys.iter_mut().zip(&mut filled).zip(&blocks) {
                for half in block.as_flattened().iter().flat_map(|byte| [byte & 15, byte >> 4]) {
                    if *filled == 256 {
                        break;
                    }
                    // Which halves of bytes are refused says nothing of those that are taken.
                    let (taken, coefficient) = match P::ETA {
                        2 => (half < 15, 2 - i32::from(half - 5 * ((u16::from(half) * 205) >> 10) as u8)),
                        _ => (half < 9, 4 - i32::from(half)),
                    };
                    poly.0[*filled] = coefficient;
                    *filled += usize::from(taken);
                }
            }
        }
    }
    blocks.as_flattened_mut().as_flattened_mut().zeroize();
}

/// Polynomials of the mask y, from the one with this number on (algorithm 34); returns how many: as many as the path
/// permutes side by side, since more would often be for nothing.
pub(crate) fn masks<P: ParameterSet>(path: Path, seed: &[u8; 64], first: u16, masks: &mut [Poly]) -> usize {
    match path.has_eight() {
        true => several_masks::<P, 8>(path, permute_eight, seed, first, masks),
        false => several_masks::<P, 4>(path, permute_four, seed, first, masks),
    }
}

fn several_masks<P: ParameterSet, const W: usize>(
    path: Path,
    permute: Permute<W>,
    seed: &[u8; 64],
    first: u16,
    masks: &mut [Poly],
) -> usize {
    let arithmetic = Arithmetic::of(path);
    let ends = core::array::from_fn(|lane| first.wrapping_add(lane as u16));
    let mut sponges = Sponges::<RATE_256, W>::new(path.keccak(), permute, seed, ends);
    let mut outputs = [[[0; RATE_256]; 5]; W];
    sponges.blocks(&mut outputs);
    for (mask, output) in masks.iter_mut().zip(&outputs) {
        arithmetic.unpack_response(P::GAMMA1_BITS, output.as_flattened(), mask);
    }
    // In one piece and not byte by byte.
    outputs = [[[0; RATE_256]; 5]; W];
    optimization_barrier(&outputs);
    W
}

/// The challenge (algorithm 29): for each coefficient that is not zero the window of a [`Short`](crate::poly::Short) which
/// is its product, by the byte that it starts at. The first τ are used.
pub(crate) fn in_ball<P: ParameterSet>(path: Path, seed: &[u8]) -> [u16; 64] {
    let mut output = Shake256::of(path.keccak(), &[seed]).output();
    let mut block = output.block();
    let mut signs = block.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mut at = 8;
    // The last one is not used: it stands for those that are at a place where none is, since no processor foresees that.
    let mut starts = [1; 64];
    let mut ball = [63_u8; 256];
    for (number, i) in (0..).zip(256 - P::TAU..256) {
        let j = loop {
            if at == RATE_256 {
                block = output.block();
                at = 0;
            }
            at += 1;
            let j = usize::from(block[at - 1]);
            if j <= i {
                break j;
            }
        };
        ball[i] = ball[j];
        let start = &mut starts[usize::from(ball[i])];
        *start = 256 + ((*start - 1) & !255) - i as u16;
        ball[j] = number;
        starts[usize::from(number)] = 256 * (1 + (signs & 1) as u16) - j as u16;
        signs >>= 1;
    }
    starts
}

/// The polynomial of such windows.
pub(crate) fn ball(starts: &[u16]) -> Poly {
    let mut ball = Poly::ZERO;
    for start in starts {
        ball.0[usize::from(start.wrapping_neg() as u8)] = if *start > 256 { -1 } else { 1 };
    }
    ball
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::MlDsa65;
    use crate::poly::zeros;

    #[test]
    fn the_rare_way_to_an_entry_leads_to_the_same() {
        for path in Path::available() {
            let mut entries = zeros(30);
            matrix::<MlDsa65>(path, &[7; 32], &mut entries, |entry| entry);
            for (number, entry) in entries.iter().enumerate() {
                let mut coefficients = [0; 256];
                uniform_of_any_length(path, &[7; 32], [number % 5, number / 5], &mut coefficients);
                assert_eq!(entry.0, coefficients, "{} {number}", path.name());
            }
        }
    }
}
