#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod arithmetic;
mod error;
mod pack;
mod params;
mod path;
mod poly;
mod sample;
mod shake;
mod sign;
mod verify;

pub use error::{InvalidKey, InvalidSignature, SignError};
pub use params::{MlDsa44, MlDsa65, MlDsa87, ParameterSet};
pub use path::Path;
pub use sign::SigningKey;
pub use verify::VerifyingKey;
