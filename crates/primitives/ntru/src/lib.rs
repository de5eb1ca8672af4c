#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod big;
mod euclid;
mod fft;
mod ntt;
mod prime;
mod reduce;
mod residues;
mod solve;

pub use fft::{ROOTS, forward as fourier_transform};
pub use solve::{MOST_DEGREE, Solution, solve};
/// What solutions come in.
pub use zeroize::Zeroizing;
