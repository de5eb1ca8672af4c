//! The NTT, its inverse, and products in its domain (FIPS 204, section 7.5).

#![allow(unsafe_code)] // vectors are made where the processor's instructions are vouched for

use core::array::from_fn;

use super::vector::Vector;
use super::zetas::{BACKWARD, COLUMNS, Factor, Factors, LAST, ROWS};
use crate::poly::Poly;

/// # Safety
/// The processor has the vector's instructions. (So for all of this file.)
#[inline(always)]
pub(super) unsafe fn forward<V: Vector>(poly: &mut Poly) {
    // SAFETY: as for this function.
    unsafe {
        let mut a = load::<V>(poly);
        a = layer::<V, 1>(a, butterfly, |group| splat(&ROWS[1 + group]));
        a = layer::<V, 2>(a, butterfly, |group| splat(&ROWS[2 + group]));
        a = layer::<V, 4>(a, butterfly, |group| splat(&ROWS[4 + group]));
        a = layer::<V, 8>(a, butterfly, |group| splat(&ROWS[8 + group]));
        a = V::transpose(a);
        a = layer::<V, 1>(a, butterfly, |group| columns(&COLUMNS[group]));
        a = layer::<V, 2>(a, butterfly, |group| columns(&COLUMNS[1 + group]));
        a = layer::<V, 4>(a, butterfly, |group| columns(&COLUMNS[3 + group]));
        a = layer::<V, 8>(a, butterfly, |group| columns(&COLUMNS[7 + group]));
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
        a = layer::<V, 8>(a, inverse_butterfly, |group| columns(&BACKWARD[7 + group]));
        a = layer::<V, 4>(a, inverse_butterfly, |group| columns(&BACKWARD[3 + group]));
        a = layer::<V, 2>(a, inverse_butterfly, |group| columns(&BACKWARD[1 + group]));
        a = layer::<V, 1>(a, inverse_butterfly, |group| columns(&BACKWARD[group]));
        a = V::transpose(a);
        // FIPS 204 counts the factors down.
        a = layer::<V, 8>(a, inverse_butterfly, |group| splat(&ROWS[15 - group]));
        a = layer::<V, 4>(a, inverse_butterfly, |group| splat(&ROWS[7 - group]));
        a = layer::<V, 2>(a, inverse_butterfly, |group| splat(&ROWS[3 - group]));
        a = layer::<V, 1>(a, inverse_butterfly, |group| splat(&ROWS[1 - group]));
        let [factor, twisted] = splat::<V>(&LAST);
        store(a.map(|row| row.montgomery(factor, twisted)), poly);
    }
}

/// One layer: eight butterflies of rows, in so many groups of neighbours.
#[inline(always)]
fn layer<V: Vector, const GROUPS: usize>(
    mut a: [V; 16],
    butterfly: impl Fn(V, V, [V; 2]) -> (V, V),
    factor: impl Fn(usize) -> [V; 2],
) -> [V; 16] {
    let half = 8 / GROUPS;
    for pair in 0..8 {
        let group = pair / half;
        let row = group * half + pair;
        (a[row], a[row + half]) = butterfly(a[row], a[row + half], factor(group));
    }
    a
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
    for (row, to) in sum.rows_mut().iter_mut().enumerate() {
        // SAFETY: as for this function.
        let mut products =
            a.iter().zip(b).map(|(a, b)| unsafe { [V::load(&a.rows()[row]), V::load(&b.rows()[row])] });
        let Some([a, b]) = products.next() else { return };
        let wide = products.fold(a.product(b), |wide, [a, b]| a.add_product(b, wide));
        V::reduce(wide).store(to);
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
    from_fn(|row| unsafe { V::load(&rows[row]) })
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
