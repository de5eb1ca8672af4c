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
mod many;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vaes;

pub use key::{Cmac, Cmac128, Cmac256};
pub use many::{Lane, TagTooLong, tag_many, tag_many_on};
pub use path::Path;
