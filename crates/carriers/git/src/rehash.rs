//! Every object under any hash function, with its content as it is: what hashing alone costs on a repository.
//!
//! The digests are not new names, since trees and commits still hold the old ones; [`map`](crate::map) makes those.

use std::hint::black_box;
use std::io::Read;
use std::num::NonZeroUsize;

use fieldtest_kinds::hash::Hash;

use crate::batch::Batches;
use crate::{Error, Object, Objects, Visitor};

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
    let visitors = objects.walk(threads, || Rehash { batches: Batches::new(objects, hash), hashed: 0 })?;
    visitors.into_iter().map(Rehash::finish).sum()
}

struct Decode {
    bytes: u64,
}

impl Visitor for Decode {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        self.bytes += black_box(object.content).len() as u64;
        Ok(())
    }

    fn visit_large(&mut self, _number: u32, size: u64, _content: &mut dyn Read) -> Result<(), Error> {
        // What is not read here, the walk reads, to see whether it is sound.
        self.bytes += size;
        Ok(())
    }
}

struct Rehash<'a> {
    batches: Batches<'a>,
    hashed: u64,
}

impl Rehash<'_> {
    fn finish(mut self) -> Result<u64, Error> {
        self.batches.finish(&mut |_, digest| count(&mut self.hashed, digest))?;
        Ok(self.hashed)
    }
}

fn count(hashed: &mut u64, digest: Result<&[u8], Error>) -> Result<(), Error> {
    black_box(digest?);
    *hashed += 1;
    Ok(())
}

impl Visitor for Rehash<'_> {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        let Object { number, kind, content, .. } = *object;
        self.batches.push(number, kind, content, &mut |_, digest| count(&mut self.hashed, digest))
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        let mut each = |_: u32, digest: Result<&[u8], Error>| count(&mut self.hashed, digest);
        self.batches.push_large(number, size, content, &|| Ok(()), &mut each)
    }
}
