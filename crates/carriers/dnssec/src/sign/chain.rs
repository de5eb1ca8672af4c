//! The NSEC3 chain that is written: of the whole zone, or of one of its ranges.

use super::Links;
use crate::bitmap;
use crate::denial::View;
use crate::denial::nsec3::{HASH, Hashed};
use crate::rtype::Rtype;

/// NSEC3 records in the order of their hashes.
pub(super) enum Chain {
    /// All of them; the last one points to the first. Empty with NSEC.
    Whole(Vec<Hashed>),
    /// Those that stand among the owners of a range, whatever names they are of.
    Links(Links),
}

impl Chain {
    pub(super) fn len(&self) -> usize {
        match self {
            Chain::Whole(chain) => chain.len(),
            Chain::Links(links) => links.len(),
        }
    }

    pub(super) fn hash(&self, at: usize) -> &[u8; HASH] {
        match self {
            Chain::Whole(chain) => &chain[at].hash,
            Chain::Links(links) => links.hash(at),
        }
    }

    /// The hash of the record behind this one.
    pub(super) fn next(&self, at: usize) -> &[u8; HASH] {
        match self {
            Chain::Whole(chain) => &chain[(at + 1) % chain.len()].hash,
            Chain::Links(links) => links.next(at),
        }
    }

    /// Appends the bitmap of a record. `types` is room to work in.
    pub(super) fn push_bitmap(&self, at: usize, view: &View<'_>, types: &mut Vec<Rtype>, out: &mut Vec<u8>) {
        match self {
            Chain::Whole(chain) => push_bitmap(&chain[at], view, types, out),
            Chain::Links(links) => out.extend_from_slice(links.bitmap(at)),
        }
    }
}

/// Appends the bitmap of the NSEC3 record of this name.
pub(super) fn push_bitmap(name: &Hashed, view: &View<'_>, types: &mut Vec<Rtype>, out: &mut Vec<u8>) {
    types.clear();
    if let Some(owner) = name.terminal(view) {
        view.push_nsec3_types(owner, types);
    }
    bitmap::push(types, out);
}
