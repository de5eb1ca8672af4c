//! What a whole tree takes on btrfs at least and at most, whatever shares its leaves and however its files came about.
//!
//! btrfs writes no node in place (Linux 6.18, `fs/btrfs/ctree.c`, `btrfs_force_cow_block`): it writes a copy and frees the
//! old one, unless a snapshot has it too. Then both stay, and so do both of every node on the way to it, and each extent of
//! data that the leaf names is named once more in the tree of extents (`update_ref_for_cow`). Whether there is a snapshot of
//! a subvolume only root can find out (`last_snapshot` of its root item; `BTRFS_IOC_GET_SUBVOL_INFO` has it not), and a
//! snapshot of yesterday shares much or little. So the most is what it takes if all is shared.

use super::btrfs::{ITEM, LEAF_OVERHEAD, item};
use super::gathered::Gathered;
use super::{Btrfs, Candidate, Cost, changed, written};

/// An extent in the tree of extents: its item with one reference (`EXTENT_ITEM` of 24 bytes, `EXTENT_DATA_REF` of 29), and what
/// a snapshot adds, twice as leaves split: a reference of 13 or 29 bytes, by whether the original or the snapshot is written to.
const EXTENT: u64 = ITEM + 24 + 29 + 2 * 29;
/// The trees of files, extents, checksums, free space and roots, and parents of leaves.
const NODES_BEGUN: u64 = 8;

/// Where a signature takes the place of another, leaves may be as good as empty: a shorter value leaves the rest of its leaf free
/// (`btrfs_truncate_item`), whatever was there before. Then all that metadata has may be room, and shared.
///
/// The sum of the files with what a tree takes at least and at most.
///
/// Leaves are between half full and full before and after, and the items of files and what stands between them fill so many.
/// At least, what is free in them swallows as much as they hold; at most all of them are shared, written again, and half full
/// then, with two leaves for an attribute that is longer than half of one.
pub(super) fn bounded(model: &Btrfs, gathered: &Gathered, candidate: &Candidate, sum: Cost) -> Cost {
    let Some(standing) = &gathered.standing else { return sum };
    let room = model.room();
    let (mut old, mut grown, mut long, mut long_bytes, mut replaced) = (0, 0, 0, 0, false);
    for own in &gathered.combinations {
        let (before, after) = (own.before(), candidate.applied_to(&own.attributes));
        let bytes = |list: &[super::Attribute]| list.iter().map(item).sum::<u64>() as i64;
        let files = own.files as i64;
        old += bytes(before) * files;
        if changed(before, &after).any(|xattr| model.refusal(xattr).is_some()) {
            continue;
        }
        replaced |= written(before, &after).any(|new| before.iter().any(|old| old.name == new.name));
        grown += (bytes(&after) - bytes(before)) * files;
        for xattr in changed(before, &after).filter(|xattr| item(xattr) > room / 2) {
            long += files;
            long_bytes += item(xattr) as i64 * files;
        }
    }
    old += (standing.items + standing.strangers()) as i64;
    let capacity =
        model.metadata.map_or(0, |bytes| bytes / model.node_size * room).min(2 * gathered.files * room);
    let emptied = if replaced { capacity as i64 } else { 0 };
    let swallowed = grown - old.max(emptied);
    let least = if grown > 0 { swallowed.max(if replaced { -old } else { 0 }) } else { swallowed };
    let rest = old.max(emptied / 2) + grown.max(0) - long_bytes.min(old + grown.max(0));
    let most = 2 * rest + 2 * long * room as i64 + (standing.extents * EXTENT) as i64;
    let most = most + (NODES_BEGUN * room) as i64;
    let (least, most) =
        (model.shown(least, model.node_size), model.shown(most, model.node_size + LEAF_OVERHEAD));
    Cost { bytes: sum.bytes.clamp(least, most), least, most, ..sum }
}
