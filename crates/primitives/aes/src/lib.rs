#![doc = include_str!("../README.md")]
#![no_std]

mod block_cipher;
mod counter;
mod error;
mod key;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

pub use error::KeyLength;
pub use fieldtest_block::Block;
pub use key::Aes;
pub use path::Path;
