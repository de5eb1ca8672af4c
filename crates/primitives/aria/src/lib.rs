#![doc = include_str!("../README.md")]
#![no_std]

// Some of what these three have is for vectors alone.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod affine;
mod batch;
mod block_cipher;
mod diffusion;
mod key;
mod path;
mod portable;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod prepared;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod sbox;
mod schedule;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use fieldtest_block::{Block, KeyLength};
pub use key::Aria;
pub use path::Path;
