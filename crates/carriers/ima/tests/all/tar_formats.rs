//! What is no archive of files, before what signs archives: formats by their first bytes, and stores that call their parts by
//! digests.

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::tar::{self, Foreign, TarError, TarOptions};
use fieldtest_ima::tree::Addressed;

fn sign(bytes: &[u8]) -> Result<(), TarError> {
    let jobs = [job(P256, security_ima())];
    tar::sign(bytes, Vec::new(), &jobs, &TarOptions::default(), |_| Ok(())).map(|_| ())
}

#[test]
fn other_formats_are_named_and_not_called_damaged() {
    let at = |offset: usize, magic: &[u8]| {
        let mut bytes = vec![0; 128 << 10];
        bytes[offset..offset + magic.len()].copy_from_slice(magic);
        bytes
    };
    for (bytes, expected) in [
        (at(0, b"\xed\xab\xee\xdb"), Foreign::Rpm),
        (at(0, b"!<arch>\ndebian-binary"), Foreign::Ar),
        (at(0, b"070701"), Foreign::Cpio),
        (at(0, b"hsqs"), Foreign::Image("squashfs")),
        (at(0, b"XFSB"), Foreign::Image("XFS")),
        (at(0, b"PK\x03\x04"), Foreign::Archive("zip")),
        (at(0, b"7z\xbc\xaf\x27\x1c"), Foreign::Archive("7z")),
        (at(0, b"Rar!\x1a\x07\x01"), Foreign::Archive("rar")),
        (at(0, b"MSCF\0\0\0\0"), Foreign::Archive("cab")),
        (at(2, b"-lh5-"), Foreign::Archive("lha")),
        (at(1024, b"\xe2\xe1\xf5\xe0"), Foreign::Image("EROFS")),
        (at(1080, b"\x53\xef"), Foreign::Image("ext2, ext3 or ext4")),
        (at(32_769, b"CD001"), Foreign::Image("ISO 9660")),
        (at(65_600, b"_BHRfS_M"), Foreign::Image("btrfs")),
    ] {
        let result = sign(&bytes);
        assert!(
            matches!(&result, Err(TarError::Foreign(found)) if *found == expected),
            "{expected:?}: {result:?}"
        );
    }
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0four\x5f\x2a\x4d\x18\0\0\0\0";
    let behind_skipped = |magic: &[u8]| [skipped, magic].concat();
    for (start, name) in [
        (&b"\x1f\x8b"[..], "gzip"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"\x02\x21\x4c\x18", "lz4"),
        (b"LZIP", "lzip"),
        (b"\x89LZO\0\r\n\x1a\n", "lzop"),
        (b"LRZI", "lrzip"),
        (b"GRZipII\0", "grzip"),
        (&behind_skipped(b"\x28\xb5\x2f\xfd"), "zstd"),
        (&behind_skipped(b"\x04\x22\x4d\x18"), "lz4"),
        (b"\x51\x2a\x4d\x18\xff\xff\xff\xff", "zstd or lz4"),
    ] {
        assert!(matches!(sign(&at(0, start)), Err(TarError::Compressed(found)) if found == name));
        assert_eq!(tar::compressor(start), Some(name));
    }
    // What nobody knows, behind zeros or not; and behind an archive no format counts.
    let mut joined = small_tar("a", b"");
    let end = joined.len();
    joined.extend(at(0, b"hsqs"));
    for (bytes, offset) in [(at(0, b"?"), 0), (at(4000, b"?"), 4000), (joined, end)] {
        let result = sign(&bytes);
        assert!(
            matches!(result, Err(TarError::Malformed { offset: at, .. }) if at == offset as u64),
            "{result:?}"
        );
    }
}

#[test]
fn parts_that_are_called_by_digests_are_not_signed_as_files() {
    let digest = "0123456789abcdef".repeat(4);
    let (shard, object) = digest.split_at(2);
    for (name, expected) in [
        ("oci-layout".to_owned(), Addressed::Image),
        (format!("blobs/sha256/{digest}"), Addressed::Image),
        (format!("{digest}/layer.tar"), Addressed::Image),
        (format!("objects/{shard}/{object}.filez"), Addressed::Ostree),
    ] {
        let result = sign(&small_tar(&name, b""));
        let is_told = matches!(&result, Err(TarError::Addressed { store, .. }) if *store == expected);
        assert!(is_told, "{name}: {result:?}");
    }
    assert!(sign(&small_tar("usr/bin/true", b"")).is_ok());
}
