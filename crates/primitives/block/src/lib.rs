#![doc = include_str!("../README.md")]
#![no_std]

mod bulk;
mod cipher;
mod counters;
mod hashed;
pub mod masks;
mod xor;

pub use bulk::{decrypt_chained, xex, xor_keystream};
pub use cipher::{BlockCipher16, KeyLength};
pub use fieldtest_ghash::Ghash;
pub use hashed::{Ciphertext, Hash, absorbed, hashed_in_chunks};
pub use xor::{xor, xor_blocks};

/// The sixteen bytes that a cipher works on.
pub type Block = [u8; 16];
