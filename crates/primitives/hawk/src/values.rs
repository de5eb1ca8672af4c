//! Polynomials by their values at the roots.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::arithmetic::{Arithmetic, Tables};
use crate::params::MOST;

/// A small polynomial at the roots.
pub(crate) fn values(
    arithmetic: &Arithmetic,
    tables: &Tables,
    poly: impl Iterator<Item = i32>,
) -> Zeroizing<Vec<u32>> {
    let mut values = Zeroizing::new(Vec::with_capacity(MOST));
    values.extend(poly.map(|c| tables.residue(c)));
    (arithmetic.ntt)(&mut values, tables);
    values
}
