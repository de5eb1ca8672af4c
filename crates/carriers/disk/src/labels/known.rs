//! The formats that storage is given to, with the marks that each one leaves and the source that says so.

use std::io;

use super::Storage;

/// A format and how it is recognised.
pub(super) struct Label {
    /// As `blkid` calls it.
    pub(super) name: &'static str,
    pub(super) there: fn(&Storage<'_>) -> io::Result<bool>,
}

/// Where a mark stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// So many bytes behind the beginning.
    Start(u64),
    /// So many bytes before the end.
    End(u64),
    /// So many bytes before the end, which is rounded down to a multiple of the first number.
    AlignedEnd(u64, u64),
}

/// Bytes at a place.
pub(super) struct Mark {
    pub(super) place: Place,
    pub(super) bytes: &'static [u8],
}

const fn at(at: u64, bytes: &'static [u8]) -> Mark {
    Mark { place: Place::Start(at), bytes }
}

const fn end(before: u64, bytes: &'static [u8]) -> Mark {
    Mark { place: Place::End(before), bytes }
}

/// A format with marks alone.
macro_rules! marked {
    ($name:literal: $($mark:expr),+) => {
        Label { name: $name, there: |storage| storage.has(&[$($mark),+]) }
    };
}

pub(super) const KNOWN: &[Label] = &[
    // LVM2, lib/label/label.h and lib/format_text/layout.h: a label in one of the first four sectors of 512 bytes.
    Label { name: "LVM2_member", there: lvm2 },
    // Linux, include/uapi/linux/raid/md_p.h; md(4): 1.1 at the beginning, 1.2 at 4 KiB, 1.0 8 KiB before the end,
    // 0.90 in the last whole 64 KiB but one, there in the byte order of its machine.
    Label { name: "linux_raid_member", there: md },
    // Intel Matrix Storage and SNIA DDF 2.0, section 5.4: anchors in the last sectors.
    marked!("isw_raid_member": end(1024, b"Intel Raid ISM Cfg Sig. ")),
    marked!("ddf_raid_member": end(512, b"\xde\x11\xde\x11"), end(257 << 9, b"\xde\x11\xde\x11")),
    // Linux, Documentation/filesystems/ext4/super.rst.
    Label { name: "ext4", there: ext },
    // XFS Algorithms & Data Structures, “Superblocks”; Linux, fs/xfs/libxfs/xfs_format.h.
    marked!("xfs": at(0, b"XFSB")),
    // btrfs on-disk format, “Superblock”: 64 KiB, magic at byte 64 of it.
    marked!("btrfs": at(65_600, b"_BHRfS_M")),
    // Linux, include/linux/swap.h: the last ten bytes of the first page, whatever the page's size; and what suspend to
    // disk puts there.
    Label { name: "swap", there: swap },
    // Linux, drivers/md/bcache/bcache_ondisk.h and fs/bcachefs/bcachefs_format.h: superblock at 4 KiB, magic behind
    // its checksum, offset and version.
    marked!("bcache": at(4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81")),
    marked!("bcachefs": at(4120, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef")),
    // ZFS On-Disk Specification, sections 1.2 and 1.3.4: four labels of 256 KiB, two at each end, the second half of
    // each full of uberblocks.
    Label { name: "zfs_member", there: zfs },
    // UEFI Specification 2.10, section 5.3.2: the second and the last block, of 512 or 4096 bytes.
    marked!("gpt": at(512, b"EFI PART"), at(4096, b"EFI PART"), end(512, b"EFI PART"), end(4096, b"EFI PART")),
    // UEFI Specification 2.10, section 5.2.1: a table of four partitions at the end of the first 512 bytes.
    Label { name: "dos", there: dos },
    // Apple, Inside Macintosh: Devices, “The Partition Map”.
    marked!("mac": at(512, b"PM\0\0")),
    // Microsoft FAT Specification, section 3; [MS-EXFAT], section 3.1; NTFS and BitLocker at the same place.
    marked!("vfat": at(82, b"FAT32   "), at(54, b"FAT16   "), at(54, b"FAT12   ")),
    marked!("exfat": at(3, b"EXFAT   ")),
    marked!("ntfs": at(3, b"NTFS    ")),
    marked!("BitLocker": at(3, b"-FVE-FS-")),
    marked!("ReFS": at(3, b"ReFS\0\0\0\0")),
    // ECMA-119, section 8.1, and ECMA-167, section 2/9.1: volume descriptors from sector 16 of 2048 bytes on.
    marked!("iso9660": at(32_769, b"CD001")),
    marked!("udf": at(32_769, b"BEA01"), at(34_817, b"NSR02"), at(34_817, b"NSR03")),
    // Apple TN1150, “Volume Header”: signature and version. Apple File System Reference, “nx_superblock_t”.
    marked!("hfsplus": at(1024, b"H+\0\x04"), at(1024, b"HX\0\x05")),
    marked!("apfs": at(32, b"NXSB")),
    // Linux, Documentation/filesystems/{f2fs,nilfs2}.rst and their headers in include/linux and include/uapi/linux.
    marked!("f2fs": at(1024, b"\x10\x20\xf5\xf2")),
    marked!("nilfs2": at(1024, b"\x02\0\0\0\0\0\x34\x34")),
    marked!("erofs": at(1024, b"\xe2\xe1\xf5\xe0")),
    marked!("squashfs": at(0, b"hsqs"), at(0, b"sqsh")),
    marked!("cramfs": at(0, b"\x45\x3d\xcd\x28"), at(0, b"\x28\xcd\x3d\x45")),
    marked!("romfs": at(0, b"-rom1fs-")),
    marked!("jfs": at(32_768, b"JFS1")),
    marked!("reiserfs": at(65_588, b"ReIsErFs"), at(65_588, b"ReIsEr2Fs"), at(65_588, b"ReIsEr3Fs")),
    marked!("reiser4": at(65_536, b"ReIsEr4")),
    // Linux, include/uapi/linux/gfs2_ondisk.h and fs/ocfs2/ocfs2_fs.h: superblocks at 64 KiB and in the third block.
    marked!("gfs2": at(65_536, b"\x01\x16\x19\x70")),
    marked!("ocfs2": at(1024, b"OCFSV2"), at(2048, b"OCFSV2"), at(4096, b"OCFSV2"), at(8192, b"OCFSV2")),
    // Ceph, src/os/bluestore/BlueStore.cc, `_write_bdev_label`.
    marked!("ceph_bluestore": at(0, b"bluestore block device")),
    // DRBD, drivers/block/drbd/drbd_main.c, `meta_data_on_disk`, of versions 8.4 and 9.
    marked!("drbd": drbd(b"\x83\x74\x02\x6b"), drbd(b"\x83\x74\x02\x6c"), drbd(b"\x83\x74\x02\x6d")),
    // Stratis Software Design, section 6.1: signature blocks behind the first and the eighth sector.
    marked!("stratis": at(516, b"!Stra0tis\x86\xff\x02^\x41rh"), at(4612, b"!Stra0tis\x86\xff\x02^\x41rh")),
    // Linux, drivers/md/dm-vdo/encodings.c; dm-integrity.c; cryptsetup's wiki, “DMVerity”, for verity.
    marked!("vdo": at(0, b"dmvdo001")),
    marked!("DM_integrity": at(0, b"integrt\0")),
    marked!("DM_verity_hash": at(0, b"verity\0\0")),
    // VMFS, as libvmfs documents it; UBI, Linux, drivers/mtd/ubi/ubi-media.h.
    marked!("VMFS_volume_member": at(1 << 20, b"\x0d\xd0\x01\xc0")),
    marked!("ubi": at(0, b"UBI#")),
    marked!("VMFS": at(2 << 20, b"\x5e\xf1\xab\x2f")),
    // Linux, include/linux/minix_fs.h and include/uapi/linux/magic.h.
    Label { name: "minix", there: minix },
    // Linux, fs/bfs/bfs.h (of SCO) and fs/befs/befs_fs_types.h (of BeOS), in either byte order.
    marked!("bfs": at(0, b"\xce\xfa\xad\x1b")),
    marked!("befs": at(544, b"1SFB"), at(544, b"BFS1"), at(32, b"1SFB"), at(32, b"BFS1")),
    // Linux, fs/ubifs/ubifs-media.h, fs/zonefs/zonefs.h, fs/hpfs/hpfs.h, fs/freevxfs/vxfs.h.
    marked!("ubifs": at(0, b"\x31\x18\x10\x06")),
    marked!("zonefs": at(0, b"SFOZ")),
    marked!("hpfs": at(8192, b"\x49\xe8\x95\xf9")),
    marked!("vxfs": at(1024, b"\xf5\xfc\x01\xa5"), at(8192, b"\xa5\x01\xfc\xf5")),
    // Linux, fs/ufs/ufs_fs.h: superblocks at 0, 8, 64 and 256 KiB.
    Label { name: "ufs", there: ufs },
    // Linux, fs/sysv/super.c: the last bytes of a superblock of 512 bytes, of which several places are known.
    Label { name: "sysv", there: sysv },
    marked!("xenix": at(2040, b"\x44\x55\x2b\0"), at(2040, b"\0\x2b\x55\x44")),
    // Inside Macintosh: Files, “Master Directory Blocks”.
    Label { name: "hfs", there: hfs },
    // LVM1, pv_disk_t, versions 1 and 2; Linux, drivers/md/dm-snap-persistent.c.
    marked!("LVM1_member": at(0, b"HM\x01\0"), at(0, b"HM\x02\0")),
    marked!("DM_snapshot_cow": at(0, b"SnAp")),
    // Oracle's ASMLib, oracleasm/manager.h; OCFS 1, ocfs_vol_disk_hdr.
    marked!("oracleasm": at(32, b"ORCLDISK")),
    marked!("ocfs": at(8, b"OracleCFS")),
    // DRBD Manage and DRBD Proxy; Novell Storage Services.
    marked!("drbdmanage_control_volume": at(4096, b"$DRBDMGR=q")),
    marked!("drbdproxy_datalog": at(0, b"DRBDdlh*")),
    marked!("nss": at(4096, b"SPB5")),
    // RAIDs of mainboards, as dmraid's lib/format/ataraid describes them: in the last sectors, but for hpt37x.
    marked!("lsi_mega_raid_member": end(512, b"$XIDE$")),
    marked!("nvidia_raid_member": end(1024, b"NVIDIA  ")),
    marked!("promise_fasttrack_raid_member": end(63 << 9, b"Promise Technology, Inc.")),
    marked!("hpt45x_raid_member": end(11 << 9, b"\xf3\x16\x78\x5a"), end(11 << 9, b"\xfd\x16\x78\x5a")),
    marked!("hpt37x_raid_member": at(4640, b"\xf0\x16\x78\x5a"), at(4640, b"\xfd\x16\x78\x5a")),
    // Linux, block/partitions/{sgi,aix}.c and include/linux/bsd_disklabel.h.
    marked!("sgi": at(0, b"\x0b\xe5\xa9\x41")),
    marked!("aix": at(0, b"\xc9\xc2\xd4\xc1")),
    marked!("bsd": at(512, b"\x57\x45\x56\x82"), at(64, b"\x57\x45\x56\x82")),
];

fn minix(storage: &Storage<'_>) -> io::Result<bool> {
    const OLD: [u16; 4] = [0x137f, 0x138f, 0x2468, 0x2478];
    let Some(block) = storage.bytes(Place::Start(1024), 26)? else { return Ok(false) };
    let number = |at: usize| block.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 2]);
    // Two bytes alone are there by accident once in a while; both maps have blocks too.
    let maps = |at: usize| number(at) != [0; 2] && number(at + 2) != [0; 2];
    let is = |at: usize, magic: u16| [magic.to_le_bytes(), magic.to_be_bytes()].contains(&number(at));
    Ok((maps(4) && OLD.iter().any(|&magic| is(16, magic))) || (maps(6) && is(24, 0x4d5a)))
}

fn ufs(storage: &Storage<'_>) -> io::Result<bool> {
    const MAGIC: [u32; 3] = [0x0001_1954, 0x1954_0119, 0x0009_5014];
    for block in [0, 8 << 10, 64 << 10, 256 << 10] {
        let found = storage.bytes(Place::Start(block + 1372), 4)?.unwrap_or_default();
        if MAGIC.iter().any(|magic| found == magic.to_le_bytes() || found == magic.to_be_bytes()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn sysv(storage: &Storage<'_>) -> io::Result<bool> {
    const MAGIC: u32 = 0xfd18_7e20;
    let block = |kib: u64| (kib << 10) + 1016;
    for place in [0, 9, 15, 18].map(block) {
        let found = storage.bytes(Place::Start(place), 4)?.unwrap_or_default();
        if found == MAGIC.to_le_bytes() || found == MAGIC.to_be_bytes() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn hfs(storage: &Storage<'_>) -> io::Result<bool> {
    let Some(block) = storage.bytes(Place::Start(1024), 24)? else { return Ok(false) };
    let (rest, size) = block.split_at(20);
    let size = size.iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
    // Allocation blocks are whole sectors.
    Ok(rest.starts_with(b"BD") && size > 0 && size.is_multiple_of(512))
}

/// The magic number is 60 bytes into the last whole 4 KiB.
const fn drbd(bytes: &'static [u8]) -> Mark {
    Mark { place: Place::AlignedEnd(4096, 4096 - 60), bytes }
}

fn lvm2(storage: &Storage<'_>) -> io::Result<bool> {
    for sector in 0..4 {
        let label = storage.bytes(Place::Start(sector * 512), 32)?.unwrap_or_default();
        if label.starts_with(b"LABELONE") && label.get(24..) == Some(b"LVM2 001") {
            return Ok(true);
        }
    }
    Ok(false)
}

fn md(storage: &Storage<'_>) -> io::Result<bool> {
    const MAGIC: u32 = 0xa92b_4efc;
    // Of metadata 1.x the number and its major version, both little-endian.
    const ONE: &[u8] = b"\xfc\x4e\x2b\xa9\x01\0\0\0";
    let last = Mark { place: Place::AlignedEnd(4096, 8192), bytes: ONE };
    if storage.has(&[at(0, ONE), at(4096, ONE), last])? {
        return Ok(true);
    }
    let old = storage.bytes(Place::AlignedEnd(65_536, 65_536), 8)?.unwrap_or_default();
    let (magic, major) = old.split_at_checked(4).unwrap_or_default();
    Ok((magic == MAGIC.to_le_bytes() || magic == MAGIC.to_be_bytes()) && major == [0; 4])
}

fn ext(storage: &Storage<'_>) -> io::Result<bool> {
    // Two bytes alone are there by accident once in a while; the size of blocks (1 to 64 KiB) and the revision fit too.
    Ok(storage.number::<2>(1080)? == Some(0xef53)
        && storage.number::<4>(1048)?.is_some_and(|exponent| exponent <= 6)
        && storage.number::<4>(1100)?.is_some_and(|revision| revision <= 1))
}

fn swap(storage: &Storage<'_>) -> io::Result<bool> {
    const MARKS: [&[u8]; 6] =
        [b"SWAPSPACE2", b"SWAP-SPACE", b"S1SUSPEND\0", b"S2SUSPEND\0", b"ULSUSPEND\0", b"LINHIB0001"];
    for page in [4096, 8192, 16_384, 32_768, 65_536] {
        let end = storage.bytes(Place::Start(page - 10), 10)?;
        if end.is_some_and(|end| MARKS.contains(&&end[..])) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn zfs(storage: &Storage<'_>) -> io::Result<bool> {
    const MAGIC: u64 = 0x00ba_b10c;
    const LABEL: u64 = 256 << 10;
    let halves = [
        Place::Start(LABEL / 2),
        Place::Start(LABEL + LABEL / 2),
        Place::AlignedEnd(LABEL, LABEL + LABEL / 2),
        Place::AlignedEnd(LABEL, LABEL / 2),
    ];
    for half in halves {
        let uberblocks = storage.bytes(half, (LABEL / 2) as usize)?.unwrap_or_default();
        let is =
            |block: &[u8]| block.starts_with(&MAGIC.to_le_bytes()) || block.starts_with(&MAGIC.to_be_bytes());
        // They have 1 KiB or more.
        if uberblocks.chunks(1024).any(is) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn dos(storage: &Storage<'_>) -> io::Result<bool> {
    let Some(table) = storage.bytes(Place::Start(446), 66)? else { return Ok(false) };
    let (entries, mark) = table.split_at(64);
    let mut some = false;
    for entry in entries.chunks(16) {
        // Active or not, of a type, and of some sectors.
        if !matches!(entry.first(), Some(0 | 0x80)) {
            return Ok(false);
        }
        let sectors = entry.get(12..).is_some_and(|sectors| sectors != [0; 4]);
        some |= entry.get(4) != Some(&0) && sectors;
    }
    Ok(some && mark == [0x55, 0xaa])
}
