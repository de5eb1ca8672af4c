//! One state in five registers of AVX-512.
//!
//! A register has the lanes of one row, column or diagonal, so that most steps are one instruction per register. θ
//! needs each column spread over the five registers, and χ each row. In general the lane at (x, y) is in the register
//! `ux + vy` modulo 5, and π, which moves it to (y, 2x + 3y), leaves it there if `u` and `v` become `u + v` and `3u`.
//! So no lane ever changes its register. From `u = 0, v = 1`, where each register is a row, six rounds lead to
//! `u = 0, v = 2`: rows again, in another order. Of those six [`LAYOUTS`], θ finds the columns spread in all but the
//! second, where `v = 0` makes each register a column, and χ finds the rows spread in all but the one after the last.
//!
//! Within its register a lane is at its x for θ and at its y for χ, except that a row is always in the order of x and
//! a column in the order of y.

#![allow(unsafe_code)] // loads and stores of vectors

use core::arch::x86_64::{
    __m512i, __mmask8, _mm512_loadu_si512, _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64,
    _mm512_permutexvar_epi64, _mm512_rol_epi64, _mm512_rolv_epi64, _mm512_ternarylogic_epi64,
    _mm512_xor_si512,
};

use super::{RHO, State};

/// The layouts of six rounds, `[u, v]` each.
const LAYOUTS: [[usize; 2]; 6] = layouts();

const fn layouts() -> [[usize; 2]; 6] {
    let mut layouts = [[0, 1]; 6];
    let mut round = 1;
    while round < 6 {
        let [u, v] = layouts[round - 1];
        layouts[round] = after([u, v]);
        round += 1;
    }
    layouts
}

/// The layout that π leads to.
const fn after([u, v]: [usize; 2]) -> [usize; 2] {
    [(u + v) % 5, 3 * u % 5]
}

/// `a / b` modulo 5.
const fn divide(a: usize, b: usize) -> usize {
    let mut quotient = 0;
    while quotient * b % 5 != a % 5 {
        quotient += 1;
    }
    quotient
}

/// `a - b` modulo 5, for `b` below 25.
const fn minus(a: usize, b: usize) -> usize {
    (a + 25 - b) % 5
}

/// For each register a number per element. The three elements beyond the five lanes stay zero.
type Table = [[u64; 8]; 5];

/// Brings the lanes from the places for χ of the round before to those for θ, where these are different.
const fn to_theta([u, v]: [usize; 2]) -> Table {
    let mut table = [[0, 1, 2, 3, 4, 5, 6, 7]; 5];
    if u == 0 || v == 0 {
        return table;
    }
    let mut index = 0;
    while index < 25 {
        let (register, x) = (index / 5, index % 5);
        table[register][x] = divide(minus(register, u * x), v) as u64;
        index += 1;
    }
    table
}

const fn rho([u, v]: [usize; 2]) -> Table {
    let mut table = [[0; 8]; 5];
    let mut index = 0;
    while index < 25 {
        let (register, place) = (index / 5, index % 5);
        let (x, y) = if v == 0 {
            (divide(register, u), place)
        } else {
            (place, divide(minus(register, u * place), v))
        };
        table[register][place] = RHO[x + 5 * y] as u64;
        index += 1;
    }
    table
}

/// Brings to each place for χ the lane that is to be `ahead` of it in its row.
const fn pi([u, v]: [usize; 2], ahead: usize) -> Table {
    let mut table = [[0, 1, 2, 3, 4, 5, 6, 7]; 5];
    let [new_u, new_v] = after([u, v]);
    let mut index = 0;
    while index < 25 {
        let (register, place) = (index / 5, index % 5);
        let (new_x, new_y) = if new_u == 0 {
            (place + ahead, divide(register, new_v))
        } else {
            (divide(minus(register, new_v * place), new_u) + ahead, place)
        };
        // Where the lane that moves to these coordinates was.
        let (x, y) = ((new_x + 3 * new_y) % 5, new_x % 5);
        table[register][place] = if v == 0 { y as u64 } else { x as u64 };
        index += 1;
    }
    table
}

/// Brings to each of five places the element `by` places after it.
const fn turn(by: usize) -> [u64; 8] {
    let mut table = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut place = 0;
    while place < 5 {
        table[place] = ((place + by) % 5) as u64;
        place += 1;
    }
    table
}

static TO_THETA: [Table; 6] = tables(0);
static RHO_TABLES: [Table; 6] = tables(1);
static PI: [Table; 6] = tables(2);
static PI_1: [Table; 6] = tables(3);
static PI_2: [Table; 6] = tables(4);
static TURN: [[u64; 8]; 5] = [turn(0), turn(1), turn(2), turn(3), turn(4)];

