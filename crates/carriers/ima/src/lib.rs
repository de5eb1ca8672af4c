//! IMA file signatures with any signature algorithm: sign, verify and plan for a tree of files.
//!
//! The library knows no algorithm: a [`Signer`] is made of whatever implements
//! [`Signature`](fieldtest_kinds::signature::Signature) and a key, and a [`Keyring`] of the public keys that are trusted.
//! [`xattr`], [`file_id`], [`digest`], [`evm`] and [`verity`] are the format; [`tree`] and [`tar`] work on many files;
//! [`space`] says what the signatures take on a file system, before there are any. X.509 certificates are read and made
//! with the default feature `certificates`.
//!
//! ```
//! use fieldtest_ima::{Digest, FileDigest, HashAlgorithm, Keyring, Signer, Version};
//! use fieldtest_kinds::signature::Signature;
//!
//! /// Signs a file's content and judges the value of `security.ima` that comes out.
//! fn signs(algorithm: &dyn Signature, content: &[u8]) -> Result<bool, Box<dyn std::error::Error>> {
//!     let pair = algorithm.generate()?;
//!     let signer = Signer::new(algorithm, &pair.secret, Version::V2)?;
//!     let digest = || FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, content));
//!     let value = signer.sign(&digest())?;
//!
//!     let mut keyring = Keyring::new();
//!     keyring.add_as(signer.id(), algorithm, &pair.public)?;
//!     let verdict = keyring.verify(&value, |_, _| Ok::<_, std::convert::Infallible>(digest()))?;
//!     Ok(verdict.is_good())
//! }
//! ```

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
