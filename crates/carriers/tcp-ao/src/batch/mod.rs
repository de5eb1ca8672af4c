//! Many segments of many sessions at once, for implementations that tag several messages in the time of one or two
//! ([`Mac::tag_many`]).
//!
//! The MAC inputs of a batch are assembled one behind the other in one buffer, tagged with one call per
//! implementation, and then taken in order. The outcome of every segment is the one that it would have had alone, in
//! the order of the batch. Buffers are kept: once they have grown, nothing is allocated.

mod sign;
mod verify;

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, Mac, MacKey};
pub use sign::SignedPacket;

use crate::option::MAX_MAC;

/// The buffers of a batch, to be used again for the next.
#[derive(Default)]
pub struct Batch {
    assembly: Assembly,
    verifying: Vec<Option<verify::Slot>>,
    signing: Vec<sign::Slot>,
    single: Vec<u8>,
}

impl Batch {
    /// Empty buffers.
    pub fn new() -> Batch {
        Batch::default()
    }
}

/// The messages of a batch and their tags.
#[derive(Default)]
struct Assembly {
    messages: Vec<u8>,
    waiting: Vec<Waiting>,
    tags: Vec<[u8; MAX_MAC]>,
    implementations: Vec<Arc<dyn Mac>>,
    jobs: Vec<Job<'static>>,
}

/// One message that waits for its tag.
#[derive(Clone, Copy)]
struct Waiting {
    session: usize,
    key: usize,
    implementation: usize,
    start: usize,
    end: usize,
    mac_len: usize,
}

impl Assembly {
    fn clear(&mut self) {
        self.messages.clear();
        self.waiting.clear();
        self.implementations.clear();
    }

    /// Queues the message that was appended to `messages` at `start`; its tag is the one of the number returned.
    #[inline(always)]
    fn queue(
        &mut self,
        session: usize,
        key: usize,
        mac: &Arc<dyn Mac>,
        start: usize,
        mac_len: usize,
    ) -> usize {
        let known = self.implementations.iter().position(|known| Arc::ptr_eq(known, mac));
        let implementation = known.unwrap_or_else(|| {
            self.implementations.push(Arc::clone(mac));
            self.implementations.len() - 1
        });
        let end = self.messages.len();
        self.waiting.push(Waiting { session, key, implementation, start, end, mac_len });
        self.waiting.len() - 1
    }

    /// Tags everything that waits. `key` finds the prepared key of one; an error makes all tags unusable.
    #[inline(always)]
    fn tag<'k>(&mut self, key: impl Fn(&Waiting) -> Option<&'k dyn MacKey>) -> Result<(), Error> {
        if self.tags.len() < self.waiting.len() {
            self.tags.resize(self.waiting.len(), [0; MAX_MAC]);
        }
        for (number, mac) in self.implementations.iter().enumerate() {
            let mut jobs = recycle(std::mem::take(&mut self.jobs));
            for (waiting, tag) in self.waiting.iter().zip(&mut self.tags) {
                if waiting.implementation != number {
                    continue;
                }
                let message = self.messages.get(waiting.start..waiting.end);
                let tag = tag.get_mut(..waiting.mac_len);
                let (Some(key), Some(message), Some(tag)) = (key(waiting), message, tag) else {
                    // Whatever the reason: a tag of the batch before must not pass for this one's.
                    return Err(Error::Library("a message of the batch has lost its key".to_owned()));
                };
                jobs.push(Job { key, message, tag });
            }
            let outcome = mac.tag_many(&mut jobs);
            self.jobs = recycle(jobs);
            outcome?;
        }
        Ok(())
    }

    /// The tag of this number.
    #[inline(always)]
    fn tag_of(&self, number: usize) -> &[u8] {
        let mac_len = self.waiting.get(number).map_or(0, |waiting| waiting.mac_len);
        self.tags.get(number).and_then(|tag| tag.get(..mac_len)).unwrap_or_default()
    }
}

/// An empty vector in the memory of another whose elements borrowed something else: the standard library collects in
/// place where both element types have one layout.
fn recycle<A, B>(mut vec: Vec<A>) -> Vec<B> {
    vec.clear();
    vec.into_iter().filter_map(|_| None).collect()
}
