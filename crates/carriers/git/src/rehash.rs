//! Every object under any hash function, with its content as it is: what hashing alone costs on a repository.
//!
//! The digests are not new names, since trees and commits still hold the old ones; [`map`](crate::map) makes those.

use std::io::Read;
use std::num::NonZeroUsize;

use fieldtest_kinds::hash::Hash;

use crate::map::batch::Batches;
use crate::{Error, Header, Object, ObjectId, ObjectType, Objects, Visitor};

/// Decodes every object, and nothing else. Returns the bytes of all contents.
///
/// # Errors
/// What [`Objects::walk`] returns.
pub fn decode(objects: &Objects, threads: NonZeroUsize) -> Result<u64, Error> {
    let visitors = objects.walk(threads, || Decode { bytes: 0 })?;
    Ok(visitors.iter().map(|visitor| visitor.bytes).sum())
}

/// Decodes and hashes every object, several at once where the function gains by that. Returns how many there were.
///
/// # Errors
/// What [`Objects::walk`] returns; [`Error::Hash`] with the object that the function fails on.
pub fn rehash(objects: &Objects, hash: &dyn Hash, threads: NonZeroUsize) -> Result<u64, Error> {
    let visitors = objects.walk(threads, || Rehash { objects, hash, batches: Batches::new(hash), hashed: 0 })?;
    let mut hashed = 0;
    for mut visitor in visitors {
        visitor.batches.finish(&|number| ObjectId::from_bytes(objects.id(number)))?;
        hashed += visitor.hashed;
    }
    Ok(hashed)
}

struct Decode {
    bytes: u64,
}

impl Visitor for Decode {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        self.bytes += std::hint::black_box(object.content).len() as u64;
        Ok(())
    }

    fn visit_large(&mut self, _number: u32, _size: u64, content: &mut dyn Read) -> Result<(), Error> {
        // What cannot be read is shorter than it should be, which the walk finds out.
        self.bytes += std::io::copy(content, &mut std::io::sink()).unwrap_or(0);
        Ok(())
    }
}

struct Rehash<'a> {
    objects: &'a Objects,
    hash: &'a dyn Hash,
    batches: Batches<'a>,
    hashed: u64,
}

impl Visitor for Rehash<'_> {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        self.hashed += 1;
        let id_of = |number| ObjectId::from_bytes(self.objects.id(number));
        self.batches.push(object.number, object.kind, object.content, &id_of)
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        self.hashed += 1;
        let Some(id) = ObjectId::from_bytes(self.objects.id(number)) else { return Ok(()) };
        digest_large(id, size, content, self.hash).map(drop)
    }
}

/// The digest of a blob that comes in pieces. `id` names it in errors.
pub(crate) fn digest_large(
    id: ObjectId,
    size: u64,
    content: &mut dyn Read,
    hash: &dyn Hash,
) -> Result<ObjectId, Error> {
    let failed = |problem: String| Error::Hash { id, source: fieldtest_kinds::Error::Library(problem) };
    let mut stream = hash.start();
    stream.update(Header::new(ObjectType::Blob, size).as_bytes());
    let mut piece = vec![0; 1 << 20];
    loop {
        let len = content.read(&mut piece).map_err(|error| failed(error.to_string()))?;
        if len == 0 {
            break;
        }
        stream.update(piece.get(..len).unwrap_or_default());
    }
    let mut digest = [0; ObjectId::LONGEST];
    let digest = digest.get_mut(..hash.digest_len()).unwrap_or_default();
    stream.finish(digest).map_err(|source| Error::Hash { id, source })?;
    ObjectId::from_bytes(digest).ok_or_else(|| failed("its digests are longer than 32 bytes".to_owned()))
}
