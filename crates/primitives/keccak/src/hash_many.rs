//! Many messages at once, whose lengths may be very different.

use fieldtest_many::{DigestLength, Message};

use crate::hash::{Hash, hash_on};
use crate::path::Path;

/// Hashes many messages; `view` says where a job has its message and its digest. Lengths may all differ. Nothing is
/// allocated, and no body copied.
///
/// # Errors
/// [`DigestLength`] if the hash function has no digests of the length asked for; no digest of the batch may be used then.
pub fn hash_many<'j, H: Hash, J>(
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Message<'j>,
) -> Result<(), DigestLength> {
    hash_many_on::<H, J>(Path::best(), jobs, view)
}

/// [`hash_many`] by the given path.
///
/// # Errors
/// As [`hash_many`].
pub fn hash_many_on<'j, H: Hash, J>(
    path: Path,
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Message<'j>,
) -> Result<(), DigestLength> {
    let mut messages = jobs.iter_mut().map(view);
    if messages.len() == 1 {
        return messages
            .try_for_each(|Message { head, body, digest }| hash_on::<H>(path, head, body, digest));
    }
    H::run(path, messages)
}
