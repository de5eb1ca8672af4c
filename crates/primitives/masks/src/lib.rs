//! The masks of XTS (IEEE 1619-2018, section 5.2), one after another and many at once: for ciphers that make them in
//! registers beside their rounds, and in memory for all others.
//!
//! ```
//! use fieldtest_masks::{fill, times_x};
//!
//! let first = 1_u128 << 127 | 1;
//! assert_eq!(times_x(first), 0x87 ^ 2);
//!
//! let mut masks = [[0; 16]; 3];
//! fill(&first.to_le_bytes(), &mut masks);
//! assert_eq!(masks[1], times_x(first).to_le_bytes());
//! assert_eq!(masks[2], times_x(times_x(first)).to_le_bytes());
//! ```
#![no_std]

mod fill;
mod plain;
mod registers;
#[cfg(target_arch = "x86_64")]
mod xmm;
#[cfg(target_arch = "x86_64")]
mod ymm;
#[cfg(target_arch = "x86_64")]
mod zmm;

pub use fill::fill;
pub use plain::Plain;
pub use registers::Masks;
#[cfg(target_arch = "x86_64")]
pub use {xmm::Xmm, ymm::Ymm, zmm::Zmm};

/// Sixteen bytes.
pub type Block = [u8; 16];

/// The mask of the next block: times x modulo x^128 + x^7 + x^2 + x + 1. As a number the mask is read little-endian,
/// the least significant bit being the coefficient of 1.
#[inline(always)]
#[must_use]
pub fn times_x(mask: u128) -> u128 {
    (mask << 1) ^ ((mask >> 127).wrapping_neg() & 0x87)
}
