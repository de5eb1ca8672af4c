//! The kinds of algorithm that fieldtest measures, as traits.
//!
//! A carrier (a DNS zone, a file system, a TCP segment, …) is written against these traits and never names an
//! algorithm; the catalog implements them for every implementation it knows. The crate has no dependencies, so that
//! a carrier can be used as a library with any cryptography its user chose.
//!
//! ```
//! use fieldtest_kinds::Error;
//! use fieldtest_kinds::signature::{Signature, SigningKey, VerifyingKey};
//!
//! /// A signature by any algorithm, over a message that is then verified with the public key alone.
//! fn there_and_back(algorithm: &dyn Signature, message: &[u8]) -> Result<Vec<u8>, Error> {
//!     let pair = algorithm.generate()?;
//!     let mut signature = Vec::new();
//!     algorithm.signing_key(&pair.secret)?.sign(message, &mut signature)?;
//!     algorithm.verifying_key(&pair.public)?.verify(message, &signature)?;
//!     Ok(signature)
//! }
//! ```

#![forbid(unsafe_code)]

pub mod cipher;
mod error;
pub mod hash;
pub mod mac;
pub mod own;
pub mod signature;

pub use error::Error;
