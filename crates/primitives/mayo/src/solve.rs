//! Linear systems over GF(16) in constant time (SampleSolution).
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

/// Rows of the largest set, 142, as many as whole registers have.
const ROWS: usize = 192;

static NUMBERS: [u8; ROWS] = {
    let mut numbers = [0; ROWS];
    let mut number = 0;
    while number < ROWS {
        numbers[number] = number as u8;
        number += 1;
    }
    numbers
};

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
    // Rows of whole registers.
    let length = (width / 2).next_multiple_of(64);
    let mut matrix = by_rows(&words, width, rows, length);

    // Whole registers of rows; those beyond m are no candidates, and have no factors.
    let mut factors = Scratch::<u8>::new(ROWS);
    let mut excluded = Scratch::<u8>::new(ROWS);
    excluded[rows..].fill(u8::MAX);
    let mut chosen = Scratch::<u8>::new(ROWS);
    let mut row_maps = Scratch::<E::Map>::new(ROWS);
    let mut leading = Scratch::<u8>::new(length);
    let mut leaders = Scratch::<u8>::new(random.len());
    for (column, leader) in leaders.iter_mut().enumerate() {
        for (row, factor) in matrix.chunks_exact(length).zip(factors.iter_mut()) {
            *factor = row[column / 2];
        }
        let shift = column % 2 * 4;
        let mut first = u8::MAX;
        for ((number, factor), excluded) in NUMBERS.iter().zip(factors.iter_mut()).zip(excluded.iter()) {
            *factor = *factor >> shift & 15;
            // All ones stand for no row.
            first = first.min(number | excluded | is_zero(*factor));
        }
        *leader = first;
        let mut entry = 0;
        for (((number, factor), excluded), chosen) in
            NUMBERS.iter().zip(factors.iter_mut()).zip(excluded.iter_mut()).zip(chosen.iter_mut())
        {
            *chosen = is_zero(number ^ first);
            *excluded |= *chosen;
            entry |= *factor & *chosen;
            // The chosen row is replaced: its multiple, which is added, is itself and the row with a leading one.
            *factor ^= *chosen & 1;
        }
        // The chosen row, divided by its entry.
        let inverse = invert(entry);
        for chosen in chosen.iter_mut() {
            *chosen &= inverse;
        }
        maps::scalars(engine, &chosen, &mut row_maps);
        leading.fill(0);
        engine.combine(&row_maps[..rows], 1, &matrix, &mut leading, length);
        maps::scalars(engine, &factors, &mut row_maps);
        engine.combine(&row_maps[..rows], rows, &leading, &mut matrix, length);
    }
    // Whether another attempt is made is public: signatures tell how long they took.
    if excluded.contains(&0) {
        return None;
    }

    let (at, shift) = (random.len() / 2, random.len() % 2 * 4);
    for (factor, row) in factors.iter_mut().zip(matrix.chunks_exact(length)) {
        *factor = row[at] >> shift & 15;
    }
    let mut solution = Scratch::new(random.len());
    for ((solution, random), leader) in solution.iter_mut().zip(random).zip(leaders.iter()) {
        *solution = *random;
        for (number, value) in NUMBERS.iter().zip(factors.iter()) {
            *solution ^= value & is_zero(number ^ leader);
        }
    }
    Some(solution)
}

/// All ones for 0, else 0.
#[inline(always)]
fn is_zero(byte: u8) -> u8 {
    ((byte | byte.wrapping_neg()) >> 7).wrapping_sub(1)
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

/// Packed rows of `length` bytes instead of columns.
#[inline(always)]
fn by_rows(words: &[u64], width: usize, rows: usize, length: usize) -> Scratch<u8> {
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
