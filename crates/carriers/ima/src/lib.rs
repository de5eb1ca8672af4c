#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! A [`Signer`] signs, and a [`Keyring`] holds the public keys that are trusted. [`xattr`], [`file_id`], [`digest`],
//! [`evm`] and [`verity`] are the format; [`tree`] and [`tar`] work on many files; [`space`] predicts sizes.

#![forbid(unsafe_code)]

#[cfg(feature = "certificates")]
pub mod certificate;
pub mod digest;
pub mod evm;
mod file_hasher;
pub mod file_id;
mod files;
pub mod hash_algorithm;
pub mod keys;
pub mod signer;
pub mod space;
pub mod store;
pub mod tar;
pub mod tree;
pub mod verifier;
pub mod verity;
pub mod xattr;

pub use digest::Digest;
pub use file_id::FileDigest;
pub use hash_algorithm::HashAlgorithm;
pub use signer::Signer;
pub use verifier::{Keyring, Verdict};
pub use xattr::{KeyId, SignatureType, Version, Xattr};
/// What secret keys are kept in.
pub use zeroize::Zeroizing;
