//! Which algorithm to recommend: from a [`Matrix`] of what algorithms have of properties, and a [`Request`], to a
//! [`Verdict`] with ranks, reasons, the nearest alternatives and a recommendation.
//!
//! The program and the page of a report call the same code: the program natively, the page as WebAssembly (`lab/wasm.sh`).
//! So this crate has no dependency and reads no record: every kilobyte of it is one and a third of the page.

#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod alternatives;
mod constraint;
mod decide;
mod difference;
mod json;
mod judge;
mod matrix;
pub mod number;
mod order;
#[cfg(target_family = "wasm")]
mod page;
mod recommend;
mod verdict;

pub use constraint::{ANY, ANYONE, Constraint, Request};
pub use difference::{Difference, interval_of_ratio};
pub use matrix::{
    AUTHENTICATES, Algorithm, Cell, Matrix, POST_QUANTUM, PROTECTS, Property, STATUS, STRENGTH, Study,
    WARNINGS,
};
pub use order::{CHAIN, CLOSE, CONTENDED, NO_INTERVAL, PUBLISHED, THIRD, UNFIT, UNKNOWN, UNMEASURED};
pub use recommend::{SOME_CONTENDED, SOME_UNCERTAIN};
pub use verdict::{Accepted, Alternative, Nearest, Rejected, Verdict};
