//! btrfs: an item in the leaf that holds the file's inode.

use super::btrfs_leaves::{Key, Leaves};
use super::{
    Attribute, Cost, FileShape, FileSystem, Refusal, RefusalKind, changed, removed, round_up, written,
};

/// `struct btrfs_header` at the start of every node.
pub(super) const NODE_HEADER: u64 = 101;
/// `struct btrfs_item`: the key, offset and size of an item in its leaf.
pub(super) const ITEM: u64 = 25;
/// `struct btrfs_dir_item`, the form that an attribute has.
pub(super) const DIR_ITEM: u64 = 30;
/// A file's inode, its name in the directory (whose bytes come on top), and one extent of data, each with its item.
pub(super) const INODE: u64 = ITEM + 160;
pub(super) const INODE_REF: u64 = ITEM + 10;
pub(super) const EXTENT_DATA: u64 = ITEM + 53;
/// A file's name in its directory, by hash and by number.
const DIRECTORY: u64 = 2 * (ITEM + DIR_ITEM + NAME_MEAN);
/// The longest data that lies in a leaf, the mount option `max_inline`.
pub(super) const INLINE_MAX: u64 = 2048;
/// Steps in which lengths of such data are told apart.
const INLINE_STEP: u64 = 128;
/// Names are this long on average and differ by up to 8 bytes to either side: were they equal, leaves would fill in
/// step, which files of a real tree do not.
const NAME_MEAN: u64 = 14;
/// What every leaf takes elsewhere: a pointer in its parent (33 bytes) and a record in the extent tree (25 + 33),
/// in nodes that are two thirds full.
pub(super) const LEAF_OVERHEAD: u64 = (33 + 25 + 33) * 3 / 2;

/// Files are signed by many threads, the largest of the waiting ones first: about in order, and in the model each of so many
/// in an order of its own, which a stride makes that has no factor in common with them.
const WINDOW: u32 = 64;
const STRIDE: u32 = 37;

/// Kinds of items in the order of btrfs's keys, with the attributes between inode and data.
const KIND_INODE: u32 = 0;
const KIND_REF: u32 = 1;
const KIND_XATTR: u32 = 2;
const KIND_EXTENT: u32 = u32::MAX;

/// btrfs. The rule (Linux 6.18, `fs/btrfs/xattr.c`, `ctree.c`): an attribute is one item of `55 + full name + value`
/// bytes in a leaf; a value has at most `node_size - 156 - full name` bytes (16,216 for `security.ima` with nodes of
/// 16 KiB; then `ENOSPC`). The metadata's profile says how often each leaf is on disk: twice with DUP.
///
/// What is paid is leaves, and how full they get is what an **estimate** has to say: the model lets a tree of leaves
/// grow as btrfs grows it. Files are created in order, their data is written (up to 2,048 bytes into the leaves
/// themselves), then attributes are set about in order; and no less is taken than leaves 92 % full need, which is what
/// short attributes were seen to take.
///
/// The interval of one file is what a B-tree can do where all neighbours are like it and no snapshot shares a leaf: files of
/// one extent, made together. Its leaves are between half full and full before and after: what creation left
/// free may swallow as many bytes as files had in their leaves, so that short attributes may cost nothing; at the other
/// end full leaves are all split, and an item longer than half a leaf has one alone and leaves a rest beside it. How full
/// they are is decided by the order in which files were created, written and signed, which no plan knows. The interval of a
/// tree is wider ([`super::predict`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Btrfs {
    /// Bytes of a node: 16,384 by default.
    pub node_size: u64,
    /// How often metadata is stored: 2 for DUP, RAID1 and RAID10, 1 for single and RAID0, 3 or 4 for RAID1C3 or C4.
    pub copies: u64,
    /// The same of data, by which statvfs(3) divides what it shows of both.
    pub data_copies: u64,
    /// Bytes of all metadata, one copy; `None` on a file system that is not there.
    pub metadata: Option<u64>,
}

impl Default for Btrfs {
    /// What `mkfs.btrfs` makes on one device since version 5.15: nodes of 16 KiB, DUP.
    fn default() -> Btrfs {
        Btrfs { node_size: 16_384, copies: 2, data_copies: 1, metadata: None }
    }
}

impl Btrfs {
    pub(super) fn cost(
        &self,
        file: &FileShape,
        before: &[Attribute],
        after: &[Attribute],
    ) -> Result<Cost, Refusal> {
        if let Some(refusal) = changed(before, after).find_map(|xattr| self.refusal(xattr)) {
            return Err(refusal);
        }
        if written(before, after).chain(removed(before, after)).next().is_none() {
            return Ok(Cost::default());
        }
        let extent = extent_item(size_class(file.size));
        let (least, most) = self.interval(extent, before, after);
        let bytes = self.estimate(extent, before, after).clamp(least, most);
        Ok(Cost { bytes, least, most, inodes: 0.0 })
    }

