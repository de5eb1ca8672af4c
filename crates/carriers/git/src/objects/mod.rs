//! Every object of a repository, numbered densely.

mod copy;
mod forest;
mod names;
mod open;
mod read;
mod table;
mod walk;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

pub use walk::{Object, Visitor};

use crate::pack::Pack;
use crate::{Error, ObjectId, ObjectType, Problem, loose};
pub(crate) use forest::Forest;
pub(crate) use names::has_vanished;
pub(crate) use table::Table;

/// Every object of a repository, whether packed, loose or of an alternate, each once.
///
/// Numbers follow the order of the packs' entries, the loose objects come last; of an object that is stored more than
/// once, the first copy is read.
pub struct Objects {
    id_len: usize,
    packs: Vec<Pack>,
    folders: Vec<PathBuf>,
    /// All IDs by number, one after another.
    ids: Vec<u8>,
    places: Vec<Place>,
    kinds: Vec<ObjectType>,
    table: Table,
    /// What cannot be read, as far as that shows without inflating anything.
    damaged: HashMap<u32, Problem>,
    /// Objects that lie in a pack of a promisor, by number; empty where there is no such pack.
    from_promisor: Vec<bool>,
    copies: Vec<Copied>,
    /// The objects that were read from one of these, since their first is damaged; nothing where there is none.
    from_copies: OnceLock<Mutex<HashSet<u32>>>,
    /// The number of the first one that came while the names of others were read.
    late: u32,
    /// What there is later, once a loose object is no more where it was.
    later: OnceLock<Option<Box<Objects>>>,
}

/// One more place of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copied {
    pub(crate) number: u32,
    /// The number of its pack, or of its directory behind all packs.
    pub(crate) source: u32,
    /// Where it begins in its pack, and how long its entry is.
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// Bytes before its entry in its pack.
    offset: u64,
    len: u64,
    /// The object that it is a delta on, or [`NO_BASE`]. Damaged objects have none.
    base: u32,
    /// The number of its pack, or of its directory behind all packs.
    source: u32,
}

const NO_BASE: u32 = u32::MAX;

/// An object as it lies in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored<'a> {
    /// The object that it is a delta on.
    pub base: Option<u32>,
    /// Bytes of the content, or of the delta instructions where there is a base; 0 of a loose object.
    pub inflated_size: u64,
    /// The zlib stream, to be reused; `None` of a loose object and of one that is damaged or was read from another copy. Only a walk shows whether it
    /// is sound.
    pub deflated: Option<&'a [u8]>,
}

impl Objects {
    /// Blobs of more bytes than this come in pieces ([`Visitor::visit_large`]) where nothing is a delta on them.
    pub const LARGE: u64 = 64 << 20;

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes of an ID.
    pub fn id_len(&self) -> usize {
        self.id_len
    }

    /// The ID of an object. Empty if there is no such number.
    #[inline]
    pub fn id(&self, number: u32) -> &[u8] {
        let begin = number as usize * self.id_len;
        self.ids.get(begin..begin + self.id_len).unwrap_or_default()
    }

    /// The number of an object.
    #[inline]
    pub fn find(&self, id: &[u8]) -> Option<u32> {
        if id.len() == self.id_len { self.table.find(id, &self.ids) } else { None }
    }

    /// The type of an object, through its delta chain. Of a damaged one (only after
    /// [`open_damaged`](Self::open_damaged)) it may be unknown; it is taken for a blob then.
    #[inline]
    pub fn kind(&self, number: u32) -> ObjectType {
        self.kinds.get(number as usize).copied().unwrap_or(ObjectType::Blob)
    }

    /// Whether [`kind`](Self::kind) is known: nothing that says so is damaged.
    pub(crate) fn has_known_kind(&self, number: u32) -> bool {
        let mut root = number;
        while let Some(base) = self.base(root) {
            root = base;
        }
        !self.damaged.contains_key(&root)
    }

    /// The object that it is stored as a delta on.
    #[inline]
    pub fn base(&self, number: u32) -> Option<u32> {
        self.places.get(number as usize).map(|place| place.base).filter(|base| *base != NO_BASE)
    }

    /// The packs, in the order of their objects' numbers.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// Whether a remote that keeps objects for a partial clone sent this one: what it names may be absent
    /// (gitformat-pack(5), “promisor”; git `partial-clone`, “promised”).
    pub(crate) fn is_from_promisor(&self, number: u32) -> bool {
        self.from_promisor.get(number as usize) == Some(&true)
    }

    /// Whether it came while the names of others were read, so that what it names may have come too late.
    pub(crate) fn is_late(&self, number: u32) -> bool {
        number >= self.late
    }

    pub(crate) fn has_late(&self) -> bool {
        (self.late as usize) < self.len()
    }

    /// Copies of objects that are not read otherwise, since others are.
    pub(crate) fn copies(&self) -> &[Copied] {
        &self.copies
    }

    /// The directory of a source behind all packs.
    pub(crate) fn folder(&self, source: u32) -> Option<&Path> {
        let at = (source as usize).checked_sub(self.packs.len())?;
        self.folders.get(at).map(PathBuf::as_path)
    }

    /// How many objects are loose.
    pub fn loose(&self) -> usize {
        let packs = self.packs.len();
        self.places.iter().rev().take_while(|place| place.source as usize >= packs).count()
    }

    /// The pack or file of an object and where it begins there.
    pub fn whereabouts(&self, number: u32) -> (PathBuf, u64) {
        let Some(place) = self.places.get(number as usize) else { return (PathBuf::new(), 0) };
        let source = place.source as usize;
        match self.packs.get(source) {
            Some(pack) => (pack.path().to_path_buf(), place.offset),
            None => match self.folders.get(source - self.packs.len()) {
                Some(folder) => (loose::path(folder, self.id(number)), 0),
                None => (PathBuf::new(), 0),
            },
        }
    }

    /// The error that says what is wrong with an object, and where it is.
    pub fn error(&self, number: u32, problem: Problem) -> Error {
        match ObjectId::from_bytes(self.id(number)) {
            Some(id) => {
                let (path, offset) = self.whereabouts(number);
                Error::Object { id, path, offset, problem }
            }
            None => Error::NoSuchNumber(number),
        }
    }

    /// The error that says that a hash function failed on an object.
    pub(crate) fn hash_error(&self, number: u32, source: fieldtest_kinds::Error) -> Error {
        match ObjectId::from_bytes(self.id(number)) {
            Some(id) => Error::Hash { id, source },
            None => Error::NoSuchNumber(number),
        }
    }
}
