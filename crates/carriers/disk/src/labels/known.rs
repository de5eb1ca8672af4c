//! The formats that storage is given to, with the marks that each one leaves and the source that says so.
//!
//! Where `blkid` (libblkid of util-linux) looks elsewhere than the format's own source says, both places
//! are here. Made from the sources alone, the table missed many places, and one of its marks was wrong.

use super::Place::{AlignedEnd, End, Start};
use super::fits;
use super::{Label, Mark};

/// A label: `name: [places] words`, any of the words at any of the places; several of these, any of which will do; and
/// then what else has to fit where such a mark is found.
macro_rules! label {
    ($name:literal: $([$($place:expr),+ $(,)?] $($word:literal)+),+ $(; $fits:path)?) => {
        Label {
            name: $name,
            marks: &[$(Mark { places: &[$($place),+], words: &[$($word),+] }),+],
            fits: label!(@fits $($fits)?),
        }
    };
    (@fits) => { None };
    (@fits $fits:path) => { Some($fits) };
}

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;

/// The last sector of 512 bytes but so many.
const fn sector_from_end(sectors: u64) -> super::Place {
    AlignedEnd(512, 512 * sectors)
}

pub(super) const KNOWN: &[Label] = &[
    // LVM2, lib/label/label.h and lib/format_text/layout.h: a label in one of the first four sectors of 512 bytes.
    label!("LVM2_member": [Start(0x18), Start(0x218), Start(0x418), Start(0x618)] b"LVM2 001"; fits::lvm2),
    // Linux, include/uapi/linux/raid/md_p.h; md(4): 1.1 at the beginning, 1.2 at 4 KiB, 1.0 8 KiB before the end, each
    // with its major version, 0.90 in the last whole 64 KiB but one, there in the byte order of its machine.
    label!("linux_raid_member":
        [Start(0), Start(4 * K), AlignedEnd(4 * K, 8 * K)] b"\xfc\x4e\x2b\xa9\x01\0\0\0",
        [AlignedEnd(64 * K, 64 * K)] b"\xfc\x4e\x2b\xa9\0\0\0\0" b"\xa9\x2b\x4e\xfc\0\0\0\0"),
    // Intel Matrix Storage and SNIA DDF 2.0, section 5.4: anchors in the last sectors.
    label!("isw_raid_member": [sector_from_end(2)] b"Intel Raid ISM Cfg Sig. "),
    label!("ddf_raid_member": [sector_from_end(1), sector_from_end(257)] b"\xde\x11\xde\x11"),
    // Linux, Documentation/filesystems/ext4/super.rst.
    label!("ext4": [Start(1080)] b"\x53\xef"; fits::ext),
    // XFS Algorithms & Data Structures, “Superblocks”; Linux, fs/xfs/libxfs/xfs_format.h and xfs_log_format.h.
    label!("xfs": [Start(0)] b"XFSB"),
    Label { name: "xfs_external_log", marks: &[], fits: Some(fits::xfs_log) },
    // btrfs on-disk format, “Superblock”: 64 KiB, magic at byte 64 of it.
    label!("btrfs": [Start(64 * K + 64)] b"_BHRfS_M"),
    // Linux, include/linux/swap.h: the last ten bytes of the first page, whatever the page's size; kernel/power/swap.c
    // and others: what suspending to disk puts there. TuxOnIce has its own at the beginning.
    label!("swap": [Start(4086), Start(8182), Start(16_374), Start(32_758), Start(65_526)] b"SWAPSPACE2" b"SWAP-SPACE"),
    label!("swsuspend":
        [Start(4086), Start(8182), Start(16_374), Start(32_758), Start(65_526)]
            b"S1SUSPEND" b"S2SUSPEND" b"ULSUSPEND" b"LINHIB0001",
        [Start(0)] b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"),
    // Linux, drivers/md/bcache/bcache_ondisk.h and fs/bcachefs/bcachefs_format.h: superblock at 4 KiB, magic behind
    // its checksum, offset and version; of bcachefs others at 2 MiB and 1 MiB before the end.
    label!("bcache": [Start(4120)] b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    label!("bcachefs":
        [Start(4120), Start(2 * M + 24), End(M - 24)]
            b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
    // ZFS On-Disk Specification, sections 1.2 and 1.3.4: four labels of 256 KiB, two at each end, the second half of
    // each full of uberblocks.
    Label { name: "zfs_member", marks: &[], fits: Some(fits::zfs) },
    // UEFI Specification 2.10, section 5.3.2: the second and the last block, of 512 or 4096 bytes.
    label!("gpt": [Start(512), Start(4096), End(512), End(4096)] b"EFI PART"; fits::gpt),
    // UEFI Specification 2.10, section 5.2.1: a table of four partitions at the end of the first 512 bytes.
    label!("dos": [Start(510)] b"\x55\xaa"; fits::dos),
    // Apple, Inside Macintosh: Devices, “The Partition Map”: a driver descriptor, then a map from its second block on.
    label!("mac": [Start(0)] b"ER"; fits::mac),
    // Microsoft FAT Specification, section 3; [MS-EXFAT], section 3.1; NTFS and BitLocker at the same place.
    label!("vfat":
        [Start(82)] b"FAT32   " b"MSWIN",
        [Start(54)] b"FAT16   " b"FAT12   " b"FAT     " b"MSDOS",
        [Start(510)] b"\x55\xaa"; fits::fat),
    label!("exfat": [Start(3)] b"EXFAT   "),
    label!("ntfs": [Start(3)] b"NTFS    "),
    label!("BitLocker": [Start(3)] b"-FVE-FS-"),
    label!("ReFS": [Start(3)] b"ReFS\0"),
    // ECMA-119, section 8.1, High Sierra, and ECMA-167, section 2/9.1: volume descriptors from 32 KiB on.
    label!("iso9660": [Start(32_769)] b"CD001", [Start(32_777)] b"CDROM"),
    label!("udf":
        [Start(32_769)] b"BEA01",
        [Start(32_769), Start(34_817), Start(36_865), Start(40_961)] b"NSR02" b"NSR03"),
    // Apple TN1150, “Volume Header”: signature and version. Inside Macintosh: Files, “Master Directory Blocks”. Apple
    // File System Reference, “nx_superblock_t”.
    label!("hfsplus": [Start(1024)] b"H+\0\x04" b"HX\0\x05"),
    label!("hfs": [Start(1024)] b"BD"; fits::hfs),
    label!("apfs": [Start(32)] b"NXSB"),
    // libfvde, “Core Storage format”: the physical volume header.
    label!("cs_fvault2": [Start(88)] b"CS\x01\0\0\0"),
    // Linux, Documentation/filesystems/{f2fs,nilfs2}.rst and their headers in include/linux and include/uapi/linux.
    label!("f2fs": [Start(1024)] b"\x10\x20\xf5\xf2"),
    label!("nilfs2": [Start(1024), sector_from_end(8)] b"\x02\0\0\0\0\0\x34\x34"),
    label!("erofs": [Start(1024)] b"\xe2\xe1\xf5\xe0"),
    label!("squashfs": [Start(0)] b"hsqs" b"sqsh"),
    label!("cramfs": [Start(0)] b"\x45\x3d\xcd\x28" b"\x28\xcd\x3d\x45"),
    label!("romfs": [Start(0)] b"-rom1fs-"),
    label!("jfs": [Start(32_768)] b"JFS1"),
    // Linux 6.12, fs/reiserfs/reiserfs.h: at 64 KiB, at 8 KiB of old ones.
    label!("reiserfs":
        [Start(64 * K + 52)] b"ReIsErFs" b"ReIsEr2Fs" b"ReIsEr3Fs",
        [Start(8 * K + 52), Start(8 * K + 20)] b"ReIsErFs"),
    label!("reiser4": [Start(64 * K)] b"ReIsEr4"),
    // Linux, include/uapi/linux/gfs2_ondisk.h and fs/ocfs2/ocfs2_fs.h: superblocks at 64 KiB and in the third block.
    label!("gfs2": [Start(64 * K)] b"\x01\x16\x19\x70"),
    label!("ocfs2": [Start(1024), Start(2048), Start(4096), Start(8192)] b"OCFSV2"),
    // OCFS 1: `signature` of its `ocfs_vol_disk_hdr` in sector 0; at 8 KiB for blkid. Oracle's ASMLib, oracleasm/manager.h.
    label!("ocfs": [Start(8), Start(8192)] b"OracleCFS"),
    label!("oracleasm": [Start(32)] b"ORCLDISK"),
    // Ceph, src/os/bluestore/BlueStore.cc, `_write_bdev_label`.
    label!("ceph_bluestore": [Start(0)] b"bluestore block device"),
    // DRBD, drivers/block/drbd/drbd_main.c, `meta_data_on_disk`, of versions 8.4 and 9: 60 bytes into the last whole
    // 4 KiB, for blkid 4 KiB before the end. DRBD Manage and DRBD Proxy.
    label!("drbd": [AlignedEnd(4096, 4096 - 60), End(4096 - 60)] b"\x83\x74\x02\x6b" b"\x83\x74\x02\x6c" b"\x83\x74\x02\x6d"),
    label!("drbdmanage_control_volume": [Start(0)] b"$DRBDmgr=q"),
    label!("drbdproxy_datalog": [Start(0)] b"DRBDdlh*"),
    // Stratis Software Design, section 6.1: signature blocks behind the first and the eighth sector.
    label!("stratis": [Start(516), Start(4612)] b"!Stra0tis\x86\xff\x02^\x41rh"),
    // Linux, drivers/md/dm-vdo/encodings.c; dm-integrity.c; dm-snap-persistent.c; cryptsetup's wiki, “DMVerity”.
    label!("vdo": [Start(0)] b"dmvdo001"),
    label!("DM_integrity": [Start(0)] b"integrt\0"),
    label!("DM_snapshot_cow": [Start(0)] b"SnAp"),
    label!("DM_verity_hash": [Start(0)] b"verity\0\0"),
    // LVM1, pv_disk_t, versions 1 and 2.
    label!("LVM1_member": [Start(0)] b"HM\x01\0" b"HM\x02\0"),
    // VMFS, as libvmfs documents it; UBI, Linux, drivers/mtd/ubi/ubi-media.h.
    label!("VMFS_volume_member": [Start(M)] b"\x0d\xd0\x01\xc0"),
    label!("VMFS": [Start(2 * M)] b"\x5e\xf1\xab\x2f"),
    label!("ubi": [Start(0)] b"UBI#"),
    // Linux, include/linux/minix_fs.h and include/uapi/linux/magic.h: of versions 1 and 2, and of version 3.
    label!("minix":
        [Start(1040)]
            b"\x7f\x13" b"\x8f\x13" b"\x68\x24" b"\x78\x24" b"\x13\x7f" b"\x13\x8f" b"\x24\x68" b"\x24\x78",
        [Start(1048)] b"\x5a\x4d" b"\x4d\x5a"; fits::minix),
    // Linux, fs/bfs/bfs.h (of SCO) and fs/befs/befs_fs_types.h (of BeOS), in either byte order.
    label!("bfs": [Start(0)] b"\xce\xfa\xad\x1b"),
    label!("befs": [Start(544), Start(32)] b"1SFB" b"BFS1"),
    // Linux, fs/ubifs/ubifs-media.h, fs/zonefs/zonefs.h, fs/hpfs/hpfs.h, fs/freevxfs/vxfs.h.
    label!("ubifs": [Start(0)] b"\x31\x18\x10\x06"),
    label!("zonefs": [Start(0)] b"SFOZ"),
    label!("hpfs": [Start(8192)] b"\x49\xe8\x95\xf9"),
    label!("vxfs": [Start(1024)] b"\xf5\xfc\x01\xa5", [Start(8192)] b"\xa5\x01\xfc\xf5"),
    // Linux, fs/ufs/ufs_fs.h: superblocks at 0, 8, 64 and 256 KiB; 0x11954, 0x19540119, 0x95014, 0x195612, 0x612195 and
    // 0x5231994, in either byte order.
    label!("ufs":
        [Start(1372), Start(8 * K + 1372), Start(64 * K + 1372), Start(256 * K + 1372)]
            b"\x54\x19\x01\0" b"\0\x01\x19\x54" b"\x19\x01\x54\x19" b"\x19\x54\x01\x19"
            b"\x14\x50\x09\0" b"\0\x09\x50\x14" b"\x12\x56\x19\0" b"\0\x19\x56\x12"
            b"\x95\x21\x61\0" b"\0\x61\x21\x95" b"\x94\x19\x23\x05" b"\x05\x23\x19\x94"),
    // Linux 6.12, fs/sysv/super.c: the last bytes but four of a superblock of 512 bytes, of which several places are
    // known, and of one of 1,024 bytes at 1 KiB of XENIX, which blkid looks for behind it.
    label!("sysv":
        [Start(1016), Start(9 * K + 1016), Start(15 * K + 1016), Start(18 * K + 1016)]
            b"\x20\x7e\x18\xfd" b"\xfd\x18\x7e\x20"),
    label!("xenix":
        [Start(2040)] b"\x44\x55\x2b\0" b"\0\x2b\x55\x44",
        [Start(2048)] b"\x44\x55\x2b" b"\x2b\x55\x44"),
    // Novell Storage Services; HSE's mpool; ScoutFS, its `ondisk` headers; SGI's exFS.
    label!("nss": [Start(4096)] b"SPB5"),
    label!("mpool": [Start(0)] b"mpoolDev"),
    label!("scoutfs": [Start(64 * K + 4)] b"\x8b\x42\x3c\x10"),
    label!("exfs": [Start(0)] b"EXFS"),
    // RAIDs of mainboards, as dmraid's lib/format/ataraid describes them: in the last sectors, but for hpt37x.
    label!("lsi_mega_raid_member": [sector_from_end(1)] b"$XIDE$"),
    label!("nvidia_raid_member": [sector_from_end(2)] b"NVIDIA  "),
    label!("promise_fasttrack_raid_member":
        [
            sector_from_end(63), sector_from_end(255), sector_from_end(256), sector_from_end(16),
            sector_from_end(399), sector_from_end(591), sector_from_end(675), sector_from_end(735),
            sector_from_end(911), sector_from_end(974), sector_from_end(991), sector_from_end(951),
            sector_from_end(3087),
        ] b"Promise Technology, Inc."),
    label!("hpt45x_raid_member": [sector_from_end(11)] b"\xf3\x16\x78\x5a" b"\xfd\x16\x78\x5a"),
    label!("hpt37x_raid_member": [Start(4640)] b"\xf0\x16\x78\x5a" b"\xfd\x16\x78\x5a"),
    label!("adaptec_raid_member": [sector_from_end(1)] b"\x37\xfc\x4d\x1e"),
    label!("jmicron_raid_member": [sector_from_end(1)] b"JM"; fits::jmicron),
    label!("silicon_medley_raid_member": [AlignedEnd(512, 512 - 0x60)] b"\0\0\0\x2f"; fits::silicon),
    label!("via_raid_member": [sector_from_end(1)] b"\x55\xaa"; fits::via),
    // Linux, block/partitions/{sgi,aix,sun,ultrix,atari,ibm}.c, arch/s390/include/uapi/asm/vtoc.h, with names in EBCDIC,
    // and include/linux/bsd_disklabel.h; Solaris on x86, its `v_sanity`.
    label!("sgi": [Start(0)] b"\x0b\xe5\xa9\x41"),
    label!("aix": [Start(0)] b"\xc9\xc2\xd4\xc1"),
    label!("bsd": [Start(512), Start(64), Start(128)] b"\x57\x45\x56\x82"),
    label!("sun": [Start(508)] b"\xda\xbe"; fits::sun),
    label!("solaris": [Start(524)] b"\xee\xde\x0d\x60"),
    label!("ultrix": [Start(16_312)] b"\x57\x29\x03\0\x01\0\0\0"),
    Label { name: "atari", marks: &[], fits: Some(fits::atari) },
    label!("dasd":
        [Start(1028), Start(2052), Start(4100), Start(8196)] b"\xe5\xd6\xd3\xf1",
        [Start(1024), Start(2048), Start(4096), Start(8192)] b"\xd3\xd5\xe7\xf1" b"\xc3\xd4\xe2\xf1"),
];
