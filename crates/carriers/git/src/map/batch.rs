//! Objects that wait to be hashed together.

use fieldtest_kinds::hash::{Hash, Job};

use super::new_ids::Digests;
use crate::{Error, Header, ObjectId, ObjectType};

/// Bytes of content in a batch of ordinary objects: they should still be in the core's own cache when they are hashed.
const ORDINARY_BATCH: usize = 1 << 20;
/// From this many bytes on an object waits with others of its size: among small ones it would be hashed alone at last.
const LONG: usize = 64 << 10;
const LONG_BATCH: usize = 8 << 20;

/// Collects objects and hashes them, several at once where the hash function gains by that.
pub(crate) struct Batches<'a> {
    hash: &'a dyn Hash,
    ordinary: Waiting,
    long: Waiting,
    pub(crate) digests: Digests,
}

#[derive(Default)]
struct Waiting {
    contents: Vec<u8>,
    objects: Vec<(u32, Header, usize)>,
    digests: Vec<u8>,
}

impl<'a> Batches<'a> {
    pub(crate) fn new(hash: &'a dyn Hash) -> Batches<'a> {
        Batches { hash, ordinary: Waiting::default(), long: Waiting::default(), digests: Digests::default() }
    }

    /// Takes an object, and hashes it now or later. An error names it by `id_of`.
    pub(crate) fn push(
        &mut self,
        number: u32,
        kind: ObjectType,
        content: &[u8],
        id_of: &dyn Fn(u32) -> Option<ObjectId>,
    ) -> Result<(), Error> {
        if !self.hash.hashes_several_at_once() || content.len() >= LONG_BATCH {
            return self.hash_now(number, kind, content, id_of);
        }
        let (waiting, _) = self.waiting(content.len());
        waiting.contents.extend_from_slice(content);
        self.end_of_content(number, kind, content.len(), id_of)
    }

    /// Takes an object of `len` bytes that `append` appends. If that refuses, there is no such object.
    pub(crate) fn push_made<R>(
        &mut self,
        number: u32,
        kind: ObjectType,
        len: usize,
        id_of: &dyn Fn(u32) -> Option<ObjectId>,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), R>,
    ) -> Result<Result<(), R>, Error> {
        let (waiting, _) = self.waiting(len);
        let before = waiting.contents.len();
        if let Err(refusal) = append(&mut waiting.contents) {
            waiting.contents.truncate(before);
            return Ok(Err(refusal));
        }
        self.end_of_content(number, kind, len, id_of).map(Ok)
    }

    /// Where objects of a length wait, and how many bytes of them.
    fn waiting(&mut self, len: usize) -> (&mut Waiting, usize) {
        if len < LONG { (&mut self.ordinary, ORDINARY_BATCH) } else { (&mut self.long, LONG_BATCH) }
    }

    fn end_of_content(
        &mut self,
        number: u32,
        kind: ObjectType,
        len: usize,
        id_of: &dyn Fn(u32) -> Option<ObjectId>,
    ) -> Result<(), Error> {
        let (hash, mut digests) = (self.hash, std::mem::take(&mut self.digests));
        let (waiting, limit) = self.waiting(len);
        waiting.objects.push((number, Header::new(kind, len as u64), waiting.contents.len()));
        let hashed = if waiting.contents.len() >= limit || !hash.hashes_several_at_once() {
            waiting.hash(hash, &mut digests, id_of)
        } else {
            Ok(())
        };
        self.digests = digests;
        hashed
    }

    fn hash_now(
        &mut self,
        number: u32,
        kind: ObjectType,
        content: &[u8],
        id_of: &dyn Fn(u32) -> Option<ObjectId>,
    ) -> Result<(), Error> {
        let header = Header::new(kind, content.len() as u64);
        let mut digest = [0; ObjectId::LONGEST];
        let digest = digest.get_mut(..self.hash.digest_len()).unwrap_or_default();
        let hashed = self.hash.digest(header.as_bytes(), content, digest);
        hashed.map_err(|source| failed(number, source, id_of))?;
        self.digests.push(number, digest);
        Ok(())
    }

    /// Hashes what still waits.
    pub(crate) fn finish(&mut self, id_of: &dyn Fn(u32) -> Option<ObjectId>) -> Result<(), Error> {
        self.ordinary.hash(self.hash, &mut self.digests, id_of)?;
        self.long.hash(self.hash, &mut self.digests, id_of)
    }
}

impl Waiting {
    fn hash(
        &mut self,
        hash: &dyn Hash,
        digests: &mut Digests,
        id_of: &dyn Fn(u32) -> Option<ObjectId>,
    ) -> Result<(), Error> {
        let digest_len = hash.digest_len();
        self.digests.clear();
        self.digests.resize(self.objects.len() * digest_len, 0);
        let mut begin = 0;
        let mut jobs: Vec<_> = self
            .objects
            .iter()
            .zip(self.digests.chunks_exact_mut(digest_len))
            .map(|((_, header, end), digest)| {
                let body = self.contents.get(begin..*end).unwrap_or_default();
                begin = *end;
                Job { head: header.as_bytes(), body, digest }
            })
            .collect();
        if let Err(source) = hash.digest_many(&mut jobs) {
            // A batch does not say which of its objects is to blame.
            for (job, (number, ..)) in jobs.iter_mut().zip(&self.objects) {
                hash.digest(job.head, job.body, job.digest)
                    .map_err(|source| failed(*number, source, id_of))?;
            }
            return Err(failed(self.objects.first().map_or(0, |(number, ..)| *number), source, id_of));
        }
        for ((number, ..), digest) in self.objects.iter().zip(self.digests.chunks_exact(digest_len)) {
            digests.push(*number, digest);
        }
        self.contents.clear();
        self.objects.clear();
        Ok(())
    }
}

fn failed(number: u32, source: fieldtest_kinds::Error, id_of: &dyn Fn(u32) -> Option<ObjectId>) -> Error {
    match id_of(number) {
        Some(id) => Error::Hash { id, source },
        None => Error::NoSuchNumber(number),
    }
}
