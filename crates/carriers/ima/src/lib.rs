//! IMA file signatures with any signature algorithm: sign, verify and plan for a tree of files.
//!
//! The library knows no algorithm: a [`Signer`] is made of whatever implements
//! [`Signature`](fieldtest_kinds::signature::Signature) and a key, and a [`Keyring`] of the public keys that are trusted.
//! [`xattr`], [`file_id`], [`digest`], [`evm`] and [`verity`] are the format; [`tree`] and [`tar`] work on many files;
//! [`space`] says what the signatures take on a file system, before there are any. X.509 certificates are read and made
//! with the default feature `certificates`.
//!
//! ```
//! use std::fs;
//!
//! use fieldtest_ima::store::{Store, sidecar};
//! use fieldtest_ima::tree::{self, Job, Options, Source};
//! use fieldtest_ima::{HashAlgorithm, Keyring, Signer, Version};
//!
//! # use fieldtest_kinds::{signature::Signature, toy::Toy};
//! # use sha2::{Digest as _, Sha256};
//! // Whatever implements `Signature` will do; this toy is a keyed hash, so keep it out of any system.
//! let algorithm = &Toy { hash: |parts| Sha256::digest(parts.concat()).to_vec() };
//! let pair = algorithm.generate()?;
//!
//! let folder = tempfile::tempdir()?;
//! fs::create_dir(folder.path().join("bin"))?;
//! fs::write(folder.path().join("bin/true"), "#!/bin/sh\nexit 0\n")?;
//! fs::write(folder.path().join("motd"), "Welcome.\n")?;
//!
//! // Each file's signature is put beside it; `Store::Attribute` is where the kernel reads it, and takes privileges.
//! let signer = Signer::new(algorithm, &pair.secret, Version::V3)?;
//! let id = signer.id();
//! let job = Job::new(algorithm, signer, HashAlgorithm::Sha256, Store::Sidecar(sidecar::SUFFIX.to_owned()))?;
//! tree::sign(folder.path(), &[job], None, &Options::default(), |_| Ok(()))?;
//!
//! let mut keyring = Keyring::new();
//! keyring.add_as(id, algorithm, &pair.public)?;
//! let verify = || {
//!     let source = Source::Sidecar(sidecar::SUFFIX);
//!     tree::verify(folder.path(), &keyring, None, source, &Options::default(), |_| Ok(()))
//! };
//! assert_eq!(verify()?.content.good, 2);
//!
//! fs::write(folder.path().join("motd"), "Welcome!\n")?;
//! assert_eq!(verify()?.content.changed.first, [std::path::PathBuf::from("motd")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
