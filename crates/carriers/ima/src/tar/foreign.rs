//! What is taken for an archive and is another format, by the bytes that it begins with.

/// First bytes of what archives are compressed with.
const COMPRESSED: [(&[u8], &str); 8] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"LZIP", "lzip"),
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
        "a Debian package or another archive of ar; `dpkg-deb --fsys-tarfile` makes a tar archive of the package's files, and \
         dpkg installs no xattrs"
    )]
    Ar,
    /// cpio(5): an initramfs.
    #[error(
        "an archive of cpio, as an initramfs is, which has no place for xattrs; sign the tree with --store manifest"
    )]
    Cpio,
    /// A file system, or a disk with some.
    #[error(
        "an image ({0}), whose files are signed where they lie: mount it, or sign the tree that it is made of and make it again"
    )]
    Image(&'static str),
    /// PKWARE's.
    #[error("an archive of zip, which has no place for xattrs; sign the tree with --store manifest")]
    Zip,
}

/// Where a format's first bytes are, and the format.
const FORMATS: [(u64, &[u8], Foreign); 15] = [
    (0, b"\xed\xab\xee\xdb", Foreign::Rpm),
    (0, b"!<arch>\n", Foreign::Ar),
    (0, b"07070", Foreign::Cpio),
    (0, b"\xc7\x71", Foreign::Cpio),
    (0, b"PK\x03\x04", Foreign::Zip),
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

/// The compressor of what begins so.
pub(super) fn compressor(start: &[u8]) -> Option<&'static str> {
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
