//! Superblocks as they lie on disk: only the fields that decide what an attribute costs.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::mountinfo::Mount;
use super::{Btrfs, Ext4, F2fs, Xfs};

/// Bytes from the start of a device that hold every superblock read here; that of btrfs lies at 64 KiB.
const HEAD: usize = 0x1_0000 + 4096;

/// A sentence on what could not be read.
pub(super) fn unread(mount: &Mount, then: &str) -> String {
    format!("The superblock on {} cannot be read{}: {then}.", mount.source.display(), who_may())
}

/// Who may read a device, for whoever may not. Where root cannot, nobody could.
pub(super) fn who_may() -> &'static str {
    if rustix::process::geteuid().is_root() { "" } else { " (root may)" }
}

/// The first bytes of the device, where it may be read.
pub(super) fn read_head(mount: &Mount) -> Option<Vec<u8>> {
    devices(mount).into_iter().find_map(|device| {
        let mut head = Vec::with_capacity(HEAD);
        std::fs::File::open(device).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
        Some(head)
    })
}

/// Names under which the mount's device may be there. The source may be a name that exists nowhere (`/dev/root`).
pub(super) fn devices(mount: &Mount) -> Vec<PathBuf> {
    let uevent =
        std::fs::read_to_string(format!("/sys/dev/block/{}/uevent", mount.device)).unwrap_or_default();
    let named =
        uevent.lines().find_map(|line| line.strip_prefix("DEVNAME=")).map(|n| Path::new("/dev").join(n));
    let source = mount.source.is_absolute().then(|| mount.source.clone());
    source.into_iter().chain(named).filter(|device| device.exists()).collect()
}

fn bytes<const N: usize>(head: &[u8], at: usize) -> Option<[u8; N]> {
    head.get(at..at + N)?.try_into().ok()
}

fn le16(head: &[u8], at: usize) -> Option<u64> {
    bytes(head, at).map(u16::from_le_bytes).map(u64::from)
}

fn le32(head: &[u8], at: usize) -> Option<u64> {
    bytes(head, at).map(u32::from_le_bytes).map(u64::from)
}

/// A power of two from its logarithm; `None` for what no block or inode has.
fn power(logarithm: u64) -> Option<u64> {
    (logarithm <= 20).then(|| 1 << logarithm)
}

/// ext2, ext3 or ext4: `struct ext4_super_block` at byte 1,024 (`fs/ext4/ext4.h`).
pub(super) fn ext4(head: &[u8]) -> Option<Ext4> {
    const AT: usize = 1024;
    if le16(head, AT + 0x38)? != 0xEF53 {
        return None;
    }
    let incompatible = le32(head, AT + 0x60)?;
    let read_only_compatible = le32(head, AT + 0x64)?;
    let block_size = power(le32(head, AT + 0x18)?.checked_add(10)?)?;
    let bigalloc = read_only_compatible & 0x0200 != 0;
    let cluster_size = if bigalloc { power(le32(head, AT + 0x1C)?.checked_add(10)?)? } else { block_size };
    let dynamic = le32(head, AT + 0x4C)? >= 1;
    let inode_size = if dynamic { le16(head, AT + 0x58)? } else { 128 };
    // Zero where `extra_isize` is absent; the kernel then gives new inodes the fields that it knows, 32 bytes.
    let wanted = le16(head, AT + 0x15E)?.max(le16(head, AT + 0x15C)?);
    let extra_isize = if wanted == 0 { 32 } else { wanted };
    let ea_inode = incompatible & 0x0400 != 0;
    Some(Ext4 { inode_size, extra_isize, block_size, cluster_size, ea_inode, shares: true })
}

/// Whether an ext4 keeps small files' data in the inode (`INCOMPAT_INLINE_DATA`).
pub(super) fn ext4_inline_data(head: &[u8]) -> bool {
    le32(head, 1024 + 0x60).is_some_and(|features| features & 0x8000 != 0)
}

/// XFS: `struct xfs_dsb` at byte 0, big endian (`fs/xfs/libxfs/xfs_format.h`).
pub(super) fn xfs(head: &[u8]) -> Option<Xfs> {
    if bytes(head, 0)? != *b"XFSB" {
        return None;
    }
    let block_size = u64::from(u32::from_be_bytes(bytes(head, 4)?));
    let version = u16::from_be_bytes(bytes(head, 100)?) & 0xF;
    let inode_size = u64::from(u16::from_be_bytes(bytes(head, 104)?));
    let plausible = block_size.is_power_of_two() && (512..=65_536).contains(&block_size);
    plausible.then_some(Xfs { inode_size, block_size, checksums: version == 5 })
}

/// btrfs: `struct btrfs_super_block` at byte 65,536 (`include/uapi/linux/btrfs_tree.h`). The copies of its metadata
/// stand elsewhere and are left at the default.
pub(super) fn btrfs(head: &[u8]) -> Option<Btrfs> {
    const AT: usize = 0x1_0000;
    if bytes(head, AT + 0x40)? != *b"_BHRfS_M" {
        return None;
    }
    let node_size = le32(head, AT + 0x94)?;
    (4096..=65_536).contains(&node_size).then_some(Btrfs { node_size, ..Btrfs::default() })
}

/// f2fs: `struct f2fs_super_block` at byte 1,024 (`include/linux/f2fs_fs.h`).
pub(super) fn f2fs(head: &[u8]) -> Option<F2fs> {
    const AT: usize = 1024;
    if le32(head, AT)? != 0xF2F5_2010 {
        return None;
    }
    Some(F2fs { block_size: power(le32(head, AT + 16)?)?, ..F2fs::default() })
}

/// Whether f2fs lets a mount choose the room for attributes (`F2FS_FEATURE_FLEXIBLE_INLINE_XATTR`).
pub(super) fn f2fs_flexible(head: &[u8]) -> bool {
    le32(head, 1024 + 2180).is_some_and(|features| features & 0x40 != 0)
}
