//! Files that an overlay shows: the same bytes under another file system's number, with the inode of the layer that they lie in
//! (Linux, Documentation/filesystems/overlayfs.rst, "Inode properties").

use std::collections::HashMap;
use std::fs;

use rustix::fs::{Dev, major, makedev};

/// What is mounted here, as far as it tells overlays.
pub(super) struct Mounts {
    /// Whether a file system of this number is an overlay.
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
            Some((number, behind.split(' ').next() == Some("overlay")))
        };
        Mounts { known: text.lines().filter_map(entry).collect() }
    }

    /// Whether files of this number may be an overlay's. One over several file systems has numbers that stand nowhere.
    fn may_be_overlay(&self, number: Dev) -> bool {
        let any = || self.known.values().any(|is_overlay| *is_overlay);
        major(number) == 0 && self.known.get(&number).copied().unwrap_or_else(any)
    }

    /// Whether two files, each by the number of its file system and its own, may be one through an overlay.
    pub(super) fn may_be_one(&self, one: (Dev, u64), other: (Dev, u64)) -> bool {
        one.0 != other.0
            && one.1 == other.1
            && [one.0, other.0].into_iter().any(|number| self.may_be_overlay(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_overlays_show_files_of_others() {
        let mounts = Mounts::read(
            b"22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n\
              30 22 0:41 / /o rw - tmpfs t rw\n\
              31 22 0:42 / /m rw shared:7 master:2 - overlay o rw,lowerdir=/o/l\n\
              nonsense\n",
        );
        let (disk, tmpfs, overlay, unknown) =
            (makedev(254, 1), makedev(0, 41), makedev(0, 42), makedev(0, 99));
        assert!(mounts.may_be_one((tmpfs, 7), (overlay, 7)) && mounts.may_be_one((overlay, 7), (disk, 7)));
        assert!(mounts.may_be_one((unknown, 7), (disk, 7)));
        assert!(!mounts.may_be_one((overlay, 7), (tmpfs, 8)));
        assert!(!mounts.may_be_one((tmpfs, 7), (disk, 7)));
        let none = Mounts::read(b"22 1 254:1 / / rw - ext4 /dev/vda1 rw\n");
        assert!(!none.may_be_one((unknown, 7), (disk, 7)));
    }
}
