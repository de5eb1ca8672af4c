#![doc = include_str!("../README.md")]
#![no_std]

mod key;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use fieldtest_block::Block;
pub use key::Ghash;
pub use path::Path;
