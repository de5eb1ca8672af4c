//! Plain hashes of many messages at once, whose lengths may be very different.
//!
//! A lane that is left alone at the end costs as much as several that are not. Long messages therefore begin first,
//! and the short ones fill up what they leave: a window of messages is taken from the batch at a time and sorted, while
//! the messages of the last window are still in their lanes.

use crate::block::{Block, Cut, Rest, State, Tail};
use crate::hash::{DigestLength, Hash, hash_on};
use crate::lanes::{self, Stream, Task, Then};
use crate::path::Path;

/// One message of a batch.
#[derive(Debug)]
pub struct Message<'a> {
    /// How the message begins.
    pub head: &'a [u8],
    /// The rest of it, which is read where it lies.
    pub body: &'a [u8],
    /// Where the digest goes, [`Hash::DIGEST`] bytes.
    pub digest: &'a mut [u8],
}

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
        DigestLength::check::<H>(self.digest)?;
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

/// How many messages are looked at to find the longest.
const WINDOW: usize = 256;

/// The messages of each window in turn, the longest first.
struct LongestFirst<'j, M> {
    messages: M,
    window: [Option<Message<'j>>; WINDOW],
    /// Length in blocks and place in the window of those that have not been taken, the next at the end.
    order: [u64; WINDOW],
    left: usize,
}

impl<'j, M: Iterator<Item = Message<'j>>> LongestFirst<'j, M> {
    fn of(messages: M) -> Self {
        Self { messages, window: [const { None }; WINDOW], order: [0; WINDOW], left: 0 }
    }

    fn fill(&mut self) {
        let places = self.window.iter_mut().zip(&mut self.order);
        for ((index, (place, order)), message) in places.enumerate().zip(&mut self.messages) {
            let blocks = (message.head.len() + message.body.len()) / 64;
            *order = (blocks * WINDOW + index) as u64;
            *place = Some(message);
            self.left = index + 1;
        }
        if let Some(order) = self.order.get_mut(..self.left) {
            order.sort_unstable();
        }
    }
}

impl<'j, M: Iterator<Item = Message<'j>>> Iterator for LongestFirst<'j, M> {
    type Item = Message<'j>;

    fn next(&mut self) -> Option<Message<'j>> {
        if self.left == 0 {
            self.fill();
        }
        self.left = self.left.checked_sub(1)?;
        let order = self.order.get(self.left)?;
        self.window.get_mut(*order as usize % WINDOW)?.take()
    }
}
