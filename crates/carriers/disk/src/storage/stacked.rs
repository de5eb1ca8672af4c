//! File systems that show other file systems' files: the same bytes under another number, and often under another inode
//! (Linux, Documentation/filesystems/overlayfs.rst, "Inode properties").

use std::collections::HashMap;
use std::fs;

use rustix::fs::{Dev, FsWord, major, makedev};

/// Those without a block device whose files are nobody else's, by their names in proc(5)'s mountinfo. Those of networks and
/// of user space are not among them: they may lead back to this machine.
const OWN_FILES: [&str; 8] = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "btrfs", "bcachefs", "ubifs", "zfs"];

/// The same by statfs(2), of those whose files have numbers that stand in no mountinfo (subvolumes of btrfs), or that may be
/// mounted elsewhere (Linux, include/uapi/linux/magic.h).
const OWN_FILES_BY_MAGIC: [u32; 3] = [0x9123_683e, 0x0102_1994, 0x8584_58f6];

/// Inodes of an overlay may have the number of the layer in the bits above (`xino`).
const INODE_OF_LAYER: u64 = (1 << 48) - 1;

/// A file by its numbers, and by the kind of its file system where that could be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    pub(super) system: Dev,
    pub(super) inode: u64,
    /// `f_type` of statfs(2).
    pub(super) magic: Option<FsWord>,
}

pub(super) struct Mounts {
    /// Whether a file system of this number has its own files only.
    known: HashMap<Dev, bool>,
}

impl Mounts {
    pub(super) fn here() -> Mounts {
        Mounts::read(&fs::read("/proc/self/mountinfo").unwrap_or_default())
    }

    /// proc(5): the third word is the number, and behind a hyphen of its own stands the type.
    fn read(text: &[u8]) -> Mounts {
        let text = String::from_utf8_lossy(text);
        let entry = |line: &str| {
            let (front, behind) = line.split_once(" - ")?;
            let (major, minor) = front.split(' ').nth(2)?.split_once(':')?;
            let number = makedev(major.parse().ok()?, minor.parse().ok()?);
            Some((number, OWN_FILES.contains(&behind.split(' ').next()?)))
        };
        Mounts { known: text.lines().filter_map(entry).collect() }
    }

    /// Whether it may be another file system's file. One without a block device that nobody knows may be an overlay's: over
    /// several file systems it has numbers that stand nowhere, and it may be mounted elsewhere, or no longer.
    fn may_be_anothers(&self, file: Numbered) -> bool {
        let is_own = |magic: FsWord| OWN_FILES_BY_MAGIC.contains(&(magic as u32));
        major(file.system) == 0
            && !file.magic.is_some_and(is_own)
            && !self.known.get(&file.system).copied().unwrap_or(false)
    }

    /// Whether two files of different file systems may be one, shown by the one or the other. Inodes tell that where they
    /// are the layer's; where they are not (a file copied up, a network), `fits` does: whether the lengths agree.
    pub(super) fn may_be_one(&self, one: Numbered, other: Numbered, fits: bool) -> bool {
        one.system != other.system
            && (fits || one.inode & INODE_OF_LAYER == other.inode & INODE_OF_LAYER)
            && [one, other].into_iter().any(|file| self.may_be_anothers(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(system: Dev, inode: u64) -> Numbered {
        Numbered { system, inode, magic: None }
    }

    #[test]
    fn only_some_file_systems_show_files_of_others() {
        let mounts = Mounts::read(
            b"22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n\
              30 22 0:41 / /o rw - tmpfs t rw\n\
              31 22 0:42 / /m rw shared:7 master:2 - overlay o rw,lowerdir=/o/l\n\
              32 22 0:43 / /n rw - nfs4 localhost:/ rw\n\
              nonsense\n",
        );
        let (disk, tmpfs, unknown) = (makedev(254, 1), makedev(0, 41), makedev(0, 99));
        for stacked in [makedev(0, 42), makedev(0, 43), unknown] {
            for layer in [disk, tmpfs] {
                assert!(mounts.may_be_one(file(layer, 7), file(stacked, 7), false));
                assert!(mounts.may_be_one(file(stacked, 8), file(layer, 7), true));
                assert!(mounts.may_be_one(file(stacked, 7 | 1 << 50), file(layer, 7), false));
                assert!(!mounts.may_be_one(file(stacked, 8), file(layer, 7), false));
            }
            assert!(
                !mounts.may_be_one(file(stacked, 7), file(stacked, 7), true),
                "told apart by inodes alone"
            );
        }
        assert!(!mounts.may_be_one(file(tmpfs, 7), file(disk, 7), true));
        let subvolume = Numbered { magic: Some(0x9123_683e), ..file(unknown, 7) };
        assert!(!mounts.may_be_one(subvolume, file(disk, 7), true));
        assert!(mounts.may_be_one(subvolume, file(makedev(0, 42), 7), true));
    }
}
