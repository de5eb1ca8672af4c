//! Many messages at once, whose lengths may be very different.
//!
//! A lane that is left alone at the end costs as much as several that are not. Long messages therefore begin first,
//! and the short ones fill up what they leave: a window of messages is taken from the batch at a time and sorted.

use crate::hash::{DigestLength, Hash, hash_on};
use crate::path::Path;

/// One message of a batch.
#[derive(Debug)]
pub struct Message<'a> {
    /// How the message begins.
    pub head: &'a [u8],
    /// The rest of it, which is read where it lies.
    pub body: &'a [u8],
    /// Where the digest goes, of a length that the hash function has.
    pub digest: &'a mut [u8],
}

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
    H::run(path, messages.map(|message| H::check(message.digest).map(|()| message)))
}

/// How many messages are looked at to find the longest.
pub(crate) const WINDOW: usize = 256;

/// Messages that are taken together, the longest first.
pub(crate) struct Window<'a> {
    messages: [Option<Message<'a>>; WINDOW],
    /// Length in words and place of those that have not been taken, the next at the end.
    order: [u64; WINDOW],
    left: usize,
}

impl<'a> Window<'a> {
    pub(crate) fn new() -> Self {
        Self { messages: [const { None }; WINDOW], order: [0; WINDOW], left: 0 }
    }

    /// Messages that have not been taken.
    pub(crate) fn len(&self) -> usize {
        self.left
    }

    /// Adds a message to a window that has not been sorted since it was empty; a full window ignores it.
    pub(crate) fn push(&mut self, message: Message<'a>) {
        let index = self.left;
        if let (Some(place), Some(order)) = (self.messages.get_mut(index), self.order.get_mut(index)) {
            *order = ((message.head.len() + message.body.len()) / 8 * WINDOW + index) as u64;
            *place = Some(message);
            self.left += 1;
        }
    }

    pub(crate) fn sort(&mut self) {
        if let Some(order) = self.order.get_mut(..self.left) {
            order.sort_unstable();
        }
    }

    /// The messages in the order in which they will be taken.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Message<'a>> {
        let order = self.order.get(..self.left).unwrap_or_default().iter().rev();
        order.filter_map(|order| self.messages.get(*order as usize % WINDOW)?.as_ref())
    }

    /// Takes the longest.
    pub(crate) fn take(&mut self) -> Option<Message<'a>> {
        self.left = self.left.checked_sub(1)?;
        let order = self.order.get(self.left)?;
        self.messages.get_mut(*order as usize % WINDOW)?.take()
    }
}

/// The messages of each window in turn, the longest first. An error comes as soon as it is seen.
pub(crate) fn longest_first<'a, E>(
    mut messages: impl Iterator<Item = Result<Message<'a>, E>>,
) -> impl Iterator<Item = Result<Message<'a>, E>> {
    let mut window = Window::new();
    core::iter::from_fn(move || {
        if window.len() == 0 {
            while window.len() < WINDOW
                && let Some(message) = messages.next()
            {
                match message {
                    Ok(message) => window.push(message),
                    Err(error) => return Some(Err(error)),
                }
            }
            window.sort();
        }
        window.take().map(Ok)
    })
}