    /// The least and the most that a file costs, where all its neighbours are like it.
    fn interval(&self, extent: u64, before: &[Attribute], after: &[Attribute]) -> (i64, i64) {
        let items = |list: &[Attribute]| list.iter().map(item).sum::<u64>() as i64;
        let old = (INODE + INODE_REF + NAME_MEAN + DIRECTORY + extent) as i64 + items(before);
        let grown = items(after) - items(before);
        // What that is in leaves: with all copies, and at most with what each leaf takes elsewhere.
        let room = self.room() as i64;
        let long = changed(before, after).filter(|xattr| item(xattr) as i64 > room / 2).count() as i64;
        // Half full before and full after; or full before and half full after.
        let (least, most) = (grown - old, (2 * grown + old).max(2 * long * room));
        let least = if grown > 0 { least.max(0) } else { least };
        (self.shown(least, self.node_size), self.shown(most, self.node_size + LEAF_OVERHEAD))
    }

    /// Bytes of items that a leaf holds.
    pub(super) fn room(&self) -> u64 {
        self.node_size.saturating_sub(NODE_HEADER).max(1)
    }

    /// What statvfs(3) shows of full leaves with so many bytes of items, if each takes `leaf`.
    pub(super) fn shown(&self, items: i64, leaf: u64) -> i64 {
        let bytes = i128::from(items) * i128::from(leaf * self.copies);
        i64::try_from(bytes / i128::from(self.room() * self.data_copies)).unwrap_or(i64::MAX)
    }

    pub(super) fn remedy(&self, length: u64) -> Option<(FileSystem, String)> {
        let node_size = [16_384, 32_768, 65_536].into_iter().find(|size| {
            *size > self.node_size && Btrfs { node_size: *size, ..*self }.limit("security.ima") >= length
        })?;
        let model = FileSystem::Btrfs(Btrfs { node_size, ..*self });
        Some((model, format!("a file system made with `mkfs.btrfs -n {node_size}`")))
    }

    /// The longest value under that name.
    fn limit(&self, name: &str) -> u64 {
        self.node_size.saturating_sub(NODE_HEADER + ITEM + DIR_ITEM + name.len() as u64)
    }

    pub(super) fn refusal(&self, xattr: &Attribute) -> Option<Refusal> {
        let limit = self.limit(&xattr.name);
        (xattr.length > limit).then(|| Refusal {
            kind: RefusalKind::NoSpace,
            name: xattr.name.clone(),
            length: xattr.length,
            limit,
            room: format!("a node of {} bytes takes", self.node_size),
        })
    }

    /// Bytes per file, averaged over as many files as fill some four hundred leaves.
    fn estimate(&self, extent: u64, before: &[Attribute], after: &[Attribute]) -> i64 {
        let longer = before.iter().map(item).sum::<u64>().max(after.iter().map(item).sum());
        let per_file = INODE + INODE_REF + NAME_MEAN + extent + longer;
        let files =
            (400 * self.node_size / per_file).clamp(1_000, 12_000).next_multiple_of(u64::from(WINDOW));
        let files = files as u32;
        let mut leaves = Leaves::new(self.node_size.saturating_sub(NODE_HEADER));
        let kind_of = |name: &str| {
            // A replaced attribute keeps its place; a new one stands behind those that were there.
            let place = before.iter().chain(after).position(|xattr| xattr.name == name).unwrap_or(0);
            KIND_XATTR + place as u32
        };
        for file in 0..files {
            let name = NAME_MEAN - 8 + u64::from(file % 17);
            leaves.insert(Key { file, kind: KIND_INODE }, INODE);
            leaves.insert(Key { file, kind: KIND_REF }, INODE_REF + name);
            for xattr in before {
                leaves.insert(Key { file, kind: kind_of(&xattr.name) }, item(xattr));
            }
        }
        for file in 0..files {
            leaves.insert(Key { file, kind: KIND_EXTENT }, extent);
        }
        let without = leaves.count();
        for file in (0..files).map(|file| file - file % WINDOW + file * STRIDE % WINDOW) {
            for old in removed(before, after) {
                leaves.remove(Key { file, kind: kind_of(&old.name) });
            }
            for xattr in changed(before, after) {
                let key = Key { file, kind: kind_of(&xattr.name) };
                leaves.remove(key);
                leaves.insert(key, item(xattr));
            }
        }
        let more = leaves.count() as i64 - without as i64;
        let grown = self.shown(more * self.room() as i64, self.node_size + LEAF_OVERHEAD) / i64::from(files);
        // Short attributes first fill what creation left free, and what they fill is missed by whatever comes next.
        let items = |list: &[Attribute]| list.iter().map(item).sum::<u64>() as i64;
        let packed = (items(after) - items(before)) * (self.copies * 108 / self.data_copies) as i64 / 100;
        grown.max(packed)
    }
}

pub(super) fn item(xattr: &Attribute) -> u64 {
    ITEM + DIR_ITEM + xattr.name.len() as u64 + xattr.length
}

/// The item of a file's data: a reference to an extent, or the data of a short file itself.
fn extent_item(size: u64) -> u64 {
    match size {
        0 => 0,
        1..=INLINE_MAX => ITEM + 21 + size,
        _ => EXTENT_DATA,
    }
}

/// A length that stands for all that are estimated alike: short ones in steps, all longer ones.
pub(super) fn size_class(size: u64) -> u64 {
    if size > INLINE_MAX { INLINE_MAX + 1 } else { round_up(size, INLINE_STEP) }
}
