#![doc = include_str!("../README.md")]
#![no_std]

mod counter;
mod key;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use fieldtest_block::{Block, BlockCipher16, KeyLength};
pub use key::Aes;
pub use path::Path;
