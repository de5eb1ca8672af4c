#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod arithmetic;
mod binary;
mod encode;
mod error;
mod generate;
mod golomb_rice;
mod params;
mod path;
mod sample;
mod sign;
mod values;
mod verify;

pub use error::{InvalidKey, InvalidSignature, SignError};
pub use generate::{KeyPair, Unsuitable};
pub use params::{Hawk256, Hawk512, Hawk1024, ParameterSet};
pub use path::Path;
pub use sign::SigningKey;
pub use verify::VerifyingKey;
