//! EROFS: behind the inode, before the tail of the file's data.

use super::xattr_names::suffix_length;
use super::{Attribute, Cost, Refusal, RefusalKind, round_up};

/// The longest value: its length has 16 bits (`struct erofs_xattr_entry`).
const VALUE_MAX: u64 = 65_535;

/// An image by `mkfs.erofs`. A file's attributes follow its inode: a header of 12 bytes, and for each
/// `4 + name without prefix + value`, rounded up to 4 (`fs/erofs/erofs_fs.h`). The last, incomplete block of the
/// file's data follows them where all of it fits in one block, and what does not fit moves to another: the cost
/// depends on the file's length and its neighbours.
///
/// An estimate: the bytes of the attributes, and up to one block more or less. In images of 500 files of one length
/// (mkfs.erofs 1.5; 300 to 9,000 bytes; attributes of 80 to 7,865 bytes) the cost was always within that interval,
/// and mostly in its upper half.
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

fn body(xattrs: &[Attribute]) -> u64 {
    if xattrs.is_empty() {
        return 0;
    }
    12 + xattrs.iter().map(|xattr| round_up(4 + suffix_length(&xattr.name) + xattr.length, 4)).sum::<u64>()
}
