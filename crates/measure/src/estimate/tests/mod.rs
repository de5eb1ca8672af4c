//! The rules of `METHODOLOGY.md` on typed-in windows, with the results that follow from them, and intervals on machines that
//! are made up. What is not plain arithmetic was computed by a program of its own.

mod estimates;
mod simulated;
mod windows;

use super::*;

/// Equal but for rounding.
#[track_caller]
fn same(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} and not {expected}");
}

/// Readings of an uncontended core.
fn own(costs: &[f64]) -> Vec<Reading> {
    costs.iter().map(|&cost| Reading { cost, undisturbed: true, switched: false, taken: 1.0 }).collect()
}

/// So many readings of cost 1 of an uncontended core, of a contended one, and of one that the thread lost.
fn mixed(own: usize, shared: usize, lost: usize) -> Vec<Reading> {
    let some = |count: usize, undisturbed, switched| {
        vec![Reading { cost: 1.0, undisturbed, switched, taken: 1.5 }; count]
    };
    [some(own, true, false), some(shared, false, false), some(lost, false, true)].concat()
}
