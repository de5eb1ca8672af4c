//! Polynomials of pseudorandom bytes (FIPS 204, section 7.3).

use fieldtest_keccak::permute_eight;
use fieldtest_keccak::shake::{RATE_128, RATE_256, Shake, Shake256};
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

/// Polynomials of the mask y, from the one with this number on (algorithm 34).
pub(crate) fn masks<P: ParameterSet, const W: usize>(
    path: Path,
    permute: Permute<W>,
    seed: &[u8; 64],
    first: u16,
    masks: &mut [Poly; W],
) {
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
}

/// The challenge (algorithm 29): where it is not zero, and the signs there, lowest bit first, 1 for -1.
pub(crate) struct Ball {
    /// The first is not used.
    places: [u8; 65],
    signs: u64,
}

impl Ball {
    pub(crate) fn of<P: ParameterSet>(path: Path, seed: &[u8]) -> Self {
        let mut output = Shake256::of(path.keccak(), &[seed]).output();
        let mut block = output.block();
        let signs = block.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let mut at = 8;
        let mut places = [0; 65];
        // Which of them is at a place, or 0: whether a place was taken is not to be foreseen by a processor.
        let mut taken = [0_u8; 256];
        for (number, i) in (1..).zip(256 - P::TAU..256) {
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
            taken[i] = taken[j];
            places[usize::from(taken[j])] = i as u8;
            taken[j] = number;
            places[usize::from(number)] = j as u8;
        }
        Ball { places, signs }
    }

    fn entries<P: ParameterSet>(&self) -> impl Iterator<Item = (u8, bool)> {
        let signs = self.signs;
        self.places[1..=P::TAU].iter().enumerate().map(move |(at, place)| (*place, signs >> at & 1 == 1))
    }

    pub(crate) fn poly<P: ParameterSet>(&self) -> Poly {
        let mut ball = Poly::ZERO;
        for (place, negative) in self.entries::<P>() {
            ball.0[usize::from(place)] = 1 - 2 * i32::from(negative);
        }
        ball
    }

    /// Where the windows start of which a product with the challenge is the sum, or one with its negative.
    pub(crate) fn starts<P: ParameterSet>(&self, negated: bool) -> impl Iterator<Item = u16> {
        self.entries::<P>()
            .map(move |(place, negative)| 256 * (1 + u16::from(negative != negated)) - u16::from(place))
    }
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
