#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block_cipher;
#[cfg(target_arch = "x86_64")]
mod group;
mod key;
#[cfg(target_arch = "x86_64")]
mod masks;
mod path;
mod portable;
mod rounds;
mod schedule;
#[cfg(target_arch = "x86_64")]
mod vector;
mod words;

pub use fieldtest_block::{Block, KeyLength};
pub use key::Lea;
pub use path::Path;
