use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::connectivity::TreeEntries;
use super::{Progress, Settings};
use crate::batch::Batches;
use crate::convert::{Entries, Refusal, for_each_link};
use crate::links::{is_mistyped, malformed};
use crate::sizes::SizesByType;
use crate::{Error, Object, ObjectId, ObjectType, Objects, Problem, Unsound, Visitor};

/// How often a thread reports, in objects and in bytes.
const REPORT_OBJECTS: u64 = 512;
const REPORT_BYTES: u64 = 8 << 20;

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

#[derive(Default)]
pub(super) struct Found {
    pub(super) sizes: SizesByType,
    pub(super) damaged: Vec<(u32, Error)>,
    pub(super) missing: Vec<(u32, ObjectId)>,
    /// Objects that are what their IDs say and do not fit what they name.
    pub(super) unsound: Vec<(u32, Unsound)>,
}

pub(super) struct Check<'a> {
    objects: &'a Objects,
    settings: &'a Settings<'a>,
    counters: &'a Counters<'a>,
    batches: Batches<'a>,
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
            batches: Batches::new(objects, settings.hash),
            found: Found::default(),
            objects_since: 0,
            bytes_since: 0,
        }
    }

    pub(super) fn finish(mut self) -> Result<Found, Error> {
        self.batches.finish(&mut |number, digest| self.found.judge(self.objects, number, digest))?;
        self.counters.add(self.objects_since, self.bytes_since);
        Ok(self.found)
    }

    fn look_up(&mut self, object: &Object<'_>, base: Option<&Option<TreeEntries>>) -> Option<TreeEntries> {
        let Object { number, kind, content, delta } = *object;
        let Check { objects, found: Found { missing, unsound, .. }, .. } = self;
        let mut named = |id: &[u8], wanted: Option<ObjectType>| {
            let there = objects.find(id);
            if there.is_none() {
                missing.extend(ObjectId::from_bytes(id).map(|id| (number, id)));
            } else if let Some((id, wanted, found)) = is_mistyped(objects, there, wanted) {
                unsound.push((number, Unsound::Type { id, wanted, found }));
            }
        };
        if kind == ObjectType::Tree {
            let base = base.and_then(Option::as_ref).zip(delta);
            let entries = TreeEntries::read(content, objects.id_len(), base, &mut named);
            if entries.is_none() {
                // What it names before the place that is malformed may not have been looked at.
                for_each_link(kind, content, objects.id_len(), &mut named);
                let refusal = Entries::new(content, objects.id_len()).find_map(Result::err);
                if let Some(Refusal::Malformed { what, offset }) = refusal {
                    unsound.push((number, Unsound::Malformed { what, offset }));
                }
            }
            // The deltas on a tree that names something wrongly name it so as well, and are to be listed.
            return entries.filter(|_| unsound.last().is_none_or(|(last, _)| *last != number));
        }
        for_each_link(kind, content, objects.id_len(), &mut named);
        let malformed = malformed(kind, content, objects.id_len());
        unsound.extend(malformed.map(|(what, offset)| (number, Unsound::Malformed { what, offset })));
        None
    }

    fn done(&mut self, bytes: u64) -> Result<(), Error> {
        self.objects_since += 1;
        self.bytes_since += bytes;
        if self.objects_since >= REPORT_OBJECTS || self.bytes_since >= REPORT_BYTES {
            self.counters.add(self.objects_since, self.bytes_since);
            (self.objects_since, self.bytes_since) = (0, 0);
        }
        goes_on(self.settings)
    }
}

impl Found {
    /// Enters what is wrong with an object whose ID was computed again.
    fn judge(&mut self, objects: &Objects, number: u32, digest: Result<&[u8], Error>) -> Result<(), Error> {
        let problem = match digest {
            Ok(digest) if digest == objects.id(number) => return Ok(()),
            Ok(digest) => ObjectId::from_bytes(digest).map(|id| objects.error(number, Problem::Name(id))),
            Err(error) => Some(error),
        };
        self.damaged.extend(problem.map(|error| (number, error)));
        Ok(())
    }
}

pub(super) fn goes_on(settings: &Settings<'_>) -> Result<(), Error> {
    let raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    if settings.interrupted.is_some_and(raised) { Err(Error::Interrupted) } else { Ok(()) }
}

impl Visitor for Check<'_> {
    type Kept = Option<TreeEntries>;

    fn visit(&mut self, object: &Object<'_>, base: Option<&Self::Kept>) -> Result<Self::Kept, Error> {
        let Object { number, kind, content, .. } = *object;
        let size = content.len() as u64;
        self.batches.push(number, kind, content, &mut |number, digest| {
            self.found.judge(self.objects, number, digest)
        })?;
        self.found.sizes.add(kind, size);
        let kept = if self.settings.connectivity { self.look_up(object, base) } else { None };
        self.done(size).map(|()| kept)
    }

    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error> {
        let mut each = |number, digest: Result<&[u8], Error>| self.found.judge(self.objects, number, digest);
        self.batches.push_large(number, size, content, &|| goes_on(self.settings), &mut each)?;
        self.found.sizes.add(ObjectType::Blob, size);
        self.done(size)
    }

    fn takes_copies(&self) -> bool {
        false
    }

    fn damaged(&mut self, number: u32, error: Error) -> Result<(), Error> {
        self.found.damaged.push((number, error));
        self.done(0)
    }
}
