//! The messages of a batch on their way to the implementations, and the tags that come back.

use std::slice;
use std::sync::Arc;

use fieldtest_kinds::mac::{Job, Mac, MacKey};

use crate::option::MAX_MAC;

pub(super) type Tag = [u8; MAX_MAC];

type Other<'q> = (&'q Arc<dyn Mac>, Job<'q>);

/// What a queue is made in, to be used again for the next.
#[derive(Default)]
pub(super) struct Buffers {
    messages: Vec<u8>,
    tags: Vec<Tag>,
    jobs: Vec<Job<'static>>,
    others: Vec<Other<'static>>,
}

impl Buffers {
    /// An empty queue with room for messages of so many bytes together, and one place for a tag for each packet of the
    /// batch.
    #[inline]
    pub(super) fn queue<'q>(
        &'q mut self,
        packets: usize,
        bytes: usize,
    ) -> (Queue<'q>, slice::IterMut<'q, Tag>) {
        let Buffers { messages, tags, jobs, others } = self;
        if messages.len() < bytes {
            messages.resize(bytes, 0);
        }
        if tags.len() < packets {
            tags.resize(packets, [0; MAX_MAC]);
        }
        let tags = tags.get_mut(..packets).unwrap_or_default();
        let mut queue = Queue {
            free: messages,
            first: None,
            jobs: recycle(std::mem::take(jobs)),
            others: recycle(std::mem::take(others)),
            home: (jobs, others),
        };
        queue.jobs.reserve(packets);
        (queue, tags.iter_mut())
    }

    pub(super) fn tags(&self) -> &[Tag] {
        &self.tags
    }
}

/// Messages that wait for their tags. They borrow their keys, and so the sessions stay as they are meanwhile.
pub(super) struct Queue<'q> {
    /// What no message has taken yet.
    pub(super) free: &'q mut [u8],
    /// The implementation of the first job, and all jobs for it: as a rule there is no other.
    first: Option<&'q Arc<dyn Mac>>,
    jobs: Vec<Job<'q>>,
    others: Vec<Other<'q>>,
    /// Where the vectors return to.
    home: (&'q mut Vec<Job<'static>>, &'q mut Vec<Other<'static>>),
}

impl<'q> Queue<'q> {
    /// Queues a message. The tag's length is the length of `tag`.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        mac: &'q Arc<dyn Mac>,
        key: &'q dyn MacKey,
        message: &'q [u8],
        tag: &'q mut [u8],
    ) {
        let job = Job { key, message, tag };
        if Arc::ptr_eq(self.first.get_or_insert(mac), mac) {
            self.jobs.push(job);
        } else {
            self.others.push((mac, job));
        }
    }

    /// Computes all tags, those of one implementation together. `false` makes all of them unusable.
    pub(super) fn tag(mut self) -> bool {
        let mut all = true;
        let mut next = self.first;
        while let Some(mac) = next {
            all &= mac.tag_many(&mut self.jobs).is_ok();
            self.jobs.clear();
            next = self.others.first().map(|(mac, _)| *mac);
            if let Some(mac) = next {
                let alike = self.others.extract_if(.., |(other, _)| Arc::ptr_eq(other, mac));
                self.jobs.extend(alike.map(|(_, job)| job));
            }
        }
        let (jobs, others) = self.home;
        (*jobs, *others) = (recycle(self.jobs), recycle(self.others));
        all
    }
}

/// An empty vector in the memory of another whose elements borrowed something else: the standard library collects in
/// place where both element types have one layout.
fn recycle<A, B>(mut vec: Vec<A>) -> Vec<B> {
    vec.clear();
    vec.into_iter().filter_map(|_| None).collect()
}
