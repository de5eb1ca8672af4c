//! The kinds of algorithm that fieldtest measures, as traits.
//!
//! A carrier (a DNS zone, a file system, a TCP segment, …) is written against these traits and never names an
//! algorithm; the catalog implements them for every implementation it knows. The crate has no dependencies, so that
//! a carrier can be used as a library with any cryptography its user chose.

#![forbid(unsafe_code)]

pub mod cipher;
mod error;
pub mod hash;
pub mod mac;
pub mod own;
pub mod signature;

pub use error::Error;
