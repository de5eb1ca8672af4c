#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod curve;
mod error;
mod field;
mod inverse;
mod limbs;
mod moduli;
mod montgomery;
mod nonce;
#[cfg(target_arch = "x86_64")]
mod p256_x86_64;
mod point;
mod sign;
mod table;
#[cfg(test)]
mod tests;
mod verify;

pub use curve::{Curve, P256, P384};
pub use error::{InvalidKey, InvalidSignature, SignatureLength};
pub use nonce::Hash;
pub use sign::SigningKey;
pub use verify::VerifyingKey;
