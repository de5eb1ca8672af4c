//! Labels of other formats on a file or device, found as `blkid` finds them.
//!
//! One header of LUKS may survive when a device is given to LVM, to a RAID or to a file system. Whoever mends the
//! other header then destroys what is there today. So before anything is done with a container of which one header is
//! missing, its storage is searched for the marks that other formats leave where their specifications say.
//! A table of our own, since bindings of libblkid need a C library beyond the compiler.

mod fits;
mod known;

use std::fs::File;
use std::io;
use std::path::Path;

use known::KNOWN;

use crate::error::{Error, Result};
use crate::file;

/// Whether the rest fits where a mark is found; see [`fits`].
type Fits = fn(&Storage<'_>, u64) -> io::Result<bool>;

/// A format and how it is recognised: by any of its marks where the rest fits, and by the rest alone where it has none.
struct Label {
    /// As `blkid` calls it.
    name: &'static str,
    marks: &'static [Mark],
    fits: Option<Fits>,
}

/// Any of these words at any of these places.
struct Mark {
    places: &'static [Place],
    words: &'static [&'static [u8]],
}

#[derive(Clone, Copy)]
enum Place {
    Start(u64),
    /// So many bytes before the end.
    End(u64),
    /// So many bytes before the end, which is rounded down to a multiple of the first number.
    AlignedEnd(u64, u64),
}

/// The names, as `blkid` has them, of the formats other than LUKS of which a mark is there.
pub(crate) fn find(file: &File, path: &Path) -> Result<Vec<&'static str>> {
    let storage = Storage { file, size: file::size(file, path)? };
    let mut found = Vec::new();
    for label in KNOWN {
        let there = label.is_on(&storage).map_err(Error::io(path, "look for other formats' labels on"))?;
        if there {
            found.push(label.name);
        }
    }
    Ok(found)
}

impl Label {
    fn is_on(&self, storage: &Storage<'_>) -> io::Result<bool> {
        let fits = |at| self.fits.map_or(Ok(true), |fits| fits(storage, at));
        for mark in self.marks {
            for &place in mark.places {
                for word in mark.words {
                    if storage.bytes(place, word.len())?.as_deref() == Some(*word)
                        && fits(storage.at(place).unwrap_or(0))?
                    {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(self.marks.is_empty() && fits(0)?)
    }
}

struct Storage<'a> {
    file: &'a File,
    size: u64,
}

impl Storage<'_> {
    /// A place's distance from the beginning; none if the storage begins behind it.
    fn at(&self, place: Place) -> Option<u64> {
        match place {
            Place::Start(at) => Some(at),
            Place::End(before) => self.size.checked_sub(before),
            Place::AlignedEnd(align, before) => (self.size - self.size % align).checked_sub(before),
        }
    }

    /// Bytes at a place; none if the storage ends before them.
    fn bytes(&self, place: Place, length: usize) -> io::Result<Option<Vec<u8>>> {
        let ends = |at: u64| at.checked_add(length as u64).is_some_and(|end| end <= self.size);
        let Some(at) = self.at(place).filter(|&at| ends(at)) else { return Ok(None) };
        let mut bytes = vec![0; length];
        std::os::unix::fs::FileExt::read_exact_at(self.file, &mut bytes, at)?;
        Ok(Some(bytes))
    }

    /// A little-endian number at a byte from the beginning.
    fn number<const N: usize>(&self, at: u64) -> io::Result<Option<u64>> {
        let bytes = self.bytes(Place::Start(at), N)?;
        Ok(bytes.map(|bytes| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))))
    }

