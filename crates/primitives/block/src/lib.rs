#![doc = include_str!("../README.md")]
#![no_std]

mod bulk;
mod cipher;
mod counters;
pub mod masks;
mod xor;

pub use bulk::{xex, xor_keystream};
pub use cipher::{BlockCipher16, KeyLength};
pub use xor::{xor, xor_blocks};

/// The sixteen bytes that a cipher works on.
pub type Block = [u8; 16];
