//! XFS: beside the data in the inode, in one leaf block, or in blocks of their own.

use super::xattr_names::xfs_form;
use super::{Attribute, Cost, FileShape, removed, round_up, written};

/// The longest name or value in the inode: its length is one byte, and 255 is refused
/// (`XFS_ATTR_SF_ENTSIZE_MAX`).
const INLINE_MAX: u64 = 254;
/// A record of an extent in the data fork, `xfs_bmbt_rec`.
const EXTENT: u64 = 16;
/// The data fork keeps room for the root of an extent tree with three pointers: 4 + 3 × 16 bytes.
const DATA_FORK_MIN: u64 = 52;
/// Bytes of the data fork in an inode that was made with an attribute fork: 4 + 12 × 16 rounded down to 8. More
/// extents than fit turn the data fork into a tree, which then keeps this size.
const DATA_FORK_DEFAULT: u64 = 192;
/// Extents from which on more make no difference.
const EXTENTS_MAX: u32 = (DATA_FORK_DEFAULT / EXTENT) as u32 + 1;

/// XFS. The rule (Linux 6.18, `fs/xfs/libxfs/xfs_attr_leaf.c`, `xfs_attr_remote.c`; bisected on loop-mounted images):
///
/// * In the **inode**, at no cost, while every name and value has at most 254 bytes and `4 + Σ (3 + name + value)`
///   fits beside the data fork: `inode_size - 176 - data`, where `data` is `max(52, 16 × extents)` rounded up to 8
///   for at most 12 extents, and 192 for more. With inodes of 512 bytes and a 27-byte SELinux label, that leaves
///   233 bytes for `security.ima` in a file of up to 3 extents, 225 with 4, 209 with 5, 97 with 12 and more.
/// * Otherwise all attributes go to a **leaf block**; those whose `3 + name + value`, rounded up to 4, is below three
///   quarters of a block lie in it (`security.ima`: up to 3,062 bytes), and it costs one block.
/// * A longer value is **remote**: `12 + 8` bytes in the leaf and `ceil(value / (block_size - 56))` blocks, written
///   synchronously.
/// * When `80 + Σ (8 + entry)` exceeds the leaf block, it splits in two under a new root: three blocks.
///
/// The inode's size hardly matters, since lengths there are one byte. One leaf, and two that are made of one, are exact.
/// Beyond that the number of leaves is an **interval**, and so it is where the new value has no room in the leaf beside
/// the old one: both are there for a moment, the leaf splits, and leaves that are more than half full, or three quarters
/// together, stay two (`xfs_attr3_leaf_toosmall`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Xfs {
    /// Bytes of an inode: 512 by default.
    pub inode_size: u64,
    /// Bytes of a block.
    pub block_size: u64,
    /// Version 5 with checksums, the default since 2014 (xfsprogs 3.2.3).
    pub checksums: bool,
}

impl Default for Xfs {
    /// What `mkfs.xfs` makes: version 5, inodes of 512 bytes, blocks of 4 KiB.
    fn default() -> Xfs {
        Xfs { inode_size: 512, block_size: 4096, checksums: true }
    }
}

impl Xfs {
    pub(super) fn cost(&self, file: &FileShape, before: &[Attribute], after: &[Attribute]) -> Cost {
        let bytes = |blocks: u64| (blocks * self.block_size) as i64;
        let rule = bytes(self.blocks(file.extents, after)) - bytes(self.blocks(file.extents, before));
        let mut cost = Cost::exact(rule, 0);
        for extents in file.extents..=file.extents.max(file.most_extents.min(EXTENTS_MAX)) {
            let fewest = self.leaves(extents, before);
            for from in fewest..=fewest + u64::from(file.further_leaves) {
                let (least, most) = self.changed_leaves(extents, from, before, after);
                let remote = bytes(self.remote(after)) - bytes(self.remote(before)) - bytes(with_root(from));
                cost.least = cost.least.min(bytes(with_root(least)) + remote);
                cost.most = cost.most.max(bytes(with_root(most)) + remote);
            }
        }
        cost
    }

