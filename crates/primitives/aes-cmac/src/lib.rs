#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(target_arch = "x86_64")]
mod aesni;
mod bank;
mod batch;
mod block;
mod chain;
mod dispatch;
mod key;
mod lane;
mod many;
mod path;
mod portable;
mod tag;
#[cfg(target_arch = "x86_64")]
mod vaes;

pub use key::{Cmac, Cmac128, Cmac256};
pub use lane::{Lane, TagTooLong};
pub use many::{tag_many, tag_many_on};
pub use path::Path;
