//! The new ID of every object of a repository, and the map from old to new IDs.
//!
//! [`Conversion::compute`] reads the repository twice. The first walk goes over trees, commits and tags and keeps them,
//! trees as lists of 8 bytes for each entry: what a delta copies from another tree is copied from its list and neither
//! parsed nor looked up. The second walk hashes the blobs as they come out of their delta chains. Then trees
//! are written anew and hashed, those first that name no other trees, each level on all threads; commits and tags
//! follow, one after the other, as each names the one before.

mod blobs;
mod engine;
mod entries;
mod graph;
mod heads;
mod history;
mod new_ids;
mod options;
mod reach;
pub mod round_trip;
mod single;
mod trees;
pub mod tsv;

pub use engine::{Conversion, Twins, new_id_of};
pub use options::{Options, Otherwise, Progress, Scope, Stage, Submodules, Unmappable};

pub(crate) use entries::Entry;
pub(crate) use graph::{Graph, Tree, refused};
pub(crate) use heads::Heads;
pub(crate) use history::in_order;
pub(crate) use new_ids::NewIds;
pub(crate) use options::Meter;
pub(crate) use reach::reachable;
pub(crate) use trees::{new_content, new_id};

use crate::{Error, Format, ObjectId, ObjectType};

/// Old and new IDs of objects, sorted by the old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    from: Side,
    to: Side,
    kinds: Vec<ObjectType>,
    /// The places of the objects in the order of their new IDs.
    by_new: Vec<u32>,
    padded: Vec<ObjectId>,
}

/// All IDs of one format, in the order of the old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    format: String,
    id_len: usize,
    ids: Vec<u8>,
}

impl Side {
    fn id(&self, at: usize) -> &[u8] {
        self.ids.get(at * self.id_len..(at + 1) * self.id_len).unwrap_or_default()
    }
}

/// An object in both formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Its old ID.
    pub old: &'a [u8],
    /// Its new ID.
    pub new: &'a [u8],
    /// Its type.
    pub kind: ObjectType,
}

impl Map {
    /// A map of objects given in any order; none may come twice.
    ///
    /// # Errors
    /// [`Error::Collision`] if two objects have the same ID in either format.
    pub fn from_pairs<'p>(
        from: &Format,
        to: &Format,
        pairs: impl Iterator<Item = (&'p [u8], &'p [u8], ObjectType)>,
    ) -> Result<Map, Error> {
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable_by_key(|(old, ..)| *old);
        let side = |format: &Format| Side {
            format: format.name.clone(),
            id_len: format.id_len(),
            ids: Vec::with_capacity(pairs.len() * format.id_len()),
        };
        let mut map =
            Map { from: side(from), to: side(to), kinds: Vec::new(), by_new: Vec::new(), padded: Vec::new() };
        for (old, new, kind) in &pairs {
            map.from.ids.extend_from_slice(old);
            map.to.ids.extend_from_slice(new);
            map.kinds.push(*kind);
        }
        map.by_new = (0..map.len() as u32).collect();
        let new = &map.to;
        map.by_new.sort_unstable_by_key(|&at| new.id(at as usize));
        map.check_for_collisions()?;
        Ok(map)
    }

    fn check_for_collisions(&self) -> Result<(), Error> {
        let collision = |format: &str, first: usize, second: usize, id: &[u8]| {
            let ids = (
                ObjectId::from_bytes(self.from.id(first)),
                ObjectId::from_bytes(self.from.id(second)),
                ObjectId::from_bytes(id),
            );
            match ids {
                (Some(first), Some(second), Some(id)) => {
                    Err(Error::Collision { format: format.into(), id, first, second })
                }
                _ => Ok(()),
            }
        };
        for at in 1..self.len() {
            if self.from.id(at - 1) == self.from.id(at) {
                collision(&self.from.format, at - 1, at, self.from.id(at))?;
            }
        }
        for neighbours in self.by_new.windows(2) {
            if let [first, second] = *neighbours
                && self.to.id(first as usize) == self.to.id(second as usize)
            {
                collision(&self.to.format, first as usize, second as usize, self.to.id(first as usize))?;
            }
        }
        Ok(())
    }

    /// The submodules' commits that were filled up with zeros ([`Otherwise::Pad`]), here or in maps that this one was made with:
    /// once they have names of their own, new IDs in this map are others.
    pub fn padded(&self) -> &[ObjectId] {
        &self.padded
    }

    /// Notes that these commits of submodules were filled up.
    #[must_use]
    pub fn with_padded(mut self, padded: impl IntoIterator<Item = ObjectId>) -> Map {
        self.padded.extend(padded);
        self.padded.sort_unstable();
        self.padded.dedup();
        self
    }

    /// The objects that have another new ID here than in an earlier map of the same formats, each with the earlier one.
    pub fn renamed<'m>(&'m self, earlier: &'m Map) -> impl Iterator<Item = (Pair<'m>, &'m [u8])> {
        let both = self.iter().filter_map(|pair| Some((pair, earlier.new_of(pair.old)?)));
        both.filter(|(pair, before)| pair.new != *before)
    }

    /// This map with the objects that only an earlier one has.
    ///
    /// # Errors
    /// [`Error::Collision`] if one of these has the new ID of another object.
    pub fn with_earlier(self, earlier: &Map, from: &Format, to: &Format) -> Result<Map, Error> {
        let gone: Vec<Pair<'_>> = earlier.iter().filter(|pair| self.new_of(pair.old).is_none()).collect();
        if gone.is_empty() {
            return Ok(self);
        }
        let pairs = self.iter().chain(gone).map(|pair| (pair.old, pair.new, pair.kind));
        let padded = self.padded.iter().chain(&earlier.padded).copied();
        Ok(Map::from_pairs(from, to, pairs)?.with_padded(padded))
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The name of the old format.
    pub fn from_format(&self) -> &str {
        &self.from.format
    }

    /// The name of the new format.
    pub fn to_format(&self) -> &str {
        &self.to.format
    }

    /// All objects, sorted by their old IDs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Pair<'_>> {
        self.kinds.iter().enumerate().map(|(at, kind)| Pair {
            old: self.from.id(at),
            new: self.to.id(at),
            kind: *kind,
        })
    }

    /// The new ID of an object.
    pub fn new_of(&self, old: &[u8]) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.from.id(middle).cmp(old) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(self.to.id(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The old ID of an object.
    pub fn old_of(&self, new: &[u8]) -> Option<&[u8]> {
        let place = self.by_new.binary_search_by_key(&new, |&at| self.to.id(at as usize)).ok()?;
        Some(self.from.id(*self.by_new.get(place)? as usize))
    }
}
