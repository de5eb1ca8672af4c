//! Blobs are hashed, and nothing of them is kept.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::batch::Batches;
use super::new_ids::Digests;
use super::options::{Meter, Options, Stage};
use super::trees::on_threads;
use crate::{Error, Format, Header, Object, ObjectId, ObjectType, Objects, Visitor};

/// Hashes the wanted blobs: in a walk over all, or one by one if they are few, as after an earlier run.
pub(super) fn hash_blobs(
    objects: &Objects,
    format: &Format,
    wanted: &(dyn Fn(u32) -> bool + Sync),
    stage: Stage,
    options: &Options<'_>,
) -> Result<Vec<Digests>, Error> {
    /// Reading a blob alone costs about as much as decoding so many in a walk: its whole delta chain.
    const CHAIN: usize = 32;
    let is_blob = |number: &u32| objects.kind(*number) == ObjectType::Blob;
    let all = (0..objects.len() as u32).filter(is_blob).count();
    let blobs: Vec<u32> =
        (0..objects.len() as u32).filter(is_blob).filter(|&number| wanted(number)).collect();
    let is_long = |&number: &u32| objects.size(number).is_ok_and(|size| size > Objects::LARGE);
    if blobs.len() < all / CHAIN && !blobs.iter().any(is_long) {
        let meter = Meter::new(stage, blobs.len(), options);
        return hash_one_by_one(objects, format, &blobs, options, &meter);
    }
    let meter = Meter::new(stage, all, options);
    let hashers = objects.walk(options.threads, || BlobHasher::new(objects, &meter, format, wanted))?;
    let finished = hashers.into_iter().map(|mut hasher| {
        hasher.batches.finish(&|number| ObjectId::from_bytes(objects.id(number)))?;
        Ok(hasher.batches.digests)
    });
    finished.collect()
}

fn hash_one_by_one(
    objects: &Objects,
    format: &Format,
    blobs: &[u32],
    options: &Options<'_>,
    meter: &Meter<'_>,
) -> Result<Vec<Digests>, Error> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Digests, Error> {
        let id_of = |number| ObjectId::from_bytes(objects.id(number));
        let mut batches = Batches::new(&*format.hash);
        let mut content = Vec::new();
        while let Some(&number) = blobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let kind = objects.read(number, &mut content)?;
            batches.push(number, kind, &content, &id_of)?;
            meter.add(1)?;
        }
        batches.finish(&id_of)?;
        Ok(batches.digests)
    };
    on_threads(options.threads.get().min(blobs.len()).max(1), &work).into_iter().collect()
}

/// Hashes blobs on one thread of a walk.
struct BlobHasher<'a> {
    objects: &'a Objects,
    meter: &'a Meter<'a>,
    format: &'a Format,
    wanted: &'a (dyn Fn(u32) -> bool + Sync),
    batches: Batches<'a>,
}

impl<'a> BlobHasher<'a> {
    fn new(
        objects: &'a Objects,
        meter: &'a Meter<'a>,
        format: &'a Format,
        wanted: &'a (dyn Fn(u32) -> bool + Sync),
    ) -> BlobHasher<'a> {
        BlobHasher { objects, meter, format, wanted, batches: Batches::new(&*format.hash) }
    }
}

impl Visitor for BlobHasher<'_> {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), Error> {
        self.meter.add(1)?;
        if object.kind == ObjectType::Blob && (self.wanted)(object.number) {
            let id_of = |number| ObjectId::from_bytes(self.objects.id(number));
            self.batches.push(object.number, object.kind, object.content, &id_of)?;
        }
        Ok(())
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        self.meter.add(1)?;
        if !(self.wanted)(number) {
            return Ok(());
        }
        let Some(id) = ObjectId::from_bytes(self.objects.id(number)) else { return Ok(()) };
        let failed = |problem: String| Error::Hash { id, source: fieldtest_kinds::Error::Library(problem) };
        let mut stream = self.format.hash.start();
        stream.update(Header::new(ObjectType::Blob, size).as_bytes());
        let mut piece = vec![0; 1 << 20];
        loop {
            let len = content.read(&mut piece).map_err(|error| failed(error.to_string()))?;
            if len == 0 {
                break;
            }
            stream.update(piece.get(..len).unwrap_or_default());
        }
        let mut digest = vec![0; self.format.id_len()];
        stream.finish(&mut digest).map_err(|source| Error::Hash { id, source })?;
        self.batches.digests.push(number, &digest);
        Ok(())
    }

    fn wants(&self, kind: ObjectType) -> bool {
        kind == ObjectType::Blob
    }
}
