#![doc = include_str!("../README.md")]
#![no_std]
#![allow(clippy::needless_range_loop)] // loops over several arrays at once, which become vectors

extern crate alloc;

mod annulus;
mod basis;
mod coding;
mod engine;
mod error;
mod fft;
mod gauss;
mod key;
mod math;
mod ntt;
mod params;
mod path;
mod point;
mod random;
mod roots;
#[cfg(test)]
mod tests;
mod verify;

pub use error::{InvalidKey, InvalidSignature, SignError};
pub use key::SigningKey;
pub use params::{PUBLIC_KEY, RANDOMIZER, SALT, SECRET_KEY, SEED, SIGNATURE};
pub use path::Path;
pub use verify::VerifyingKey;
/// What the bytes of a secret key come in.
pub use zeroize::Zeroizing;
