//! What stands beside xattrs in btrfs's leaves: inodes, names, data, and inodes of other trees.

use super::btrfs::{DIR_ITEM, EXTENT_DATA, INLINE_MAX, INODE, INODE_REF, ITEM};
use super::{Btrfs, TreeFile};

/// A name in its directory by hash and by number, and in the inode's own list; the bytes of the name come on top, three times.
const NAME: u64 = INODE_REF + 2 * (ITEM + DIR_ITEM);
const NAME_MAX: u64 = 255;
/// Data may lie in pieces of so many bytes (`sectorsize`).
const SECTOR: u64 = 4096;
/// What another inode between two files may have in leaves, on average: its item, names, data and xattrs.
const STRANGER: u64 = 1024;
/// Leaves that a file shares with strangers to each side, at most: its own, the neighbours that items pass to, and for trees of
/// millions of files the nodes above.
const NEIGHBOURS: u64 = 3;
/// What stands beside xattrs in the leaves that signing changes.
#[derive(Debug)]
pub(super) struct Standing {
    /// The most that one file or its neighbours have in leaves that are written again for it.
    reach: u64,
    /// Bytes of inodes, names, data and references to extents.
    pub(super) items: u64,
    /// Extents that lie in those leaves, at most.
    pub(super) extents: u64,
    /// Where files stand in their trees: by device, which each subvolume has its own of, and inode.
    places: Vec<(u64, u64)>,
}

impl Standing {
    pub(super) fn new(model: &Btrfs) -> Standing {
        Standing { reach: NEIGHBOURS * model.room(), items: 0, extents: 0, places: Vec::new() }
    }

    pub(super) fn add(&mut self, file: &TreeFile) {
        let own = file.path.file_name().map_or(NAME_MAX, |name| name.len() as u64);
        // Where its further names are, and how long, nobody knows.
        let names = NAME + 3 * own + file.names.saturating_sub(1).saturating_mul(NAME + 3 * NAME_MAX);
        let size = file.shape.size;
        let (data, extents) = match size {
            0 => (0, 0),
            // In the leaf, or compressed there, or outside.
            1..=SECTOR => (EXTENT_DATA.max(ITEM + 21 + size.min(INLINE_MAX)), 1),
            _ => {
                let extents = file.allocated.div_ceil(SECTOR).max(1);
                // Holes are items too, on file systems without the feature no_holes.
                let items = (2 * extents + 1).min(size.div_ceil(SECTOR).max(extents));
                (items.saturating_mul(EXTENT_DATA), extents)
            }
        };
        self.items += INODE + names.saturating_add(data).min(self.reach);
        self.extents += extents.min(self.reach / EXTENT_DATA);
        self.places.extend(file.id);
    }

    /// Bytes of strangers in leaves of these files: of the inodes between them, whose number is known, and before and behind.
    pub(super) fn strangers(&self) -> u64 {
        let mut places = self.places.clone();
        places.sort_unstable();
        let pairs = places.iter().zip(places.iter().skip(1));
        let between = pairs.map(|(one, next)| match one.0 == next.0 {
            true => (next.1 - one.1).saturating_sub(1).saturating_mul(STRANGER).min(self.reach),
            false => self.reach,
        });
        between.sum::<u64>() + self.reach
    }
}
