//! What is taken for an archive and is another format, by the bytes that it begins with.

/// First bytes of what archives are compressed with.
const COMPRESSED: [(&[u8], &str); 12] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\x02\x21\x4c\x18", "lz4"),
    (b"LZIP", "lzip"),
    (b"\x89LZO\0\r\n\x1a\n", "lzop"),
    (b"LRZI", "lrzip"),
    (b"GRZipII\0", "grzip"),
    (b"\x5d\0\0", "lzma"),
    (b"\x1f\x9d", "compress"),
];

/// A format that is no tar archive. Its text says which, and what signs its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Foreign {
    /// `lead.h` of rpm.
    #[error("an RPM package, whose file signatures are in its header; `rpmsign --signfiles` makes those")]
    Rpm,
    /// deb(5), an archive of ar.
    #[error(
        "a Debian package or another ar archive; `dpkg-deb --fsys-tarfile` makes a tar archive of the package's files, and \
         dpkg installs no xattrs"
    )]
    Ar,
    /// cpio(5): an initramfs.
    #[error(
        "a cpio archive, such as an initramfs, which has no space for xattrs; sign the tree with --store manifest"
    )]
    Cpio,
    /// A file system, or a disk with some.
    #[error(
        "an image ({0}), whose files are signed in place; mount it, or sign the tree that it is made from and rebuild it"
    )]
    Image(&'static str),
    /// Of a program whose archives have no place for xattrs.
    #[error("a {0} archive, which has no space for xattrs; sign the tree with --store manifest")]
    Archive(&'static str),
}

/// Where a format's first bytes are, and the format.
const FORMATS: [(u64, &[u8], Foreign); 19] = [
    (0, b"\xed\xab\xee\xdb", Foreign::Rpm),
    (0, b"!<arch>\n", Foreign::Ar),
    (0, b"07070", Foreign::Cpio),
    (0, b"\xc7\x71", Foreign::Cpio),
    (0, b"PK\x03\x04", Foreign::Archive("zip")),
    (0, b"7z\xbc\xaf\x27\x1c", Foreign::Archive("7z")),
    (0, b"Rar!\x1a\x07", Foreign::Archive("rar")),
    (0, b"MSCF\0\0\0\0", Foreign::Archive("cab")),
    (2, b"-lh", Foreign::Archive("lha")),
    (0, b"hsqs", Foreign::Image("squashfs")),
    (0, b"XFSB", Foreign::Image("XFS")),
    (0, b"QFI\xfb", Foreign::Image("qcow2")),
    (510, b"\x55\xaa", Foreign::Image("a disk with partitions")),
    (1024, b"\xe2\xe1\xf5\xe0", Foreign::Image("EROFS")),
    (1024, b"\x10\x20\xf5\xf2", Foreign::Image("f2fs")),
    (1080, b"\x53\xef", Foreign::Image("ext2, ext3 or ext4")),
    (32_769, b"CD001", Foreign::Image("ISO 9660")),
    (65_600, b"_BHRfS_M", Foreign::Image("btrfs")),
    (512, b"EFI PART", Foreign::Image("a disk with partitions")),
];

pub(super) fn compressor(mut start: &[u8]) -> Option<&'static str> {
    // Skipped, since pzstd writes one first (RFC 8878, section 3.1.2) and such archives were called damaged
    // at byte 0: a number, and the length of the rest.
    while let Some([0x50..=0x5f, 0x2a, 0x4d, 0x18, length @ ..]) = start.first_chunk::<8>() {
        let behind = (u32::from_le_bytes(*length) as usize).saturating_add(8);
        match start.get(behind..) {
            Some(rest @ [_, ..]) => start = rest,
            _ => return Some("zstd or lz4"),
        }
    }
    COMPRESSED.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, name)| *name)
}

/// The format that has its first bytes in this piece of it, which begins at `offset`.
pub(super) fn format(offset: u64, piece: &[u8]) -> Option<Foreign> {
    let has = |at: u64, magic: &[u8]| {
        let at = at.checked_sub(offset).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| piece.get(at..)).is_some_and(|rest| rest.starts_with(magic))
    };
    FORMATS.iter().find(|(at, magic, _)| has(*at, magic)).map(|(.., format)| *format)
}
