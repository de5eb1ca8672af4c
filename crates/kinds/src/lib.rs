#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod aead;
pub mod cipher;
mod error;
pub mod hash;
pub mod mac;
pub mod own;
pub mod prepared;
pub mod signature;
pub mod toy;
mod worded;

pub use error::Error;
#[doc(hidden)]
pub use worded::are_distinct;
