#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod engine;
mod error;
mod expand;
mod field;
mod grid;
mod hash;
mod maps;
mod oil;
mod parameters;
mod path;
mod public;
mod schedule;
mod scratch;
mod secret;
mod sign;
mod solve;
#[cfg(test)]
mod tests;
mod whip;

pub use error::{InvalidKey, InvalidSignature, SigningError};
pub use parameters::ParameterSet;
pub use path::Path;
pub use public::{PreparedPublicKey, PublicKey};
pub use secret::{PreparedSigningKey, SigningKey};
