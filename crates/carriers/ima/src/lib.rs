//! IMA file signatures with any signature algorithm: sign, verify and plan for a tree of files.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod digest;
mod ecdsa;
pub mod evm;
mod file_hasher;
pub mod file_id;
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
pub use signer::Signer;
pub use verifier::{Keyring, Verdict};
pub use xattr::{KeyId, SignatureType, Version, Xattr};
