//! What longer IDs take: in trees, in the index of a pack, and for keeping both names of every object.

use std::num::NonZeroUsize;

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Hash;
use fieldtest_git::{Object, ObjectType, Objects, Visitor};
use fieldtest_study::{RecordWriter, StudyError};

use super::fault;
use crate::words::{Operation, Storage};

pub(super) struct Ids {
    /// Bytes of an ID now.
    len: usize,
    objects: u64,
    /// IDs in trees.
    entries: u64,
    /// Bytes of all trees.
    trees: u64,
}

impl Ids {
    pub(super) fn of(objects: &Objects, trees: u64, threads: NonZeroUsize) -> Result<Ids, StudyError> {
        let len = objects.id_len();
        let counted = objects.walk(threads, || Entries { id_len: len, entries: 0 }).map_err(fault)?;
        let entries = counted.iter().map(|one| one.entries).sum();
        Ok(Ids { len, objects: objects.len() as u64, entries, trees })
    }
}

/// Enters what IDs of this function's length take, all in bytes before compression, which does little to digests.
pub(super) fn enter(writer: &mut RecordWriter, facts: &Facts<Hash>, ids: &Ids) {
    let new = facts.kind.digest as u64;
    let trees = ids.trees - ids.entries * ids.len as u64 + ids.entries * new;
    // A pack's index, version 2: header, fan-out, then an ID, a checksum and an offset for each object, and two
    // checksums of the whole (gitformat-pack(5)).
    let index = 8 + 4 * 256 + ids.objects * (new + 4 + 4) + 2 * new;
    let names = ids.objects * (ids.len as u64 + new);
    let mut enter = |subject: Storage, bytes: f64| {
        let record = writer.result(&facts.name, Operation::Storage.word(), subject.word(), bytes, "bytes");
        writer.record(record);
    };
    enter(Storage::Trees, trees as f64);
    enter(Storage::PackIndex, index as f64);
    enter(Storage::BothNames, names as f64);
    let now = ids.trees + 8 + 4 * 256 + ids.objects * (ids.len as u64 + 8) + 2 * ids.len as u64;
    let more = (trees + index) as f64 - now as f64;
    enter(Storage::MoreForEachObject, more / ids.objects.max(1) as f64);
}

/// Counts the entries of trees: a mode, a name, a zero byte and an ID each.
struct Entries {
    id_len: usize,
    entries: u64,
}

impl Visitor for Entries {
    type Kept = ();

    fn visit(&mut self, object: &Object<'_>, _base: Option<&()>) -> Result<(), fieldtest_git::Error> {
        if object.kind == ObjectType::Tree {
            let mut rest = object.content;
            while let Some(end) = rest.iter().position(|byte| *byte == 0) {
                self.entries += 1;
                rest = rest.get(end + 1 + self.id_len..).unwrap_or_default();
            }
        }
        Ok(())
    }

    fn visit_large(
        &mut self,
        _number: u32,
        _size: u64,
        _content: &mut dyn std::io::Read,
    ) -> Result<(), fieldtest_git::Error> {
        Ok(())
    }

    fn wants(&self, kind: ObjectType) -> bool {
        kind == ObjectType::Tree
    }
}
