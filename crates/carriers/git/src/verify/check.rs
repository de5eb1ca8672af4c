//! One thread of a verification.

use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::batch::{Batch, Digest};
use super::connectivity::TreeEntries;
use super::{Progress, Settings};
use crate::convert::for_each_reference;
use crate::sizes::SizesByType;
use crate::{Error, Header, Object, ObjectId, ObjectType, Objects, Problem, Visitor};

/// How often a thread reports, in objects and in bytes.
const REPORT_OBJECTS: u64 = 512;
const REPORT_BYTES: u64 = 8 << 20;

/// What all threads have done.
pub(super) struct Counters<'a> {
    objects: u64,
    objects_done: AtomicU64,
    bytes_done: AtomicU64,
    settings: &'a Settings<'a>,
}

impl<'a> Counters<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, objects: usize) -> Counters<'a> {
        Counters {
            objects: objects as u64,
            objects_done: AtomicU64::new(0),
            bytes_done: AtomicU64::new(0),
            settings,
        }
    }

    fn add(&self, objects: u64, bytes: u64) {
        let objects_done = self.objects_done.fetch_add(objects, Ordering::Relaxed) + objects;
        let bytes_done = self.bytes_done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(progress) = self.settings.progress {
            progress(Progress { objects_done, objects: self.objects, bytes_done });
        }
    }
}

/// What a thread has found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) sizes: SizesByType,
    pub(super) damaged: Vec<(u32, Error)>,
    /// Which object names which that is not there.
    pub(super) missing: Vec<(u32, ObjectId)>,
}

pub(super) struct Check<'a> {
    objects: &'a Objects,
    settings: &'a Settings<'a>,
    counters: &'a Counters<'a>,
    collects: bool,
    batch: Batch,
    digest: [u8; ObjectId::LONGEST],
    found: Found,
    objects_since: u64,
    bytes_since: u64,
}

impl<'a> Check<'a> {
    pub(super) fn new(
        objects: &'a Objects,
        settings: &'a Settings<'a>,
        counters: &'a Counters<'a>,
    ) -> Check<'a> {
        Check {
            objects,
            settings,
            counters,
            collects: settings.hash.hashes_several_at_once(),
            batch: Batch::default(),
            digest: [0; ObjectId::LONGEST],
            found: Found::default(),
            objects_since: 0,
            bytes_since: 0,
        }
    }

    pub(super) fn finish(mut self) -> Found {
        self.hash_batch();
        self.counters.add(self.objects_since, self.bytes_since);
        self.found
    }

    fn hash_batch(&mut self) {
        let Check { objects, settings, batch, found, .. } = self;
        batch.hash(settings.hash, &mut |number, digest| {
            let error = judge(objects, number, digest);
            found.damaged.extend(error.map(|error| (number, error)));
        });
    }

    fn hash_alone(
        &mut self,
        number: u32,
        digest: impl FnOnce(&mut [u8]) -> Result<(), fieldtest_kinds::Error>,
    ) {
        let room = self.digest.get_mut(..self.objects.id_len()).unwrap_or_default();
        let digest = digest(room).map(|()| &*room);
        let error = judge(self.objects, number, digest);
        self.found.damaged.extend(error.map(|error| (number, error)));
    }

    fn look_up(&mut self, object: &Object<'_>, base: Option<&Option<TreeEntries>>) -> Option<TreeEntries> {
        let Object { number, kind, content, delta } = *object;
        let Check { objects, found, .. } = self;
        let mut named = |id: &[u8]| {
            if objects.find(id).is_none() {
                found.missing.extend(ObjectId::from_bytes(id).map(|id| (number, id)));
            }
        };
        if kind == ObjectType::Tree {
            let base = base.and_then(Option::as_ref).zip(delta);
            return TreeEntries::read(content, objects.id_len(), base, &mut named);
        }
        for_each_reference(kind, content, objects.id_len(), &mut named);
        None
    }

    fn done(&mut self, bytes: u64) -> Result<(), Error> {
        self.objects_since += 1;
        self.bytes_since += bytes;
        if self.objects_since >= REPORT_OBJECTS || self.bytes_since >= REPORT_BYTES {
            self.counters.add(self.objects_since, self.bytes_since);
            (self.objects_since, self.bytes_since) = (0, 0);
        }
        self.still_wanted()
    }

    fn still_wanted(&self) -> Result<(), Error> {
        let raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.settings.interrupted.is_some_and(raised) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// What is wrong with an object whose ID was computed again.
fn judge(objects: &Objects, number: u32, digest: Digest<'_>) -> Option<Error> {
    let id = objects.id(number);
    match digest {
        Ok(digest) if digest == id => None,
        Ok(digest) => Some(objects.error(number, Problem::Name(ObjectId::from_bytes(digest)?))),
        Err(source) => Some(Error::Hash { id: ObjectId::from_bytes(id)?, source }),
    }
}

impl Visitor for Check<'_> {
    type Kept = Option<TreeEntries>;

    fn visit(&mut self, object: &Object<'_>, base: Option<&Self::Kept>) -> Result<Self::Kept, Error> {
        let Object { number, kind, content, .. } = *object;
        let size = content.len() as u64;
        let header = Header::new(kind, size);
        if self.collects && Batch::takes(content) {
            if self.batch.push(number, header, content) {
                self.hash_batch();
            }
        } else {
            let hash = self.settings.hash;
            self.hash_alone(number, |digest| hash.digest(header.as_bytes(), content, digest));
        }
        self.found.sizes.add(kind, size);
        let kept = if self.settings.connectivity { self.look_up(object, base) } else { None };
        self.done(size).map(|()| kept)
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        let mut stream = self.settings.hash.start();
        stream.update(Header::new(ObjectType::Blob, size).as_bytes());
        let mut piece = vec![0; 1 << 18];
        loop {
            match content.read(&mut piece) {
                Ok(0) => break,
                Ok(len) => stream.update(piece.get(..len).unwrap_or_default()),
                Err(source) => {
                    let (path, _) = self.objects.whereabouts(number);
                    return Err(Error::Io { path, source });
                }
            }
            self.still_wanted()?;
        }
        self.hash_alone(number, |digest| stream.finish(digest));
        self.found.sizes.add(ObjectType::Blob, size);
        self.done(size)
    }

    fn damaged(&mut self, number: u32, error: Error) -> Result<(), Error> {
        self.found.damaged.push((number, error));
        self.done(0)
    }
}
