#![doc = include_str!("../README.md")]
#![no_std]

mod key;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use key::Ghash;
pub use path::Path;
#[cfg(target_arch = "x86_64")]
pub use simd::beside;

/// The sixteen bytes that the hash takes at a time.
pub type Block = [u8; 16];
