#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod aead;
pub mod cipher;
mod error;
pub mod hash;
pub mod mac;
pub mod prepared;
pub mod signature;
pub mod toy;

pub use error::Error;
