//! Objects that wait to be hashed together, for functions that hash several messages at once.

use std::io::Read;

use fieldtest_kinds::hash::{Hash, Job};

use crate::{Error, Header, ObjectType, Objects};

/// Bytes of content in a batch of ordinary objects: they should still be in the core's own cache when they are hashed.
const ORDINARY_BATCH: usize = 1 << 20;
/// From this many bytes on an object waits with others of its size: among small ones it would be hashed alone at last.
const LONG: usize = 64 << 10;
const LONG_BATCH: usize = 8 << 20;

/// Hashes objects, each by itself or with others that it waits for, as the function gains by it.
pub(crate) struct Batches<'a> {
    ordinary: Batch<'a>,
    long: Batch<'a>,
}

/// Is called with the number of every object that was hashed, and its digest or [`Error::Hash`]. Most calls are not about
/// the object that was just handed over. What this returns is passed on to whoever handed it over.
pub(crate) type Each<'e> = dyn FnMut(u32, Result<&[u8], Error>) -> Result<(), Error> + 'e;

/// Contents that wait, one after another.
struct Batch<'a> {
    objects: &'a Objects,
    hash: &'a dyn Hash,
    /// Bytes that are enough; 0 if nothing is to wait.
    limit: usize,
    contents: Vec<u8>,
    items: Vec<Item>,
    digests: Vec<u8>,
}

struct Item {
    number: u32,
    header: Header,
    end: usize,
}

impl<'a> Batches<'a> {
    pub(crate) fn new(objects: &'a Objects, hash: &'a dyn Hash) -> Batches<'a> {
        let batch = |limit| Batch {
            objects,
            hash,
            limit: if hash.hashes_several_at_once() { limit } else { 0 },
            contents: Vec::new(),
            items: Vec::new(),
            digests: Vec::new(),
        };
        Batches { ordinary: batch(ORDINARY_BATCH), long: batch(LONG_BATCH) }
    }

    pub(crate) fn push(
        &mut self,
        number: u32,
        kind: ObjectType,
        content: &[u8],
        each: &mut Each<'_>,
    ) -> Result<(), Error> {
        let batch = self.batch(content.len());
        if content.len() >= batch.limit {
            return batch.hash_alone(number, kind, content, each);
        }
        batch.contents.extend_from_slice(content);
        batch.end_item(number, kind, each)
    }

    /// Takes an object of `len` bytes that `append` appends. If that refuses, there is no such object.
    pub(crate) fn push_made<R>(
        &mut self,
        number: u32,
        kind: ObjectType,
        len: usize,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), R>,
        each: &mut Each<'_>,
    ) -> Result<Result<(), R>, Error> {
        let batch = self.batch(len);
        let begin = batch.contents.len();
        if let Err(refusal) = append(&mut batch.contents) {
            batch.contents.truncate(begin);
            return Ok(Err(refusal));
        }
        batch.end_item(number, kind, each).map(Ok)
    }

    /// Takes a blob that comes in pieces, and asks `goes_on` before each of them.
    ///
    /// # Errors
    /// Also those of `goes_on`, and [`Error::Io`] of `content`.
    pub(crate) fn push_large(
        &mut self,
        number: u32,
        size: u64,
        content: &mut dyn Read,
        goes_on: &dyn Fn() -> Result<(), Error>,
        each: &mut Each<'_>,
    ) -> Result<(), Error> {
        let Batch { objects, hash, .. } = self.long;
        let mut stream = hash.start();
        stream.update(Header::new(ObjectType::Blob, size).as_bytes());
        let mut piece = vec![0; 1 << 18];
        loop {
            goes_on()?;
            match content.read(&mut piece) {
                Ok(0) => break,
                Ok(len) => stream.update(piece.get(..len).unwrap_or_default()),
                Err(source) => return Err(Error::Io { path: objects.whereabouts(number).0, source }),
            }
        }
        let mut digest = vec![0; hash.digest_len()];
        let hashed = stream.finish(&mut digest);
        each(number, hashed.map(|()| &*digest).map_err(|source| objects.hash_error(number, source)))
    }

    pub(crate) fn finish(&mut self, each: &mut Each<'_>) -> Result<(), Error> {
        self.ordinary.hash_all(each)?;
        self.long.hash_all(each)
    }

    /// Where objects of a length wait.
    fn batch(&mut self, len: usize) -> &mut Batch<'a> {
        if len < LONG { &mut self.ordinary } else { &mut self.long }
    }
}

impl Batch<'_> {
    fn hash_alone(
        &mut self,
        number: u32,
        kind: ObjectType,
        content: &[u8],
        each: &mut Each<'_>,
    ) -> Result<(), Error> {
        let header = Header::new(kind, content.len() as u64);
        self.digests.resize(self.hash.digest_len(), 0);
        let hashed = self.hash.digest(header.as_bytes(), content, &mut self.digests);
        let failed = |source| self.objects.hash_error(number, source);
        each(number, hashed.map(|()| &*self.digests).map_err(failed))
    }

    /// Ends an object whose content was appended, and hashes all if that is enough.
    fn end_item(&mut self, number: u32, kind: ObjectType, each: &mut Each<'_>) -> Result<(), Error> {
        let (begin, end) = (self.items.last().map_or(0, |item| item.end), self.contents.len());
        self.items.push(Item { number, header: Header::new(kind, (end - begin) as u64), end });
        if end >= self.limit { self.hash_all(each) } else { Ok(()) }
    }

    fn hash_all(&mut self, each: &mut Each<'_>) -> Result<(), Error> {
        if self.items.is_empty() {
            return Ok(());
        }
        let len = self.hash.digest_len();
        self.digests.resize(self.items.len() * len, 0);
        let mut begin = 0;
        let item_and_digest = self.items.iter().zip(self.digests.chunks_exact_mut(len.max(1)));
        let mut jobs: Vec<Job<'_>> = item_and_digest
            .map(|(item, digest)| {
                let body = self.contents.get(begin..item.end).unwrap_or_default();
                begin = item.end;
                Job { head: item.header.as_bytes(), body, digest }
            })
            .collect();
        let failed = self.hash.digest_many(&mut jobs).is_err();
        for (item, job) in self.items.iter().zip(jobs) {
            // Which of them it was that the function failed on, only they themselves can tell.
            let hashed = if failed { self.hash.digest(job.head, job.body, job.digest) } else { Ok(()) };
            let digest = hashed.map(|()| &*job.digest);
            each(item.number, digest.map_err(|source| self.objects.hash_error(item.number, source)))?;
        }
        self.items.clear();
        self.contents.clear();
        Ok(())
    }
}