/// One kind of table for each layout.
const fn tables(kind: usize) -> [Table; 6] {
    let mut tables = [[[0; 8]; 5]; 6];
    let mut round = 0;
    while round < 6 {
        let layout = LAYOUTS[round];
        tables[round] = match kind {
            0 => to_theta(layout),
            1 => rho(layout),
            kind => pi(layout, kind - 2),
        };
        round += 1;
    }
    tables
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(table: &[u64; 8]) -> __m512i {
    // SAFETY: the table has 64 bytes; no alignment is needed.
    unsafe { _mm512_loadu_si512(table.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn move_by(table: &[u64; 8], lanes: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(load(table), lanes)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn parity(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn chi(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xd2>(a, b, c)
}

/// The round with the layout of this number.
#[inline]
#[target_feature(enable = "avx512f")]
fn round<const LAYOUT: usize>(mut a: [__m512i; 5], iota: &u64) -> [__m512i; 5] {
    let [u, v] = const { LAYOUTS[LAYOUT] };
    if v == 0 {
        // A register is a column; with its sum in every place, the neighbours' sums need not be moved.
        let mut sums = a;
        for (sum, a) in sums.iter_mut().zip(a) {
            let two = _mm512_xor_si512(a, move_by(&TURN[1], a));
            *sum = parity(two, move_by(&TURN[2], two), move_by(&TURN[4], a));
        }
        for (register, a) in a.iter_mut().enumerate() {
            // The register of the column at x is ux, and u is 1 in this layout.
            *a = parity(*a, sums[(register + 4) % 5], _mm512_rol_epi64::<1>(sums[(register + 1) % 5]));
        }
    } else {
        if u != 0 {
            for (a, table) in a.iter_mut().zip(&TO_THETA[LAYOUT]) {
                *a = move_by(table, *a);
            }
        }
        let sum = parity(parity(a[0], a[1], a[2]), a[3], a[4]);
        let (left, right) = (move_by(&TURN[4], sum), _mm512_rol_epi64::<1>(move_by(&TURN[1], sum)));
        for a in &mut a {
            *a = parity(*a, left, right);
        }
    }
    for (a, table) in a.iter_mut().zip(&RHO_TABLES[LAYOUT]) {
        *a = _mm512_rolv_epi64(*a, load(table));
    }
    let mut new = a;
    let [u, _] = const { after(LAYOUTS[LAYOUT]) };
    if u == 0 {
        for (register, new) in new.iter_mut().enumerate() {
            let row = |tables: &[Table; 6]| move_by(&tables[LAYOUT][register], a[register]);
            *new = chi(row(&PI), row(&PI_1), row(&PI_2));
        }
    } else {
        for (a, table) in a.iter_mut().zip(&PI[LAYOUT]) {
            *a = move_by(table, *a);
        }
        for (register, new) in new.iter_mut().enumerate() {
            // The register of x + 1 is u further on.
            *new = chi(a[register], a[(register + u) % 5], a[(register + 2 * u) % 5]);
        }
    }
    // The lane at (0, 0) is the first of the first register in all layouts.
    // SAFETY: eight bytes are read.
    new[0] =
        _mm512_xor_si512(new[0], unsafe { _mm512_maskz_loadu_epi64(1, core::ptr::from_ref(iota).cast()) });
    new
}

/// The permutation of rows, with constants of a multiple of six rounds.
#[inline]
#[target_feature(enable = "avx512f")]
fn permute_rows(mut a: [__m512i; 5], iota: &[u64]) -> [__m512i; 5] {
    let (six, rest) = iota.as_chunks::<6>();
    debug_assert!(rest.is_empty());
    for six in six {
        a = round::<0>(a, &six[0]);
        a = round::<1>(a, &six[1]);
        a = round::<2>(a, &six[2]);
        a = round::<3>(a, &six[3]);
        a = round::<4>(a, &six[4]);
        a = round::<5>(a, &six[5]);
        // The row y is in the register 2y.
        a = [a[0], a[2], a[4], a[1], a[3]];
    }
    a
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_rows(state: &State) -> [__m512i; 5] {
    // SAFETY: of each row its five lanes are read, 25 in all.
    core::array::from_fn(|y| unsafe { _mm512_maskz_loadu_epi64(0x1f, state.as_ptr().add(5 * y).cast()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_rows(state: &mut State, rows: [__m512i; 5]) {
    for (y, row) in rows.into_iter().enumerate() {
        // SAFETY: of each row its five lanes are written, 25 in all.
        unsafe { _mm512_mask_storeu_epi64(state.as_mut_ptr().add(5 * y).cast(), 0x1f, row) };
    }
}

/// Absorbs blocks of `RATE` bytes, with constants of a multiple of six rounds.
#[target_feature(enable = "avx512f")]
pub(crate) fn absorb<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]], iota: &[u64]) {
    absorb_bytes(state, blocks.as_flattened(), RATE, iota);
}

/// [`absorb`] for all rates, so that there is one place into which the rounds are compiled.
#[target_feature(enable = "avx512f")]
fn absorb_bytes(state: &mut State, blocks: &[u8], rate: usize, iota: &[u64]) {
    // A bit for each lane of a row that a block has.
    let masks: [__mmask8; 5] =
        core::array::from_fn(|y| ((1 << (rate / 8).saturating_sub(5 * y).min(5)) - 1) as u8);
    let mut rows = load_rows(state);
    for block in blocks.chunks_exact(rate) {
        for ((y, row), mask) in rows.iter_mut().enumerate().zip(masks) {
            // SAFETY: the lanes that the mask allows are inside the block.
            let part = unsafe { _mm512_maskz_loadu_epi64(mask, block.as_ptr().wrapping_add(40 * y).cast()) };
            *row = _mm512_xor_si512(*row, part);
        }
        rows = permute_rows(rows, iota);
    }
    store_rows(state, rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layouts_are_as_described() {
        assert_eq!(LAYOUTS, [[0, 1], [1, 0], [1, 3], [4, 3], [2, 2], [4, 1]]);
        assert_eq!(after(LAYOUTS[5]), [0, 2]);
    }
}
