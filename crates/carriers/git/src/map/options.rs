//! How to map a repository.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Map;
use crate::convert::UnknownHeaders;
use crate::{Error, ObjectId};

/// How to map a repository.
pub struct Options<'a> {
    /// How many threads work.
    pub threads: NonZeroUsize,
    /// Which objects get new IDs.
    pub scope: Scope<'a>,
    /// What an earlier run found out about the same repository; only what is new is hashed.
    pub known: Option<&'a Map>,
    /// Where submodules' commits are looked up.
    pub submodules: Submodules<'a>,
    /// What to do with headers of commits that Git does not convert.
    pub unknown_headers: UnknownHeaders<'a>,
    /// What to do with objects that cannot be converted.
    pub unmappable: Unmappable,
    /// Told from time to time how far the run is, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told the directory in which a repository is written before it gets its name, once that is made; for whoever ends the process.
    pub begun: &'a (dyn Fn(&Path) + Sync),
    /// The run ends soon after this is set.
    pub interrupt: &'a AtomicBool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Options {
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            scope: Scope::Everything,
            known: None,
            submodules: Submodules::default(),
            unknown_headers: UnknownHeaders::default(),
            unmappable: Unmappable::default(),
            progress: &|_| {},
            begun: &|_| {},
            interrupt: &NEVER,
        }
    }
}

/// Which objects get new IDs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Scope<'a> {
    /// Every object, whether a reference leads to it or not.
    Everything,
    /// These and what they name, directly or not.
    Reachable(&'a [ObjectId]),
}

/// Where submodules' commits are looked up. The ID of zeros, which some histories name, becomes that of zeros.
#[derive(Clone, Copy, Default)]
pub struct Submodules<'a> {
    /// The maps of the submodules' repositories.
    pub maps: &'a [Map],
    /// Commits, sorted, that are filled up as by [`Otherwise::Pad`], whatever the maps have.
    pub padded: &'a [ObjectId],
    /// What to do with other commits that are in none of the maps.
    pub otherwise: Otherwise,
}

impl Submodules<'_> {
    pub(crate) fn find(&self, old: &[u8], new_len: usize) -> Option<ObjectId> {
        if self.is_padded(old) || is_null(old) {
            return resized(old, new_len);
        }
        let mapped = self.maps.iter().find_map(|map| ObjectId::from_bytes(map.new_of(old)?));
        mapped.or_else(|| self.otherwise(old, new_len))
    }

    pub(super) fn find_old(&self, new: &[u8], old_len: usize) -> Option<ObjectId> {
        let was_padded = |old: &ObjectId| self.is_padded(old.as_bytes()) || is_null(new);
        if let Some(old) = resized(new, old_len).filter(was_padded) {
            return Some(old);
        }
        let mapped = self.maps.iter().find_map(|map| ObjectId::from_bytes(map.old_of(new)?));
        mapped.or_else(|| self.otherwise(new, old_len))
    }

    pub(super) fn can_pad(&self) -> bool {
        self.otherwise == Otherwise::Pad || !self.padded.is_empty()
    }

    /// Whether a commit that is named gets no name of its own.
    pub(super) fn pads(&self, old: &[u8]) -> bool {
        !is_null(old) && (self.is_padded(old) || self.maps.iter().all(|map| map.new_of(old).is_none()))
    }

    fn is_padded(&self, old: &[u8]) -> bool {
        self.padded.binary_search_by(|id| id.as_bytes().cmp(old)).is_ok()
    }

    fn otherwise(&self, id: &[u8], len: usize) -> Option<ObjectId> {
        if self.otherwise == Otherwise::Pad { resized(id, len) } else { None }
    }
}

fn is_null(id: &[u8]) -> bool {
    id.iter().all(|&byte| byte == 0)
}

/// An ID filled up with zero bytes, or without those that it was filled up with.
fn resized(id: &[u8], len: usize) -> Option<ObjectId> {
    let (kept, padding) = id.split_at_checked(len).unwrap_or((id, &[]));
    let mut resized = vec![0; len];
    resized.get_mut(..kept.len())?.copy_from_slice(kept);
    is_null(padding).then(|| ObjectId::from_bytes(&resized)).flatten()
}

/// What to do with a submodule's commit that has no new ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Otherwise {
    /// The tree that names it cannot be converted.
    #[default]
    Refuse,
    /// Its place is taken by the old ID followed by zero bytes. This names no commit: the submodule cannot be checked out,
    /// but the way back is kept. To a format with shorter IDs, only what was filled up so comes: it loses the zeros again.
    Pad,
}

/// What to do with objects that cannot be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Unmappable {
    /// The first one ends the run with the reason.
    #[default]
    Refuse,
    /// They are left without a new ID, as is whatever names them; the run goes on.
    Leave,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What it does.
    pub stage: Stage,
    /// Objects done in this stage.
    pub done: u64,
    /// Objects there are in this stage, or an estimate that is never too low.
    pub total: u64,
}

/// What a run does, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Reading trees, commits and tags.
    Read,
    /// Hashing blobs.
    Blobs,
    /// Renaming what trees name, and hashing them.
    Trees,
    /// The same with commits and tags.
    History,
    /// Writing the pack of a new repository.
    Write,
    /// Hashing blobs under the old format.
    CheckBlobs,
    /// Leading new trees, commits and tags back.
    CheckNames,
}

/// Counts the objects of a stage over all threads.
pub(crate) struct Meter<'a> {
    stage: Stage,
    total: u64,
    done: AtomicU64,
    progress: &'a (dyn Fn(Progress) + Sync),
    interrupt: &'a AtomicBool,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(stage: Stage, total: usize, options: &Options<'a>) -> Meter<'a> {
        let meter = Meter {
            stage,
            total: total as u64,
            done: AtomicU64::new(0),
            progress: options.progress,
            interrupt: options.interrupt,
        };
        (meter.progress)(Progress { stage, done: 0, total: meter.total });
        meter
    }

    pub(crate) fn add(&self, objects: u64) -> Result<(), Error> {
        /// Objects between two messages.
        const STEP: u64 = 4096;
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let before = self.done.fetch_add(objects, Ordering::Relaxed);
        let done = before + objects;
        if before / STEP != done / STEP || done == self.total {
            (self.progress)(Progress { stage: self.stage, done, total: self.total });
        }
        Ok(())
    }
}
