//! Superblocks as they lie on disk: only the fields that decide what an attribute costs.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::mountinfo::Mount;
use super::{Btrfs, Ext4, F2fs, FileSystem, Xfs};

/// Bytes from the start of a device that hold every superblock read here; that of btrfs lies at 64 KiB.
const HEAD: usize = 0x1_0000 + 4096;

/// A sentence on what could not be read.
pub(super) fn unread(mount: &Mount, then: &str) -> String {
    format!("The superblock on {} is not readable{}: {then}.", mount.source.display(), who_may())
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

/// What a file system may keep in the room of attributes that it lists nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hides {
    /// Data of small files.
    pub(super) inline_data: bool,
    /// The key contexts of fscrypt.
    pub(super) encryption: bool,
    /// Each name of a file with the directory that it is in.
    pub(super) parents: bool,
}

/// By the features of an ext4 (`INCOMPAT_INLINE_DATA`, `INCOMPAT_ENCRYPT`), f2fs (`F2FS_FEATURE_ENCRYPT`) or XFS
/// (`XFS_SB_FEAT_INCOMPAT_PARENT`); `None` where the superblock is another's.
pub(super) fn hides(file_system: &FileSystem, head: &[u8]) -> Option<Hides> {
    match file_system {
        FileSystem::Ext4(_) => {
            ext4(head)?;
            let features = le32(head, 1024 + 0x60)?;
            Some(Hides {
                inline_data: features & 0x8000 != 0,
                encryption: features & 0x1_0000 != 0,
                parents: false,
            })
        }
        FileSystem::F2fs(_) => {
            f2fs(head)?;
            Some(Hides { encryption: le32(head, 1024 + 2180)? & 1 != 0, ..Hides::default() })
        }
        FileSystem::Xfs(_) => {
            let model = xfs(head)?;
            let features = u32::from_be_bytes(bytes(head, 216)?);
            Some(Hides { parents: model.checksums && features & 0x80 != 0, ..Hides::default() })
        }
        _ => Some(Hides::default()),
    }
}

/// The inodes of an ext4 on its device, of which stat(2) does not show all.
#[derive(Debug, Clone)]
pub(super) struct Inodes {
    device: PathBuf,
    block_size: u64,
    inode_size: u64,
    per_group: u64,
    /// Where the descriptors of the groups begin, and bytes of each.
    descriptors: (u64, u64),
}

impl Inodes {
    /// Those of the mount's device. None where the descriptors are not in one piece (`meta_bg`).
    pub(super) fn of(mount: &Mount, head: &[u8]) -> Option<Inodes> {
        const AT: usize = 1024;
        let model = ext4(head)?;
        let incompatible = le32(head, AT + 0x60)?;
        if incompatible & 0x10 != 0 {
            return None;
        }
        let descriptor = if incompatible & 0x80 != 0 { le16(head, AT + 0xFE)? } else { 32 };
        Some(Inodes {
            device: devices(mount).into_iter().next()?,
            block_size: model.block_size,
            inode_size: model.inode_size,
            per_group: le32(head, AT + 0x28).filter(|number| *number > 0)?,
            descriptors: ((le32(head, AT + 0x14)? + 1) * model.block_size, descriptor),
        })
    }

    /// Bytes of the fields behind the first 128 (`i_extra_isize`) of an inode: attributes begin behind them.
    pub(super) fn extra_size(&self, inode: u64) -> Option<u64> {
        let size = le16(&self.read(inode, 128)?, 0)?;
        (size <= self.inode_size - 128).then_some(size)
    }

    /// The block of an inode's attributes (`i_file_acl_lo`, `l_i_file_acl_high`); 0 if it has none.
    pub(super) fn attribute_block(&self, inode: u64) -> Option<u64> {
        Some(le16(&self.read(inode, 118)?, 0)? << 32 | le32(&self.read(inode, 104)?, 0)?)
    }

    /// Bytes of the attribute in which an inode keeps its data (`struct ext4_xattr_entry`, `EXT4_XATTR_INDEX_SYSTEM`).
    pub(super) fn inline_data(&self, inode: u64) -> Option<u64> {
        let mut at = 128 + self.extra_size(inode)? + 4;
        while at + 16 <= self.inode_size {
            match self.read(inode, at)? {
                [4, 7, ..] => return le32(&self.read(inode, at + 8)?, 0),
                [0, 0, ..] => return None,
                [name, ..] => at += 16 + u64::from(name).next_multiple_of(4),
            }
        }
        None
    }

    /// Four bytes of an inode on the device.
    fn read(&self, inode: u64, at: u64) -> Option<[u8; 4]> {
        let device = std::fs::File::open(&self.device).ok()?;
        let read = |at: u64| -> Option<[u8; 4]> {
            let mut bytes = [0; 4];
            std::os::unix::fs::FileExt::read_exact_at(&device, &mut bytes, at).ok()?;
            Some(bytes)
        };
        let (group, number) = (inode.checked_sub(1)? / self.per_group, (inode - 1) % self.per_group);
        let (start, length) = self.descriptors;
        let descriptor = start + group * length;
        let low = u64::from(u32::from_le_bytes(read(descriptor + 8)?));
        let high = if length >= 64 { u64::from(u32::from_le_bytes(read(descriptor + 0x28)?)) } else { 0 };
        read((high << 32 | low) * self.block_size + number * self.inode_size + at)
    }
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
