//! Blobs are hashed, and nothing of them is kept.

use std::io::Read;

use super::new_ids::Digests;
use super::options::{Meter, Options, Stage};
use crate::batch::Batches;
use crate::{Error, Format, Object, ObjectType, Objects, Visitor};

pub(super) fn hash_blobs(
    objects: &Objects,
    format: &Format,
    wanted: &(dyn Fn(u32) -> bool + Sync),
    stage: Stage,
    options: &Options<'_>,
) -> Result<Vec<Digests>, Error> {
    let wanted = |number: u32| objects.kind(number) == ObjectType::Blob && wanted(number);
    let count = (0..objects.len() as u32).filter(|&number| wanted(number)).count();
    let meter = Meter::new(stage, count, options);
    let hashers = objects.walk_wanted(options.threads, &wanted, || BlobHasher {
        meter: &meter,
        wanted: &wanted,
        batches: Batches::new(objects, &*format.hash),
        digests: Digests::default(),
    })?;
    hashers.into_iter().map(BlobHasher::finish).collect()
}

/// Hashes blobs on one thread of a walk.
struct BlobHasher<'a> {
    meter: &'a Meter<'a>,
    /// Others are decoded as well, where the wanted ones are deltas on them.
    wanted: &'a (dyn Fn(u32) -> bool + Sync),
    batches: Batches<'a>,
    digests: Digests,
}

impl BlobHasher<'_> {
    fn finish(mut self) -> Result<Digests, Error> {
        self.batches.finish(&mut |number, digest| self.digests.enter(number, digest))?;
        Ok(self.digests)
    }
}

impl Visitor for BlobHasher<'_> {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        let Object { number, kind, content, .. } = *object;
        if !(self.wanted)(number) {
            return self.meter.add(0);
        }
        self.meter.add(1)?;
        self.batches.push(number, kind, content, &mut |number, digest| self.digests.enter(number, digest))
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        // Nothing is a delta on it, so that it is wanted.
        self.meter.add(1)?;
        let mut each = |number, digest: Result<&[u8], Error>| self.digests.enter(number, digest);
        self.batches.push_large(number, size, content, &|| self.meter.add(0), &mut each)
    }
}
