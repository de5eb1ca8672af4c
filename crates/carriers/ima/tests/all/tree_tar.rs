//! Archives that are signed as they stream by, against GNU tar.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::store::{Store, attribute, sidecar};
use fieldtest_ima::tar::{self, TarError, TarOptions};
use fieldtest_ima::tree::{
    Done, FileVerdict, Job, ReadFailure, SignOutcome, SignReport, Skip, Source, VerifyReport,
};
use fieldtest_ima::{Digest, FileDigest, HashAlgorithm, Keyring, Verdict};
use proptest::prelude::*;

fn sign_tar(archive: &[u8], key: &str) -> Result<(Vec<u8>, SignReport), TarError> {
    sign_as(archive, job(key, security_ima()))
}

fn sign_as(archive: &[u8], job: Job) -> Result<(Vec<u8>, SignReport), TarError> {
    let mut out = Vec::new();
    let report = tar::sign(archive, &mut out, &[job], &TarOptions::default(), |_| Ok(()))?;
    Ok((out, report))
}

fn verify_tar(archive: &[u8], ring: &Keyring) -> Result<VerifyReport, TarError> {
    tar::verify(archive, ring, attribute::IMA, &TarOptions::default(), |_| Ok(()))
}

fn gnu_tar(tree: &Path, format: &str, more: &[&str]) -> Vec<u8> {
    let mut command = Command::new("tar");
    command.args(["--create", "--sort=name", "--format", format]).args(more).args(["-C"]).arg(tree).arg(".");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Long names, which each format writes in its own way, links, and a file that does not fit in memory.
fn make_tree(at: &Path, long_names: bool) -> u64 {
    fs::create_dir_all(at.join("folder")).unwrap();
    fs::write(at.join("folder/file"), "content").unwrap();
    fs::write(at.join("empty"), "").unwrap();
    fs::write(at.join("block"), vec![1; 512]).unwrap();
    fs::write(at.join("large"), vec![2; (5 << 20) + 77]).unwrap();
    fs::hard_link(at.join("block"), at.join("further")).unwrap();
    symlink("empty", at.join("link")).unwrap();
    if long_names {
        fs::write(at.join("n".repeat(200)), "long name").unwrap();
        symlink("t".repeat(180), at.join("long target")).unwrap();
        return 5;
    }
    4
}

/// The archive without its PAX headers; for those that had none before they were signed.
fn without_pax(archive: &[u8]) -> Vec<u8> {
    let mut rest = archive;
    let mut out = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(512) {
        let octal = std::str::from_utf8(&header[124..135]).unwrap_or("");
        let size = usize::from_str_radix(octal.trim_matches(['\0', ' ']), 8).unwrap_or(0);
        let data = size.next_multiple_of(512).min(after.len());
        if header[156] != b'x' {
            out.extend(&rest[..512 + data]);
        }
        rest = &after[data..];
    }
    out
}

#[test]
fn every_format_is_signed_and_otherwise_untouched() {
    if !installed("tar") {
        return;
    }
    for (format, long_names) in
        [("v7", false), ("ustar", false), ("oldgnu", true), ("gnu", true), ("pax", true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let files = make_tree(folder.path(), long_names);
        let archive = gnu_tar(folder.path(), format, &[]);
        assert_eq!(verify_tar(&archive, &ring(&[])).unwrap().content.unsigned.count, files, "{format}");

        let (signed, report) = sign_tar(&archive, ML_DSA_65).unwrap();
        assert_eq!(
            (report.files, report.jobs[0].signed, report.is_complete()),
            (files, files, true),
            "{format}"
        );
        assert_eq!(report.skipped[&Skip::FurtherName].count, 1);
        assert_eq!(report.skipped[&Skip::SymbolicLink].count, 1 + u64::from(long_names));
        let verified = verify_tar(&signed, &ring(&[ML_DSA_65])).unwrap();
        assert_eq!((verified.content.good, verified.is_good()), (files, true), "{format}");
        assert_eq!(without_pax(&signed), without_pax(&archive), "{format}");

        // Signed already: not a byte changes. By another key: the record is replaced, and grows no second one.
        let (again, report) = sign_tar(&signed, ML_DSA_65).unwrap();
        assert_eq!((report.jobs[0].already_valid, again == signed), (files, true), "{format}");
        let (other, _) = sign_tar(&signed, P256).unwrap();
        assert_eq!(other, sign_tar(&archive, P256).unwrap().0, "{format}");
        assert_eq!(verify_tar(&other, &ring(&[ML_DSA_65])).unwrap().content.unknown_key.count, files);

        // GNU tar reads it as before.
        let path = folder.path().join("archive");
        let listed = |archive: &[u8]| {
            fs::write(&path, archive).unwrap();
            run(Command::new("tar").args(["--list", "--verbose", "--file"]).arg(&path))
        };
        assert_eq!(listed(&signed), listed(&archive), "{format}");
    }
}

#[test]
fn members_are_signed_over_their_fs_verity_digests() {
    if !installed("tar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = make_tree(folder.path(), false);
    let archive = gnu_tar(folder.path(), "pax", &[]);
    let sign = |archive| sign_as(archive, job(P256, security_ima()).over_verity().unwrap()).unwrap();
    let (signed, report) = sign(&archive);
    assert_eq!((report.jobs[0].signed, report.is_complete()), (files, true));
    assert_eq!(verify_tar(&signed, &ring(&[P256])).unwrap().content.good, files);
    let (again, report) = sign(&signed);
    assert_eq!((report.jobs[0].already_valid, again == signed), (files, true));
    assert_ne!(sign_tar(&archive, P256).unwrap().0, signed, "contents have other signatures");
}

#[test]
fn other_records_stay() {
    let (tree, other) = (tempfile::tempdir().unwrap(), ("user.other", &b"kept \n value"[..]));
    if !installed("tar") {
        return;
    }
    let file = tree.path().join("file");
    fs::write(&file, "content").unwrap();
    for (name, value) in [other, (attribute::USER_IMA, &b"stale garbage"[..])] {
        rustix::fs::setxattr(&file, name, value, rustix::fs::XattrFlags::empty()).unwrap();
    }
    let archive = gnu_tar(tree.path(), "pax", &["--xattrs", "--xattrs-include=*"]);
    let (signed, _) = sign_as(&archive, job(P256, user_ima())).unwrap();
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("archive");
    fs::write(&path, &signed).unwrap();
    run(Command::new("tar")
        .args(["--xattrs", "--xattrs-include=*", "--extract", "--file"])
        .arg(&path)
        .arg("-C")
        .arg(out.path()));
    let mut value = [0; 64];
    let length = rustix::fs::getxattr(out.path().join("file"), other.0, &mut value).unwrap();
    assert_eq!(&value[..length], other.1);
    let (report, verdicts) = verify(out.path(), &ring(&[P256]), Source::Attribute(attribute::USER_IMA));
    assert!(matches!(&verdicts[Path::new("file")], FileVerdict::Signed(Verdict::Good(_))), "{report:?}");
}

#[test]
fn tar_restores_security_ima() {
    in_mount_namespace("tree_tar::tar_restores_security_ima", |folder| {
        if !installed("tar") {
            return;
        }
        let (tree, out) = (folder.join("tree"), folder.join("out"));
        fs::create_dir_all(&out).unwrap();
        let files = make_tree(&tree, true);
        let (signed, _) = sign_tar(&gnu_tar(&tree, "pax", &[]), ML_DSA_65).unwrap();
        fs::write(folder.join("signed.tar"), &signed).unwrap();
        let mut command = Command::new("tar");
        command.args(["--xattrs", "--xattrs-include=*", "-x", "-f"]).arg(folder.join("signed.tar"));
        run(command.arg("-C").arg(&out));
        let (report, _) = verify(&out, &ring(&[ML_DSA_65]), Source::Attribute(attribute::IMA));
        assert_eq!((report.content.good, report.is_good()), (files, true));
        assert_eq!(report.skipped[&Skip::FurtherName].count, 1);
    });
}

/// The file `sparse`: data at its start, in its middle and at its end if `ends_with_data`, else a hole there.
fn sparse_file(tree: &Path, pieces: u64, ends_with_data: bool) -> Vec<u8> {
    let path = tree.join("sparse");
    let file = fs::File::create(&path).unwrap();
    for at in 0..pieces {
        std::os::unix::fs::FileExt::write_all_at(&file, &[(at % 255) as u8 + 1; 4096], at * 100_000).unwrap();
    }
    if !ends_with_data {
        file.set_len(pieces * 100_000 + 50_000).unwrap();
    }
    fs::read(path).unwrap()
}

#[test]
fn files_without_their_holes_are_signed_with_them() {
    if !installed("tar") {
        return;
    }
    // Four pieces fit into a header, more into blocks behind it; one beyond 4 MiB waits in a temporary file.
    for (pieces, ends_with_data) in [(1, true), (3, false), (40, true), (60, false), (1200, true), (0, false)]
    {
        let tree = tempfile::tempdir().unwrap();
        let content = sparse_file(tree.path(), pieces, ends_with_data);
        let digest = FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, &content));
        let value = job(P256, Store::Returned).sign(&digest).unwrap();
        for (format, more) in [
            ("gnu", &["--sparse"][..]),
            ("pax", &["--sparse", "--sparse-version=0.0"]),
            ("pax", &["--sparse", "--sparse-version=0.1"]),
            ("pax", &["--sparse", "--sparse-version=1.0"]),
        ] {
            let archive = gnu_tar(tree.path(), format, more);
            assert!(archive.len() < content.len() || content.len() < 20_000, "{more:?}: nothing is left out");
            let (signed, report) = sign_tar(&archive, P256).unwrap();
            assert_eq!((report.jobs[0].signed, report.is_complete()), (1, true), "{format} {more:?}");
            assert_eq!(report.bytes_read, content.len() as u64, "{format} {more:?}");
            // The very signature that the unpacked file has.
            assert!(signed.windows(value.len()).any(|bytes| bytes == value), "{format} {more:?}");
            assert_eq!(without_pax(&signed), without_pax(&archive), "{more:?}");
            let verified = verify_tar(&signed, &ring(&[P256])).unwrap();
            assert_eq!((verified.content.good, verified.is_good()), (1, true));
        }
    }
}

#[test]
fn maps_of_holes_that_cannot_be_are_told() {
    let tree = tempfile::tempdir().unwrap();
    if !installed("tar") {
        return;
    }
    sparse_file(tree.path(), 3, true);
    let good = gnu_tar(tree.path(), "gnu", &["--sparse"]);
    // The offset of the second piece: before the end of the first.
    let mut archive = good.clone();
    let header = archive.windows(6).position(|bytes| bytes == b"sparse").unwrap() / 512 * 512;
    archive[header + 386 + 24..header + 386 + 36].copy_from_slice(b"00000000001\0");
    seal_tar_header(&mut archive[header..]);
    let (signed, report) = sign_tar(&archive, P256).unwrap();
    assert_eq!(report.unread[&ReadFailure::StoredWithHoles].first, [PathBuf::from("./sparse")]);
    assert_eq!((signed, report.is_complete()), (archive, false));
}

#[test]
fn whiteouts_are_no_files() {
    let tree = tempfile::tempdir().unwrap();
    if !installed("tar") {
        return;
    }
    fs::create_dir(tree.path().join("folder")).unwrap();
    for name in [".wh.gone", "folder/.wh..wh..opq", "folder/.white", "wh.file"] {
        fs::write(tree.path().join(name), "").unwrap();
    }
    let archive = gnu_tar(tree.path(), "pax", &[]);
    let (signed, report) = sign_tar(&archive, P256).unwrap();
    assert_eq!(
        (report.jobs[0].signed, report.skipped[&Skip::Whiteout].count, report.is_complete()),
        (2, 2, true)
    );
    let verified = verify_tar(&signed, &ring(&[P256])).unwrap();
    assert_eq!(
        (verified.content.good, verified.skipped[&Skip::Whiteout].count, verified.is_good()),
        (2, 2, true)
    );
}

#[test]
fn values_are_returned_without_a_change() {
    let tree = tempfile::tempdir().unwrap();
    if !installed("tar") {
        return;
    }
    make_tree(tree.path(), true);
    let archive = gnu_tar(tree.path(), "pax", &[]);
    let (mut out, mut values) = (Vec::new(), 0);
    let jobs = [job(P256, Store::Returned)];
    tar::sign(&archive[..], &mut out, &jobs, &TarOptions::default(), |file| {
        if let SignOutcome::Read { jobs, .. } = file.outcome {
            values += usize::from(matches!(jobs[..], [Done::Returned(_)]));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!((values, out == archive), (5, true));
    let refused = sign_as(&archive, job(P256, Store::Sidecar(sidecar::SUFFIX.to_string())));
    assert!(matches!(refused, Err(TarError::Sidecar)));
}

#[test]
fn changes_and_damage_are_told() {
    let archive = small_tar("a", b"content");
    let (signed, _) = sign_tar(&archive, P256).unwrap();
    let keys = ring(&[P256]);
    assert!(verify_tar(&signed, &keys).unwrap().is_good());
    let mut changed = signed.clone();
    let at = changed.windows(7).position(|bytes| bytes == b"content").unwrap();
    changed[at] = b'K';
    assert_eq!(verify_tar(&changed, &keys).unwrap().content.changed.count, 1);

    let at_zero = |archive: &[u8]| match sign_tar(archive, P256) {
        Err(TarError::Malformed { offset, .. }) => offset,
        other => panic!("{:?}", other.map(|(_, report)| report)),
    };
    let mut header = archive.clone();
    header[0] = b'b';
    assert_eq!(at_zero(&header), 0, "the checksum");
    assert_eq!(at_zero(&archive[..514]), 514, "cut in a member");
    assert_eq!(at_zero(&archive[..100]), 0, "cut in a header");
    assert_eq!(at_zero(&signed[..1024]), 1024, "cut after an extended header");
    // Without the blocks of zeros an archive ends where its input does.
    assert!(sign_tar(&archive[..1024], P256).unwrap().1.is_complete());
    // Without anything it is none: what should have written it failed.
    assert_eq!(at_zero(b""), 0, "empty");
    assert!(matches!(verify_tar(b"", &keys), Err(TarError::Malformed { offset: 0, .. })));
    assert_eq!(sign_tar(&[0; 1024], P256).unwrap().0, [0; 1024]);
}

#[test]
fn members_of_unknown_types_are_files() {
    let keys = ring(&[P256]);
    for kind in (0..=255).filter(|kind| !b"123456DgxXLK".contains(kind)) {
        let archive = [tar_member(kind, b"evil", b"evil"), vec![0; 1024]].concat();
        let report = verify_tar(&archive, &keys).unwrap();
        let unsigned = u64::from(kind != b'S');
        assert_eq!((report.content.unsigned.count, report.is_good()), (unsigned, false), "{kind}");
        if kind == b'S' {
            continue;
        }
        let (signed, report) = sign_tar(&archive, P256).unwrap();
        assert_eq!((report.jobs[0].signed, report.is_complete()), (1, true), "{kind}");
        assert!(verify_tar(&signed, &keys).unwrap().is_good(), "{kind}");
        assert_eq!(without_pax(&signed), archive, "{kind}");
    }
    // The name of a volume has no data, and nobody extracts it.
    let label = [tar_member(b'V', b"label", b""), small_tar("a", b"content")].concat();
    let (signed, report) = sign_tar(&label, P256).unwrap();
    assert_eq!((report.files, report.skipped[&Skip::UnknownKind].count), (1, 1));
    assert!(verify_tar(&signed, &keys).unwrap().is_good());
}

#[test]
fn tools_extract_what_is_judged() {
    if !installed("tar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    let (signed, _) = sign_tar(&small_tar("a", b"content"), P256).unwrap();
    let archive = [tar_member(b'Q', b"evil", b"evil"), signed].concat();
    fs::write(&path, &archive).unwrap();
    run(Command::new("tar").args(["-x", "-C"]).arg(folder.path()).arg("-f").arg(&path));
    assert_eq!(fs::read(folder.path().join("evil")).unwrap(), b"evil");
    assert_eq!(verify_tar(&archive, &ring(&[P256])).unwrap().content.unsigned.count, 1);
}

#[test]
fn headers_that_move_members_are_seen_as_tools_see_them() {
    // Solaris's own letter for records, which others read too: the member's size is what they say.
    let inner = small_tar("a", b"a member within");
    let (size, keys) = (inner.len(), ring(&[P256]));
    let record = format!(" size={size}\n");
    let record = format!("{}{record}", record.len() + 2);
    for kind in [b'x', b'X'] {
        let header = tar_member(kind, b"records", record.as_bytes());
        let outer = tar_member(b'0', b"outer", b"");
        let report = verify_tar(&[header, outer, inner.clone(), vec![0; 1024]].concat(), &keys).unwrap();
        assert_eq!(report.content.unsigned.first, [PathBuf::from("outer")], "{kind}");
    }
    // For all members at once tools differ.
    for record in [record.as_str(), "19 GNU.sparse.a=bc\n"] {
        let archive = [tar_member(b'g', b"global", record.as_bytes()), small_tar("a", b"content")].concat();
        assert!(
            matches!(verify_tar(&archive, &keys), Err(TarError::Malformed { offset: 0, .. })),
            "{record}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_archives_end_in_errors(flips in prop::collection::vec((0..3000usize, any::<u8>()), 1..6)) {
        let mut archive = sign_tar(&small_tar("a", &[5; 700]), P256).unwrap().0;
        for (at, value) in flips {
            let length = archive.len();
            archive[at % length] = value;
        }
        let _ = verify_tar(&archive, &ring(&[P256]));
        let _ = sign_tar(&archive, P384);
    }
}
