//! Linear systems over GF(16) in constant time (specification, algorithms 1 and 2).
//!
//! A has more columns than rows, m. The solution that the specification wants is the one whose only entries other than
//! the randomiser's are in the columns in which the echelon form has its leading ones: those that are no sum of columns
//! before them. Which these are is secret, and where a column's leading entry is found too; hence no row is moved. Instead, every
//! column takes the first row that leads no column yet and has a nonzero entry there, by masks, and clears the column in all
//! other rows; with no such row, nothing is subtracted, as often.

use crate::engine::Engine;
use crate::field::{invert, masks, scale};
use crate::maps;
use crate::parameters::Parameters;
use crate::scratch::Scratch;

/// Words of a set of rows: the largest m is 142.
const SET: usize = 3;

/// Columns that the words of [`solve`] have: those of A, that of y, and zeros.
pub(crate) const fn width(parameters: &Parameters) -> usize {
    (parameters.k * parameters.o + 1).next_multiple_of(32)
}

/// A solution x of A x = y, of which the randomiser is `random`, unless A's rank is below m. Word w of column i is
/// `words[w * width + i]`; y is column k·o.
#[inline(always)]
pub(crate) fn solve<E: Engine>(
    engine: E,
    parameters: &Parameters,
    mut words: Scratch<u64>,
    random: &[u8],
) -> Option<Scratch<u8>> {
    let (rows, width) = (parameters.m, width(parameters));
    subtract_randomizer(&mut words, width, random);
    let mut matrix = by_rows(&words, width, rows);
    let length = width / 2;

    let mut factors = Scratch::<u8>::new(rows);
    let mut chosen = Scratch::<u8>::new(rows);
    let mut row_maps = Scratch::<E::Map>::new(rows);
    let mut leading = Scratch::<u8>::new(length);
    let mut leaders = Scratch::<u8>::new(random.len());
    let mut used = [0u64; SET];
    for (column, leader) in leaders.iter_mut().enumerate() {
        let shift = column % 2 * 4;
        let mut candidates = [0u64; SET];
        for (i, (row, factor)) in matrix.chunks_exact(length).zip(factors.iter_mut()).enumerate() {
            *factor = row[column / 2] >> shift & 15;
            candidates[i / 64] |= u64::from((*factor + 15) >> 4) << (i % 64);
        }
        for (candidates, used) in candidates.iter_mut().zip(&used) {
            *candidates &= !used;
        }
        let choice = lowest(candidates);
        let mut entry = 0;
        *leader = u8::MAX;
        for (i, (chosen, factor)) in chosen.iter_mut().zip(factors.iter_mut()).enumerate() {
            *chosen = (choice[i / 64] >> (i % 64) & 1) as u8;
            let mask = chosen.wrapping_neg();
            entry |= *factor & mask;
            // The rows' numbers fit a byte; all ones stand for no row.
            *leader &= i as u8 | !mask;
            // The chosen row is replaced: its multiple, which is added, is itself and the row with a leading one.
            *factor ^= *chosen;
        }
        for (used, choice) in used.iter_mut().zip(&choice) {
            *used |= choice;
        }
        // The chosen row, divided by its entry.
        let inverse = invert(entry);
        for chosen in chosen.iter_mut() {
            *chosen = chosen.wrapping_neg() & inverse;
        }
        maps::scalars(engine, &chosen, &mut row_maps);
        leading.fill(0);
        engine.combine(&row_maps, 1, &matrix, &mut leading, length);
        maps::scalars(engine, &factors, &mut row_maps);
        engine.combine(&row_maps, rows, &leading, &mut matrix, length);
    }
    let rank: u32 = used.iter().map(|rows| rows.count_ones()).sum();
    // Whether another attempt is made is public: signatures tell how long they took.
    if rank as usize != rows {
        return None;
    }

    let (at, shift) = (random.len() / 2, random.len() % 2 * 4);
    for (factor, row) in factors.iter_mut().zip(matrix.chunks_exact(length)) {
        *factor = row[at] >> shift & 15;
    }
    let mut solution = Scratch::new(random.len());
    for ((solution, random), leader) in solution.iter_mut().zip(random).zip(leaders.iter()) {
        *solution = *random;
        for (i, value) in (0u8..).zip(factors.iter()) {
            let differs = i ^ leader;
            let equal = ((u16::from(differs).wrapping_sub(1)) >> 8) as u8;
            *solution ^= value & equal;
        }
    }
    Some(solution)
}

/// The lowest bit of a set, if there is one.
#[inline(always)]
fn lowest(set: [u64; SET]) -> [u64; SET] {
    let mut none_before = u64::MAX;
    set.map(|word| {
        let lowest = word & word.wrapping_neg() & none_before;
        // All ones if the word is 0.
        none_before &= ((word | word.wrapping_neg()) >> 63).wrapping_sub(1);
        lowest
    })
}

/// y becomes y - A r.
#[inline(always)]
fn subtract_randomizer(words: &mut [u64], width: usize, random: &[u8]) {
    for words in words.chunks_exact_mut(width) {
        let mut sum = 0;
        for (word, random) in words.iter().zip(random) {
            sum ^= scale(*word, masks(*random));
        }
        words[random.len()] ^= sum;
    }
}

/// Packed rows instead of columns.
#[inline(always)]
fn by_rows(words: &[u64], width: usize, rows: usize) -> Scratch<u8> {
    let length = width / 2;
    let mut matrix = Scratch::new(rows * length);
    let mut square = Scratch::<u64>::new(16);
    for (words, matrix) in words.chunks_exact(width).zip(matrix.chunks_mut(16 * length)) {
        for (at, words) in words.chunks_exact(16).enumerate() {
            square.copy_from_slice(words);
            transpose(&mut square);
            for (row, word) in matrix.chunks_exact_mut(length).zip(square.iter()) {
                row[8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    matrix
}

/// Transposes 16 words of 16 nibbles: in each step, the halves of squares of 2, 4, 8 and 16 nibbles that are off the
/// diagonal change places.
#[inline(always)]
fn transpose(square: &mut [u64]) {
    let steps = [
        (8, 0x0000_0000_ffff_ffff),
        (4, 0x0000_ffff_0000_ffff),
        (2, 0x00ff_00ff_00ff_00ff),
        (1, 0x0f0f_0f0f_0f0f_0f0f),
    ];
    for (step, mask) in steps {
        for squares in square.chunks_exact_mut(2 * step) {
            let (upper, lower) = squares.split_at_mut(step);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let difference = (*upper >> (4 * step) ^ *lower) & mask;
                *lower ^= difference;
                *upper ^= difference << (4 * step);
            }
        }
    }
}
