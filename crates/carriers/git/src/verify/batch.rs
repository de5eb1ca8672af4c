//! Objects that are collected to be hashed together, for functions that hash several at once.

use fieldtest_kinds::hash::{Hash, Job};

use crate::Header;

/// Bytes that are collected: enough for many objects, few enough for the second-level cache.
const BYTES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Batch {
    contents: Vec<u8>,
    items: Vec<Item>,
    digests: Vec<u8>,
}

/// The digest of an object, or why there is none.
pub(super) type Digest<'a> = Result<&'a [u8], fieldtest_kinds::Error>;

struct Item {
    number: u32,
    header: Header,
    end: usize,
}

impl Batch {
    /// Whether an object is small enough to be collected.
    pub(super) fn takes(content: &[u8]) -> bool {
        content.len() <= BYTES / 2
    }

    /// Adds an object; returns whether it is time to [`hash`](Self::hash).
    pub(super) fn push(&mut self, number: u32, header: Header, content: &[u8]) -> bool {
        self.contents.extend_from_slice(content);
        self.items.push(Item { number, header, end: self.contents.len() });
        self.contents.len() >= BYTES
    }

    /// Hashes all objects and begins a new batch. `each` is given the number and the digest of each.
    pub(super) fn hash(&mut self, hash: &dyn Hash, each: &mut dyn FnMut(u32, Digest<'_>)) {
        let len = hash.digest_len();
        self.digests.clear();
        self.digests.resize(self.items.len() * len, 0);
        let mut rest = self.contents.as_slice();
        let mut begin = 0;
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(self.items.len());
        for (item, digest) in self.items.iter().zip(self.digests.chunks_exact_mut(len)) {
            let (body, behind) = rest.split_at_checked(item.end - begin).unwrap_or_default();
            jobs.push(Job { head: item.header.as_bytes(), body, digest });
            (rest, begin) = (behind, item.end);
        }
        if hash.digest_many(&mut jobs).is_ok() {
            drop(jobs);
            for (item, digest) in self.items.iter().zip(self.digests.chunks_exact(len)) {
                each(item.number, Ok(digest));
            }
        } else {
            // Which of them it was, only they themselves can tell.
            for (item, job) in self.items.iter().zip(jobs) {
                let result = hash.digest(job.head, job.body, job.digest);
                each(item.number, result.map(|()| &*job.digest));
            }
        }
        self.items.clear();
        self.contents.clear();
    }
}
