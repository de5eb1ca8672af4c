//! What a whole tree takes on btrfs at least and at most, whatever shares its leaves and however its files came about.
//!
//! btrfs writes no node in place (Linux 6.18, `fs/btrfs/ctree.c`, `btrfs_force_cow_block`): it writes a copy and frees the
//! old one, unless a snapshot has it too. Then both stay, and so do both of every node on the way to it, and each extent of
//! data that the leaf names is named once more in the tree of extents (`update_ref_for_cow`). Whether there is a snapshot of
//! a subvolume only root can find out (`last_snapshot` of its root item; `BTRFS_IOC_GET_SUBVOL_INFO` has it not), and a
//! snapshot of yesterday shares much or little. So the most is what it takes if all is shared.

use super::btrfs::{
    DIR_ITEM, EXTENT_DATA, INLINE_MAX, INODE, INODE_REF, ITEM, LEAF_OVERHEAD, NODE_HEADER, item,
};
use super::gathered::Gathered;
use super::{Btrfs, Candidate, Cost, TreeFile, changed};

/// A name in its folder by hash and by number, and in the inode's own list; the bytes of the name come on top, three times.
const NAME: u64 = INODE_REF + 2 * (ITEM + DIR_ITEM);
/// The longest name.
const NAME_MAX: u64 = 255;
/// Data may lie in pieces of so many bytes (`sectorsize`).
const SECTOR: u64 = 4096;
/// An extent in the tree of extents: its item with one reference (`EXTENT_ITEM` of 24 bytes, `EXTENT_DATA_REF` of 29), and what
/// a snapshot adds, twice as leaves split: a reference of 13 or 29 bytes, by whether the original or the snapshot is written to.
const EXTENT: u64 = ITEM + 24 + 29 + 2 * 29;
/// What another inode between two files may have in leaves, on average: its item, names, data and xattrs.
const STRANGER: u64 = 1024;
/// Leaves that a file shares with strangers to each side, at most: its own, the neighbours that items pass to, and for trees of
/// millions of files the nodes above.
const NEIGHBOURS: u64 = 3;
/// The trees of files, extents, checksums, free space and roots, and parents of leaves.
const NODES_BEGUN: u64 = 8;

/// What stands beside xattrs in the leaves that signing changes.
#[derive(Debug)]
pub(super) struct Standing {
    /// The most that one file or its neighbours have in leaves that are written again for it.
    reach: u64,
    /// Bytes of inodes, names, data and references to extents.
    items: u64,
    /// Extents that lie in those leaves, at most.
    extents: u64,
    /// Where files stand in their trees: by device, which each subvolume has its own of, and inode.
    places: Vec<(u64, u64)>,
}

impl Standing {
    pub(super) fn new(model: &Btrfs) -> Standing {
        Standing { reach: NEIGHBOURS * room(model), items: 0, extents: 0, places: Vec::new() }
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
    fn strangers(&self) -> u64 {
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

/// Bytes of items that a leaf holds.
fn room(model: &Btrfs) -> u64 {
    model.node_size.saturating_sub(NODE_HEADER).max(1)
}

/// The sum of the files with what a tree takes at least and at most.
///
/// Leaves are between half full and full before and after, and the items of files and what stands between them fill so many.
/// At least, what is free in them swallows as much as they hold; at most all of them are shared, written again, and half full
/// then, with two leaves for an attribute that is longer than half of one.
pub(super) fn bounded(model: &Btrfs, gathered: &Gathered, candidate: &Candidate, sum: Cost) -> Cost {
    let Some(standing) = &gathered.standing else { return sum };
    let room = room(model);
    let (mut old, mut grown, mut long, mut long_bytes) = (0, 0, 0, 0);
    for own in &gathered.combinations {
        let (before, after) = (&own.attributes, candidate.applied_to(&own.attributes));
        let bytes = |list: &[super::Attribute]| list.iter().map(item).sum::<u64>() as i64;
        let files = own.files as i64;
        old += bytes(before) * files;
        if changed(before, &after).any(|xattr| model.refusal(xattr).is_some()) {
            continue;
        }
        grown += (bytes(&after) - bytes(before)) * files;
        for xattr in changed(before, &after).filter(|xattr| item(xattr) > room / 2) {
            long += files;
            long_bytes += item(xattr) as i64 * files;
        }
    }
    old += (standing.items + standing.strangers()) as i64;
    let swallowed = grown - old;
    let least = if grown > 0 { swallowed.max(0) } else { swallowed };
    let rest = old + grown.max(0) - long_bytes.min(old + grown.max(0));
    let most = 2 * rest + 2 * long * room as i64 + (standing.extents * EXTENT) as i64;
    // With all copies, and with what each leaf takes elsewhere.
    let leaves = |bytes: i64, leaf: u64| {
        let bytes = i128::from(bytes) * i128::from(leaf * model.copies) / i128::from(room);
        i64::try_from(bytes).unwrap_or(i64::MAX)
    };
    let least = leaves(least, model.node_size);
    let begun = (NODES_BEGUN * model.node_size * model.copies) as i64;
    let most = leaves(most, model.node_size + LEAF_OVERHEAD).saturating_add(begun);
    Cost { bytes: sum.bytes.clamp(least, most), least, most, ..sum }
}
