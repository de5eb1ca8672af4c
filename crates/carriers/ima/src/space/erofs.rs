//! EROFS: behind the inode, before the tail of the file's data.

use super::xattr_names::suffix_length;
use super::{Attribute, Cost, Refusal, RefusalKind, round_up};

/// The longest value: its length has 16 bits (`struct erofs_xattr_entry`).
const VALUE_MAX: u64 = 65_535;

/// An image by `mkfs.erofs`. A file's attributes follow its inode: a header of 12 bytes, and for each
/// `4 + name without prefix + value`, rounded up to 4 (`fs/erofs/erofs_fs.h`). The last, incomplete block of the
/// file's data follows them where both fit in one block, and where they do not it takes a block for itself. What more
/// than two files have alike is stored once, and each of them has a reference of 4 bytes.
///
/// An estimate: for a tree, all inodes are placed as mkfs.erofs 1.5 places them. The interval is a tenth and a block to
/// either side of that, and reaches to what it would be if no file's tail lay behind its inode, as in compressed images.
/// For a single file: the bytes of its attributes, and up to one block more or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erofs {
    /// Bytes of a block.
    pub block_size: u64,
}

impl Default for Erofs {
    /// Blocks of 4 KiB.
    fn default() -> Erofs {
        Erofs { block_size: 4096 }
    }
}

impl Erofs {
    /// What of a file's length matters: its tail, and whether there is more.
    pub(super) fn size_class(&self, size: u64) -> u64 {
        if size < self.block_size { size } else { self.block_size + size % self.block_size }
    }

    pub(super) fn cost(&self, before: &[Attribute], after: &[Attribute]) -> Result<Cost, Refusal> {
        if let Some(xattr) = after.iter().find(|xattr| xattr.length > VALUE_MAX) {
            return Err(Refusal {
                kind: RefusalKind::TooBig,
                name: xattr.name.clone(),
                length: xattr.length,
                limit: VALUE_MAX,
                room: "16 bits for a length leave".to_owned(),
            });
        }
        let bytes = body(after) as i64 - body(before) as i64;
        let slack = if bytes == 0 { 0 } else { self.block_size as i64 };
        Ok(Cost { bytes, least: bytes - slack, most: bytes + slack, inodes: 0.0 })
    }
}

/// Bytes of attributes behind an inode.
pub(super) fn body(xattrs: &[Attribute]) -> u64 {
    if xattrs.is_empty() {
        return 0;
    }
    12 + xattrs.iter().map(entry).sum::<u64>()
}

/// Bytes of one attribute.
pub(super) fn entry(xattr: &Attribute) -> u64 {
    round_up(4 + suffix_length(&xattr.name) + xattr.length, 4)
}
