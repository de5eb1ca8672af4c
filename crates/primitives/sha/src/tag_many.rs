//! HMAC of many messages at once.

use crate::block::{BLOCK, Block, Rest, State, Tail};
use crate::hash::Hash;
use crate::hmac::{Hmac, TagTooLong, check_length};
use crate::lanes::{self, Stream, Task, Then};
use crate::path::Path;

/// One message of a batch.
#[derive(Debug)]
pub struct Lane<'a, K> {
    /// The prepared key.
    pub key: &'a K,
    /// The whole message.
    pub message: &'a [u8],
    /// Where the tag goes; its length is the length of the tag.
    pub tag: &'a mut [u8],
}

/// Tags many messages; `view` says where a job has its key, its message and its tag. Keys and lengths may all
/// differ. Nothing is allocated.
///
/// # Errors
/// [`TagTooLong`] if a tag is longer than [`Hmac::LONGEST_TAG`]; no tag of the batch may be used then.
pub fn tag_many<'j, H: Hash, J>(
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Lane<'j, Hmac<H>>,
) -> Result<(), TagTooLong> {
    tag_many_on(Path::best(), jobs, view)
}

/// [`tag_many`] by the given path.
///
/// # Errors
/// As [`tag_many`].
pub fn tag_many_on<'j, H: Hash, J>(
    path: Path,
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Lane<'j, Hmac<H>>,
) -> Result<(), TagTooLong> {
    let mut messages = jobs.iter_mut().map(view);
    // As many lanes as there are messages or, where an engine may be left partly empty, as it has.
    let lanes = path.engine(messages.len(), H::EIGHT_FROM).lanes();
    if lanes == 1 {
        return messages.try_for_each(|Lane { key, message, tag }| key.tag_on(path, message, tag));
    }
    lanes::run::<H, _>(path, lanes, messages)
}

impl<'a, H: Hash> Task<'a, H> for Lane<'a, Hmac<H>> {
    /// The state of the outer hash, while the inner one is under way.
    type Then = Option<&'a State>;
    type Error = TagTooLong;

    #[inline(always)]
    fn start(self, state: &mut State, tail: &mut Tail) -> Result<Stream<'a, Self::Then>, TagTooLong> {
        check_length::<H>(self.tag)?;
        *state = self.key.inner;
        let blocks = tail.end(Rest { absorbed: BLOCK, body: self.message });
        Ok(Stream { blocks, then: Some(&self.key.outer), digest: self.tag })
    }
}

impl<'a, H: Hash> Then<'a, H> for Option<&'a State> {
    #[inline]
    fn begin(&mut self, state: &mut State, tail: &mut Tail) -> Option<&'a [Block]> {
        let outer = self.take()?;
        tail.fill_outer(state, H::DIGEST);
        *state = *outer;
        Some(&[])
    }
}
