//! Labels of other formats on a file or device, found as `blkid` finds them.
//!
//! One header of LUKS may survive when a device is given to LVM, to a RAID or to a file system. Whoever mends the
//! other header then destroys what is there today. So before anything is done with a container of which one header is
//! missing, its storage is searched for the marks that other formats leave where their specifications say.

mod known;

use std::fs::File;
use std::io;
use std::path::Path;

use known::{KNOWN, Mark, Place};

use crate::error::{Error, Result};
use crate::file;

/// The names, as `blkid` has them, of the formats other than LUKS of which a mark is there.
pub(crate) fn find(file: &File, path: &Path) -> Result<Vec<&'static str>> {
    let storage = Storage { file, size: file::size(file, path)? };
    let mut found = Vec::new();
    for label in KNOWN {
        let there =
            (label.there)(&storage).map_err(Error::io(path, "looking for labels of other formats"))?;
        if there && !found.contains(&label.name) {
            found.push(label.name);
        }
    }
    Ok(found)
}

/// What the marks are searched in.
struct Storage<'a> {
    file: &'a File,
    size: u64,
}

impl Storage<'_> {
    /// Whether one of the marks is there.
    fn has(&self, marks: &[Mark]) -> io::Result<bool> {
        for mark in marks {
            if self.bytes(mark.place, mark.bytes.len())?.as_deref() == Some(mark.bytes) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Bytes at a place; none if the file ends before, or begins behind.
    fn bytes(&self, place: Place, length: usize) -> io::Result<Option<Vec<u8>>> {
        let at = match place {
            Place::Start(at) => Some(at),
            Place::End(before) => self.size.checked_sub(before),
            Place::AlignedEnd(align, before) => (self.size - self.size % align).checked_sub(before),
        };
        let Some(at) = at.filter(|at| at.checked_add(length as u64).is_some_and(|end| end <= self.size))
        else {
            return Ok(None);
        };
        let mut bytes = vec![0; length];
        std::os::unix::fs::FileExt::read_exact_at(self.file, &mut bytes, at)?;
        Ok(Some(bytes))
    }

    /// A little-endian number at a byte from the beginning.
    fn number<const N: usize>(&self, at: u64) -> io::Result<Option<u64>> {
        let bytes = self.bytes(Place::Start(at), N)?;
        Ok(bytes.map(|bytes| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    const SIZE: u64 = 18 << 20;

    fn names(marks: &[(u64, &[u8])]) -> Vec<&'static str> {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        marks.iter().for_each(|(at, bytes)| file.write_all_at(bytes, *at).unwrap());
        find(&file, Path::new("test")).unwrap()
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        assert!(names(&[]).is_empty());
        // The magic bytes of LUKS are none of another format.
        assert!(names(&[(0, b"LUKS\xba\xbe\0\x02"), (16_384, b"SKUL\xba\xbe\0\x02")]).is_empty());
        let empty = tempfile::tempfile().unwrap();
        assert!(find(&empty, Path::new("test")).unwrap().is_empty());
    }

    #[test]
    fn marks_are_found_where_the_specifications_say() {
        let end = SIZE;
        for (name, at, mark) in [
            ("LVM2_member", 512, &b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001"[..]),
            ("linux_raid_member", 4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
            ("linux_raid_member", end - 8192, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
            ("linux_raid_member", end - 65_536, b"\xfc\x4e\x2b\xa9\0\0\0\0"),
            ("xfs", 0, b"XFSB"),
            ("btrfs", 65_600, b"_BHRfS_M"),
            ("swap", 4086, b"SWAPSPACE2"),
            ("swap", 65_526, b"SWAPSPACE2"),
            ("bcache", 4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
            ("gpt", 512, b"EFI PART"),
            ("gpt", end - 512, b"EFI PART"),
            ("squashfs", 0, b"hsqs"),
            ("ntfs", 3, b"NTFS    "),
            ("iso9660", 32_769, b"CD001"),
            ("zfs_member", 131_072, b"\x0c\xb1\xba\0\0\0\0\0"),
            ("zfs_member", end - 131_072, b"\0\0\0\0\0\xba\xb1\x0c"),
            ("ceph_bluestore", 0, b"bluestore block device"),
            ("f2fs", 1024, b"\x10\x20\xf5\xf2"),
            ("stratis", 516, b"!Stra0tis\x86\xff\x02^\x41rh"),
            ("DM_integrity", 0, b"integrt\0"),
            ("VMFS_volume_member", 1 << 20, b"\x0d\xd0\x01\xc0"),
            ("VMFS", 2 << 20, b"\x5e\xf1\xab\x2f"),
            ("bfs", 0, b"\xce\xfa\xad\x1b"),
            ("befs", 544, b"1SFB"),
            ("ufs", 9564, b"\x19\x01\x54\x19"),
            ("sysv", 1016, b"\x20\x7e\x18\xfd"),
            ("xenix", 2040, b"\x44\x55\x2b\0"),
            ("hfs", 1024, b"BD\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0"),
            ("LVM1_member", 0, b"HM\x02\0"),
            ("DM_snapshot_cow", 0, b"SnAp"),
            ("vxfs", 1024, b"\xf5\xfc\x01\xa5"),
            ("nvidia_raid_member", end - 1024, b"NVIDIA  "),
            ("promise_fasttrack_raid_member", end - 63 * 512, b"Promise Technology, Inc."),
        ] {
            assert_eq!(names(&[(at, mark)]), [name], "{name} at {at}");
        }
        // These have marks of two bytes, and more that must fit.
        assert_eq!(names(&[(1080, b"\x53\xef"), (1100, b"\x01\0\0\0")]), ["ext4"]);
        assert!(names(&[(1080, b"\x53\xef"), (1100, b"\x55\x55\x55\x55")]).is_empty());
        for magic in [0x137f_u16, 0x138f, 0x2468, 0x2478] {
            assert_eq!(
                names(&[(1028, b"\x01\0\x01\0"), (1040, &magic.to_le_bytes())]),
                ["minix"],
                "{magic:x}"
            );
        }
        assert_eq!(names(&[(1030, b"\x01\0\x01\0"), (1048, b"\x5a\x4d")]), ["minix"]);
        assert!(names(&[(1040, b"\x7f\x13")]).is_empty(), "without maps");
        let entry = b"\x80\0\0\0\x83\0\0\0\0\x08\0\0\0\x10\0\0";
        assert_eq!(names(&[(446, entry), (510, b"\x55\xaa")]), ["dos"]);
        assert!(names(&[(510, b"\x55\xaa")]).is_empty(), "a table without a partition");
        assert!(names(&[(446, &[0x55; 64]), (510, b"\x55\xaa")]).is_empty(), "no table");
    }
}
