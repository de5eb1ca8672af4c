#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod arithmetic;
mod error;
#[cfg(feature = "pkcs8")]
mod keys;
mod pack;
mod params;
mod path;
mod poly;
mod sample;
mod shake;
mod sign;
#[cfg(feature = "signature")]
mod traits;
mod verify;

pub use error::{InvalidKey, InvalidSignature, SignError};
pub use params::{MlDsa44, MlDsa65, MlDsa87, ParameterSet};
pub use path::Path;
pub use sign::SigningKey;
#[cfg(feature = "signature")]
pub use traits::Signature;
pub use verify::VerifyingKey;
