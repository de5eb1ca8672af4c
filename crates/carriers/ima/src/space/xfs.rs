//! XFS: beside the data in the inode, in one leaf block, or in blocks of their own.

use super::xattr_names::xfs_form;
use super::{Attribute, Cost, FileShape, round_up};

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
/// The inode's size hardly matters, since lengths there are one byte. The number of leaves is exact up to two and an
/// estimate beyond. Only what the file shows at the end counts, whatever the order in which attributes were set.
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
        let change = |extents| {
            let blocks = self.blocks(extents, after) as i64 - self.blocks(extents, before) as i64;
            blocks * self.block_size as i64
        };
        let mut cost = Cost::exact(change(file.extents), 0);
        for other in (file.extents..=file.most_extents.min(EXTENTS_MAX)).map(change) {
            (cost.least, cost.most) = (cost.least.min(other), cost.most.max(other));
        }
        cost
    }

    /// The most extents that a file of so many blocks may have with these attributes in its inode.
    pub(super) fn most_extents(&self, blocks: u64, in_inode: &[Attribute]) -> u32 {
        let most = u32::try_from(blocks).unwrap_or(u32::MAX).min(EXTENTS_MAX);
        (0..=most).rev().find(|extents| self.in_inode(*extents, in_inode)).unwrap_or(most)
    }

    /// Blocks of the attribute fork.
    fn blocks(&self, extents: u32, xattrs: &[Attribute]) -> u64 {
        if self.in_inode(extents, xattrs) {
            return 0;
        }
        let (mut leaf, mut remote) = (0, 0);
        for (name, value) in xattrs.iter().map(xfs_form) {
            let local = round_up(3 + name + value, 4);
            if local < self.block_size / 4 * 3 {
                leaf += 8 + local;
            } else {
                leaf += 8 + round_up(9 + name, 4);
                remote += value.div_ceil(self.block_size - if self.checksums { 56 } else { 0 });
            }
        }
        let header = if self.checksums { 80 } else { 32 };
        let leaves = match leaf.div_ceil(self.block_size - header) {
            1 => 1,
            several => several + 1,
        };
        leaves + remote
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
