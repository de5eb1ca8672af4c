//! Plain hashes of many messages at once, whose lengths may be very different.
//!
//! Where there are more than lanes, the longest of a window begin first, while the messages of the last window are still
//! in their lanes.

use fieldtest_many::{DigestLength, LongestFirst, Message};

use crate::block::{Block, Cut, Rest, State, Tail};
use crate::hash::{Hash, hash_on};
use crate::lanes::{self, Stream, Task, Then};
use crate::path::Path;

/// Hashes many messages; `view` says where a job has its message and its digest. Lengths may all differ. Nothing is
/// allocated, and no body copied.
///
/// # Errors
/// [`DigestLength`] if a place for a digest has another length than the digest; no digest of the batch may be used then.
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
    let lanes = path.engine(messages.len(), H::EIGHT_FROM).lanes();
    if lanes == 1 {
        return messages
            .try_for_each(|Message { head, body, digest }| hash_on::<H>(path, head, body, digest));
    }
    if messages.len() <= lanes {
        lanes::run::<H, _>(path, lanes, messages)
    } else {
        lanes::run::<H, _>(path, lanes, LongestFirst::of(messages))
    }
}

impl<'a, H: Hash> Task<'a, H> for Message<'a> {
    /// What is left of the body after the block where it meets the head.
    type Then = Option<Rest<'a>>;
    type Error = DigestLength;

    #[inline(always)]
    fn start(self, state: &mut State, tail: &mut Tail) -> Result<Stream<'a, Self::Then>, DigestLength> {
        DigestLength::check(self.digest, H::DIGEST)?;
        *state = H::INITIAL;
        let Cut { blocks, after } = tail.begin(self.head, self.body);
        Ok(Stream { blocks, then: after, digest: self.digest })
    }
}

impl<'a, H: Hash> Then<'a, H> for Option<Rest<'a>> {
    #[inline]
    fn begin(&mut self, _: &mut State, tail: &mut Tail) -> Option<&'a [Block]> {
        self.take().map(|rest| tail.end(rest))
    }
}
