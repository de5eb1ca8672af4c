#![doc = include_str!("../README.md")]
#![no_std]

mod counter;
mod key;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use key::{Aes, KeyLength};
pub use path::Path;

/// The sixteen bytes that the cipher works on.
pub type Block = [u8; 16];
