//! Hash functions: their own facts, and the adapters, one module per family.

pub mod availability;
mod facts;
mod function;
#[cfg(feature = "graviola")]
mod graviola;
mod kats;
#[cfg(any(feature = "aws-lc", feature = "ring"))]
mod libraries;
mod own;
mod rustcrypto;
#[cfg(test)]
mod tests;

use fieldtest_kinds::hash::Hash;

pub use facts::{GitFormat, HashFacts};
pub(crate) use function::{Function, State, write, wrong_length};

// Every family of hash functions: one word each.
crate::declare::kind! {
    Hash by Hash, HashFacts, "hash", "Hash functions",
    /// Every hash function, by status.
    [sha1, sha2, keccak, blake2, blake3]
}
