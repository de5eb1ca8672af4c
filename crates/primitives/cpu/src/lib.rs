//! Which instruction sets of this processor can be used, without the standard library, and the shape of the type by
//! which a primitive chooses among its code paths. Whoever works with secrets compares them in constant time and clears the
//! registers afterwards.
//!
//! The crate `cpufeatures` is not used because its version 0.3 reports VAES, GFNI and VPCLMULQDQ only where the
//! registers of AVX-512 are enabled, thus never on AMD's Zen 3 or Intel's Alder Lake, which have them on 256 bits.
//!
//! ```
//! use fieldtest_cpu::Extensions;
//!
//! let there = Extensions::of_this_processor();
//! let rounds_of_aes = if there.has(Extensions::VAES | Extensions::AVX2) { 2 } else { 1 };
//! println!("{rounds_of_aes} blocks in a register");
//! ```
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
