//! tmpfs: kernel memory, counted against the number of inodes.

use super::{Attribute, Cost};

/// `struct simple_xattr` (`include/linux/xattr.h`, Linux 6.18).
const STRUCT: u64 = 40;
/// Bytes that count as one inode: `BOGO_INODE_SIZE`, `mm/shmem.c`.
const INODE: u64 = 1024;

/// tmpfs. The rule (Linux 6.18, `mm/shmem.c`; measured to the byte): every attribute takes `40 + full name + value`
/// bytes of unswappable memory; 1,024 of them count as one of the `nr_inodes` of the mount. No block is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tmpfs {
    /// `nr_inodes`; `None` where the mount has no limit, and then nothing is counted.
    pub inodes: Option<u64>,
}

impl Tmpfs {
    pub(super) fn cost(&self, before: &[Attribute], after: &[Attribute]) -> Cost {
        let bytes = memory(after) as i64 - memory(before) as i64;
        let inodes = if self.inodes.is_some() { bytes as f64 / INODE as f64 } else { 0.0 };
        Cost { inodes, ..Cost::exact(bytes, 0) }
    }
}

fn memory(xattrs: &[Attribute]) -> u64 {
    xattrs.iter().map(|xattr| STRUCT + xattr.name.len() as u64 + xattr.length).sum()
}
