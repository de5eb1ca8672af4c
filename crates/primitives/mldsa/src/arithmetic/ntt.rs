//! The NTT, its inverse, and products in its domain (FIPS 204, section 7.5).

#![allow(unsafe_code)] // vectors are made where the processor's instructions are vouched for

use super::vector::Vector;
use super::zetas::{BACKWARD, COLUMNS, Factor, Factors, LAST, LAST_DIFFERENCE, ROWS};
use crate::poly::Poly;

/// One layer: eight butterflies of rows, in so many groups of neighbours, with the factor that is given for each group.
/// A macro, since a closure is compiled without the caller's instructions and then not inlined.
macro_rules! layer {
    ($a:ident, $butterfly:ident, $groups:literal groups, |$group:ident| $factor:expr) => {
        for pair in 0..8 {
            let $group = pair / (8 / $groups);
            let row = $group * (8 / $groups) + pair;
            ($a[row], $a[row + 8 / $groups]) = $butterfly($a[row], $a[row + 8 / $groups], $factor);
        }
    };
}

/// # Safety
/// The processor has the vector's instructions. (So for all of this file.)
#[inline(always)]
pub(super) unsafe fn forward<V: Vector>(poly: &mut Poly) {
    // SAFETY: as for this function.
    unsafe {
        let mut a = load::<V>(poly);
        layer!(a, butterfly, 1 groups, |group| splat(&ROWS[1 + group]));
        layer!(a, butterfly, 2 groups, |group| splat(&ROWS[2 + group]));
        layer!(a, butterfly, 4 groups, |group| splat(&ROWS[4 + group]));
        layer!(a, butterfly, 8 groups, |group| splat(&ROWS[8 + group]));
        a = V::transpose(a);
        layer!(a, butterfly, 1 groups, |group| columns(&COLUMNS[group]));
        layer!(a, butterfly, 2 groups, |group| columns(&COLUMNS[1 + group]));
        layer!(a, butterfly, 4 groups, |group| columns(&COLUMNS[3 + group]));
        layer!(a, butterfly, 8 groups, |group| columns(&COLUMNS[7 + group]));
        store(a, poly);
    }
}

/// # Safety
/// As above.
#[inline(always)]
pub(super) unsafe fn inverse<V: Vector>(poly: &mut Poly) {
    // SAFETY: as for this function.
    unsafe {
        // Sums double in each of the eight layers and stay below 2^8 q < 2^31.
        let mut a = load::<V>(poly);
        layer!(a, inverse_butterfly, 8 groups, |group| columns(&BACKWARD[7 + group]));
        layer!(a, inverse_butterfly, 4 groups, |group| columns(&BACKWARD[3 + group]));
        layer!(a, inverse_butterfly, 2 groups, |group| columns(&BACKWARD[1 + group]));
        layer!(a, inverse_butterfly, 1 groups, |group| columns(&BACKWARD[group]));
        a = V::transpose(a);
        // FIPS 204 counts the factors down.
        layer!(a, inverse_butterfly, 8 groups, |group| splat(&ROWS[15 - group]));
        layer!(a, inverse_butterfly, 4 groups, |group| splat(&ROWS[7 - group]));
        layer!(a, inverse_butterfly, 2 groups, |group| splat(&ROWS[3 - group]));
        let [[factor, twisted], difference] = [splat::<V>(&LAST), splat(&LAST_DIFFERENCE)];
        for row in 0..8 {
            let (sum, product) = inverse_butterfly(a[row], a[row + 8], difference);
            (a[row], a[row + 8]) = (sum.montgomery(factor, twisted), product);
        }
        store(a, poly);
    }
}

/// # Safety
/// As above.
#[inline(always)]
pub(super) unsafe fn transpose<V: Vector>(poly: &mut Poly) {
    // SAFETY: as for this function.
    let square = unsafe { load::<V>(poly) };
    store(V::transpose(square), poly);
}

/// # Safety
/// As above.
#[inline(always)]
pub(super) unsafe fn dot<V: Vector>(sum: &mut Poly, a: &[Poly], b: &[Poly]) {
    let Some((a_first, a)) = a.split_first() else { return };
    let Some((b_first, b)) = b.split_first() else { return };
    for (row, to) in sum.rows_mut().iter_mut().enumerate() {
        // SAFETY: as for this function.
        unsafe {
            let mut wide = V::load(&a_first.rows()[row]).product(V::load(&b_first.rows()[row]));
            for (a, b) in a.iter().zip(b) {
                wide = V::load(&a.rows()[row]).add_product(V::load(&b.rows()[row]), wide);
            }
            V::reduce(wide).store(to);
        }
    }
}

/// Cooley and Tukey's.
#[inline(always)]
fn butterfly<V: Vector>(a: V, b: V, [factor, twisted]: [V; 2]) -> (V, V) {
    let t = b.montgomery(factor, twisted);
    (a.add(t), a.subtract(t))
}

/// Gentleman and Sande's; FIPS 204 multiplies `a - b` by the factor's negative.
#[inline(always)]
fn inverse_butterfly<V: Vector>(a: V, b: V, [factor, twisted]: [V; 2]) -> (V, V) {
    (a.add(b), b.subtract(a).montgomery(factor, twisted))
}

#[inline(always)]
unsafe fn load<V: Vector>(poly: &Poly) -> [V; 16] {
    let rows = poly.rows();
    // SAFETY: as for this function.
    unsafe {
        let mut loaded = [V::load(&rows[0]); 16];
        for row in 1..16 {
            loaded[row] = V::load(&rows[row]);
        }
        loaded
    }
}

#[inline(always)]
fn store<V: Vector>(rows: [V; 16], poly: &mut Poly) {
    for (row, to) in rows.into_iter().zip(poly.rows_mut()) {
        row.store(to);
    }
}

#[inline(always)]
unsafe fn splat<V: Vector>(factor: &Factor) -> [V; 2] {
    // SAFETY: as for this function.
    unsafe { [V::splat(factor.value), V::splat(factor.twisted)] }
}

#[inline(always)]
unsafe fn columns<V: Vector>(factors: &Factors) -> [V; 2] {
    // SAFETY: as for this function.
    unsafe { [V::load(&factors.value), V::load(&factors.twisted)] }
}
