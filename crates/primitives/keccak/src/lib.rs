//! SHA3-256, SHAKE128 (FIPS 202) and KangarooTwelve (RFC 9861) over one message or many at once.
//!
//! A message alone takes the fastest path that the processor has for one state of Keccak; [`hash_many`] hashes up to
//! eight messages side by side, whose lengths may be very different; a long message for [`Kt128`] is hashed side by
//! side with itself. [`Path`] says which paths there are.
//!
//! ```
//! use fieldtest_keccak::{Message, Sha3_256, hash_many, sha3_256};
//!
//! let contents = [&b"hello"[..], b"a longer message"];
//! let mut jobs = contents.map(|content| (content, [0; 32]));
//! hash_many::<Sha3_256, _>(&mut jobs, |(body, digest)| Message { head: b"blob ", body, digest })?;
//! assert_eq!(jobs[0].1, sha3_256(b"blob hello"));
//! # Ok::<(), fieldtest_keccak::DigestLength>(())
//! ```
//!
//! No branch and no address depends on the contents of a message, only on its length.

#![no_std]

mod engine;
mod hash;
mod hash_many;
mod kt128;
mod lanes;
mod path;
mod permutation;
pub mod shake;
mod source;
mod sponge;
mod states;

pub use fieldtest_many::{DigestLength, Message};
pub use hash::{Hash, Hasher, Kt128, Sha3_256, Shake128, hash_on};
pub use hash_many::{hash_many, hash_many_on};
pub use path::Path;
pub use states::{permute, permute_eight, permute_four};

/// The SHA3-256 digest of a message.
#[must_use]
pub fn sha3_256(message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    hash::unchecked::<Sha3_256>(message, &mut digest);
    digest
}

/// Overwrites `output` with the SHAKE128 digest of a message, of as many bytes as there is room for.
pub fn shake128(message: &[u8], output: &mut [u8]) {
    hash::unchecked::<Shake128>(message, output);
}

/// Overwrites `output` with the KT128 digest of a message and a customization string, of as many bytes as there is
/// room for.
pub fn kt128(message: &[u8], customization: &[u8], output: &mut [u8]) {
    let mut hasher = Hasher::<Kt128>::new();
    hasher.update(message);
    hasher.finish_customized(customization, output);
}