    /// The fewest and the most leaves when attributes in so many have become others, one after the other.
    fn changed_leaves(
        &self,
        extents: u32,
        from: u64,
        before: &[Attribute],
        after: &[Attribute],
    ) -> (u64, u64) {
        let mut list = before.to_vec();
        let (mut least, mut most) = (from, from);
        let gone = removed(before, after).map(|old| (old, false));
        for (xattr, is_set) in gone.chain(written(before, after).map(|new| (new, true))) {
            let old = list.iter().position(|own| own.name == xattr.name);
            let mut both = list.clone();
            both.extend(is_set.then(|| xattr.clone()));
            let mut next = both.clone();
            old.map(|old| next.remove(old));
            let in_inode = self.in_inode(extents, &next);
            if most == 0 {
                // In the inode the old one goes first (`xfs_attr_sf_addname`).
                (least, most) = if in_inode { (0, 0) } else { self.split(1, &next) };
            } else {
                let fewest = self.split(least.max(1), &both).0;
                most = self.split(most, &both).1;
                let others: Vec<Attribute> = next.iter().filter(|own| *own != xattr).cloned().collect();
                let apart = self.leaf([xattr, xattr]) > self.block_size;
                let joins = self.leaf(&next) <= self.block_size / 2
                    || apart
                        && self.leaf(&others) <= self.block_size / 2
                        && self.leaf(&next) <= self.block_size / 4 * 3;
                if old.is_some() && (most == 1 || most == 2 && least <= 1 && joins) {
                    most = u64::from(!in_inode);
                }
                let fewest = if old.is_some() { (fewest - 1).max(self.fewest(&next)) } else { fewest };
                let shrinks = in_inode && (least == 0 || old.is_some() && fewest <= 1);
                least = if shrinks { 0 } else { fewest.min(most) };
                most = most.min(next.len() as u64);
            }
            list = next;
        }
        (least, most)
    }

    /// The fewest and the most leaves when one attribute was added to those in so many.
    fn split(&self, from: u64, list: &[Attribute]) -> (u64, u64) {
        let fewest = self.fewest(list).max(from);
        // It splits where both halves come nearest to each other (`xfs_attr3_leaf_figure_balance`).
        let largest = list.iter().map(|xattr| self.leaf([xattr])).max().unwrap_or(0);
        let most = match from {
            1 if fewest == 1 => 1,
            1 if (self.leaf(list) + largest) / 2 <= self.block_size => 2,
            _ => from + 2,
        };
        (fewest, most.min(list.len() as u64).max(fewest))
    }

    /// The most extents that a file of so many blocks may have with these attributes in its inode.
    pub(super) fn most_extents(&self, blocks: u64, in_inode: &[Attribute]) -> u32 {
        let most = u32::try_from(blocks).unwrap_or(u32::MAX).min(EXTENTS_MAX);
        (0..=most).rev().find(|extents| self.in_inode(*extents, in_inode)).unwrap_or(most)
    }

    /// Blocks of the attribute fork, if leaves are full.
    pub(super) fn blocks(&self, extents: u32, xattrs: &[Attribute]) -> u64 {
        with_root(self.leaves(extents, xattrs)) + self.remote(xattrs)
    }

    /// The fewest leaves; none where all is in the inode.
    fn leaves(&self, extents: u32, xattrs: &[Attribute]) -> u64 {
        if self.in_inode(extents, xattrs) { 0 } else { self.fewest(xattrs) }
    }

    fn fewest(&self, xattrs: &[Attribute]) -> u64 {
        let header = self.leaf([]);
        (self.leaf(xattrs) - header).div_ceil(self.block_size - header).max(1)
    }

    /// Bytes of a leaf with these.
    fn leaf<'a>(&self, xattrs: impl IntoIterator<Item = &'a Attribute>) -> u64 {
        let header = if self.checksums { 80 } else { 32 };
        let entry = |(name, value): (u64, u64)| 8 + self.local(name, value).unwrap_or(round_up(9 + name, 4));
        header + xattrs.into_iter().map(xfs_form).map(entry).sum::<u64>()
    }

    /// Bytes of an entry with its value, unless that is longer than what stands in a leaf.
    fn local(&self, name: u64, value: u64) -> Option<u64> {
        Some(round_up(3 + name + value, 4)).filter(|bytes| *bytes < self.block_size / 4 * 3)
    }

    /// Blocks of values outside of leaves.
    fn remote(&self, xattrs: &[Attribute]) -> u64 {
        let room = self.block_size - if self.checksums { 56 } else { 0 };
        let remote = xattrs.iter().map(xfs_form).filter(|(name, value)| self.local(*name, *value).is_none());
        remote.map(|(_, value)| value.div_ceil(room)).sum()
    }

    /// Whether a file of so many extents has room for these in its inode.
    fn in_inode(&self, extents: u32, xattrs: &[Attribute]) -> bool {
        let literal = self.inode_size.saturating_sub(if self.checksums { 176 } else { 100 });
        let records = EXTENT * u64::from(extents);
        let data = if records <= DATA_FORK_DEFAULT { records.max(DATA_FORK_MIN) } else { DATA_FORK_DEFAULT };
        let room = literal.saturating_sub(round_up(data, 8));
        let forms = || xattrs.iter().map(xfs_form);
        let short = forms().all(|(name, value)| name <= INLINE_MAX && value <= INLINE_MAX);
        xattrs.is_empty() || short && 4 + forms().map(|(name, value)| 3 + name + value).sum::<u64>() <= room
    }
}

/// Blocks of so many leaves: several have a root.
fn with_root(leaves: u64) -> u64 {
    leaves + u64::from(leaves > 1)
}
