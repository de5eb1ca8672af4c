#![doc = include_str!("../README.md")]
#![no_std]

mod constant_time;
mod extensions;
mod level;
mod paths;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
mod this_processor;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use constant_time::constant_time_eq;
pub use extensions::Extensions;
pub use level::Level;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub use registers::clear_registers;
pub use this_processor::Refused;