    fn big<const N: usize>(&self, at: u64) -> io::Result<Option<u64>> {
        let bytes = self.bytes(Place::Start(at), N)?;
        Ok(bytes.map(|bytes| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))))
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
            ("promise_fasttrack_raid_member", end - 3087 * 512, b"Promise Technology, Inc."),
            ("linux_raid_member", end - 65_536, b"\xa9\x2b\x4e\xfc\0\0\0\0"),
            ("swsuspend", 4086, b"S1SUSPEND\0"),
            ("swsuspend", 0, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"),
            ("bcachefs", (2 << 20) + 24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
            (
                "bcachefs",
                end - (1 << 20) + 24,
                b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
            ),
            ("xfs_external_log", 1024, b"\xfe\xed\xba\xbe\0\0\0\x01\0\0\0\x02"),
            ("iso9660", 32_777, b"CDROM"),
            ("udf", 32_769, b"BEA01"),
            ("udf", 34_817, b"NSR03"),
            ("cs_fvault2", 88, b"CS\x01\0\0\0"),
            ("nilfs2", end - 4096, b"\x02\0\0\0\0\0\x34\x34"),
            ("reiserfs", 8244, b"ReIsErFs"),
            ("ocfs", 8, b"OracleCFS"),
            ("ocfs", 8192, b"OracleCFS"),
            ("drbd", end - 4036, b"\x83\x74\x02\x6d"),
            ("drbdmanage_control_volume", 0, b"$DRBDmgr=q"),
            ("hpfs", 8192, b"\x49\xe8\x95\xf9"),
            ("ufs", 1372, b"\x05\x23\x19\x94"),
            ("xenix", 2048, b"\x2b\x55\x44"),
            ("mpool", 0, b"mpoolDev"),
            ("scoutfs", 65_540, b"\x8b\x42\x3c\x10"),
            ("exfs", 0, b"EXFS"),
            ("hpt45x_raid_member", end - 11 * 512, b"\xf3\x16\x78\x5a"),
            ("adaptec_raid_member", end - 512, b"\x37\xfc\x4d\x1e"),
            ("bsd", 128, b"\x57\x45\x56\x82"),
            ("solaris", 524, b"\xee\xde\x0d\x60"),
            ("ultrix", 16_312, b"\x57\x29\x03\0\x01\0\0\0"),
            ("dasd", 1028, b"\xe5\xd6\xd3\xf1"),
            ("dasd", 8192, b"\xd3\xd5\xe7\xf1"),
        ] {
            assert_eq!(names(&[(at, mark)]), [name], "{name} at {at}");
        }
    }

    #[test]
    fn short_marks_need_more() {
        let end = SIZE;
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
        let boot = b"\xeb\x3c\x90somename\0\x02\x04\x01\0\x02\0\x02\0\0\xf8";
        assert_eq!(names(&[(0, boot), (510, b"\x55\xaa")]), ["vfat"], "without the name of its kind");
        assert!(names(&[(0, boot)]).is_empty(), "no end of a boot sector");
        assert!(names(&[(0, boot), (54, b"HPFS    "), (510, b"\x55\xaa")]).is_empty(), "OS/2's");
        assert_eq!(names(&[(0, b"ER\x08\0"), (2048, b"PM\0\0")]), ["mac"]);
        assert!(names(&[(0, b"ER\x02\0"), (2048, b"PM\0\0")]).is_empty(), "no map where it should be");
        assert_eq!(names(&[(0, b"\xda\xbe"), (508, b"\xda\xbe")]), ["sun"]);
        assert!(names(&[(508, b"\xda\xbe")]).is_empty(), "a wrong sum");
        let atari = b"\0\0\x10\0\x01GEM\0\0\0\x02\0\0\x01\0";
        assert_eq!(names(&[(450, atari)]), ["atari"]);
        assert!(names(&[(450, &[&atari[..8], &[0; 8]].concat())]).is_empty(), "an empty partition");
        assert_eq!(names(&[(end - 512, b"JM\xb6\xb2")]), ["jmicron_raid_member"]);
        assert!(names(&[(end - 512, b"JM")]).is_empty(), "a wrong sum");
        let silicon: [(u64, &[u8]); 2] = [(end - 512 + 0x60, b"\0\0\0\x2f"), (end - 512 + 0x13e, b"\0\xd1")];
        assert_eq!(names(&silicon), ["silicon_medley_raid_member"]);
        assert!(names(&silicon[..1]).is_empty(), "a wrong sum");
        assert_eq!(names(&[(end - 512, b"\x55\xaa\x01"), (end - 462, b"\0")]), ["via_raid_member"]);
        assert!(names(&[(end - 512, b"\x55\xaa\x01\x01")]).is_empty(), "a wrong sum");
    }

    /// A header as a partitioner leaves it, in sectors of so many bytes.
    fn gpt(at: u64, sector: u64) -> Vec<u8> {
        let mut header = b"EFI PART\0\0\x01\0\x5c\0\0\0\0\0\0\0\0\0\0\0".to_vec();
        header.extend((at / sector).to_le_bytes());
        header.extend([7; 60]);
        let sum = fits::crc32(&header).to_le_bytes();
        header[16..20].copy_from_slice(&sum);
        header
    }

    /// As `wipefs` has it (util-linux 2.38): the eight letters alone are a part of anything.
    #[test]
    fn a_partition_table_is_one_with_its_checksum_and_in_its_place() {
        assert_eq!(fits::crc32(b"123456789"), 0xcbf4_3926);
        let end = SIZE;
        for (at, sector) in [(512, 512), (4096, 4096), (end - 512, 512), (end - 4096, 4096)] {
            let header = gpt(at, sector);
            assert_eq!(names(&[(at, &header)]), ["gpt"], "{at}");
            assert!(names(&[(at, &header[..8])]).is_empty(), "{at}: without the rest");
            for damaged in [16, 24, 91] {
                let mut header = header.clone();
                header[damaged] ^= 1;
                assert!(names(&[(at, &header)]).is_empty(), "{at}: byte {damaged}");
            }
            // What a copy of another disk left there is of another place.
            assert!(names(&[(at, &gpt(at + 4096, sector))]).is_empty(), "{at}: elsewhere");
        }
    }

    /// What is encrypted is no label of anything: no mark alone is so short that noise has it now and then.
    #[test]
    fn noise_has_no_labels() {
        for mark in KNOWN.iter().filter(|label| label.fits.is_none()) {
            for word in mark.marks.iter().flat_map(|mark| mark.words) {
                assert!(word.len() >= 3, "{}", mark.name);
            }
        }
        let mut names: Vec<&str> = KNOWN.iter().map(|label| label.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "each format once");
    }
}
