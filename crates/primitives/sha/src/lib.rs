//! SHA-1, SHA-256 and HMAC over several messages at once.
//!
//! The hashes are those of FIPS 180-4, the keyed hash that of RFC 2104. A key is prepared once and then tags many
//! short messages, one at a time ([`Hmac::tag`]) or many at a time ([`tag_many`]), by the fastest path that the
//! processor has; [`Path`] says which there are.
//!
//! ```
//! use fieldtest_sha::{HmacSha256, Lane, tag_many};
//!
//! let keys = [HmacSha256::new(b"one key"), HmacSha256::new(b"another key")];
//! let mut jobs = [(0, &b"hello"[..], [0; 16]), (1, b"a longer message", [0; 16])];
//! tag_many(&mut jobs, |(key, message, tag)| Lane { key: &keys[*key], message, tag })?;
//!
//! let mut alone = [0; 16];
//! keys[1].tag(b"a longer message", &mut alone)?;
//! assert_eq!(jobs[1].2, alone);
//! # Ok::<(), fieldtest_sha::TagTooLong>(())
//! ```
//!
//! Plain hashes are taken of one message ([`hash_on`], [`Hasher`]) or of many ([`hash_many`]), each in two parts that
//! are read where they lie:
//!
//! ```
//! use fieldtest_sha::{Message, Sha256, hash_many, sha256};
//!
//! let mut jobs = [(&b"hello"[..], [0; 32]), (b"a longer message", [0; 32])];
//! hash_many::<Sha256, _>(&mut jobs, |(body, digest)| Message { head: b"blob ", body, digest })?;
//! assert_eq!(jobs[0].1, sha256(b"blob hello"));
//! # Ok::<(), fieldtest_sha::DigestLength>(())
//! ```
//!
//! No branch and no address depends on a key, a message or a tag, only on their lengths.

#![no_std]

mod block;
mod hash;
mod hash_many;
mod hmac;
mod lanes;
mod path;
mod sha1;
mod sha256;
mod stream;
mod tag_many;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use fieldtest_many::{DigestLength, Message};
pub use hash::{Hash, hash_on};
pub use hash_many::{hash_many, hash_many_on};
pub use hmac::{Hmac, HmacSha1, HmacSha256, TagTooLong};
pub use path::Path;
pub use sha1::{Sha1, sha1, sha1_on};
pub use sha256::{Sha256, sha256, sha256_on};
pub use stream::Hasher;
pub use tag_many::{Lane, tag_many, tag_many_on};
