//! This project's own hash functions, which hash several messages at once.

mod keccak;
mod sha;

pub(super) use keccak::Keccak;
pub(super) use sha::Sha;
