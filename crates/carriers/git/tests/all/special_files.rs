//! What is no file where a file should be, and what lies in two places.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use crate::packs::*;
use crate::repositories::{check, empty, open, verified};
use fieldtest_git::{Error, ObjectType, Objects, Options, Problem, Repository};
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn repository() -> tempfile::TempDir {
    let folder = empty();
    let mut pack = Builder::new();
    let blob = pack.whole(ObjectType::Blob, b"content");
    pack.whole(ObjectType::Tree, &[b"100644 file\0", blob.as_bytes()].concat());
    pack.write(folder.path());
    folder
}

/// Nobody writes to these FIFOs, so that whoever opens one for reading waits for ever.
#[test]
fn fifos_and_sockets_are_named_and_not_waited_for() {
    for name in [
        "HEAD",
        "config",
        "commondir",
        "packed-refs",
        "shallow",
        "refs/heads/x",
        "worktrees/w/HEAD",
        "objects/info/alternates",
        "objects/pack/pack-made.pack",
        "objects/pack/pack-made.idx",
        "objects/pack/pack-other.pack",
        "objects/pack/pack-lone.pack",
        "objects/pack/pack-lone.idx",
        "objects/ab/cdabcdabcdabcdabcdabcdabcdabcdabcdabcd",
    ] {
        for is_socket in [false, true] {
            let folder = repository();
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            if name.contains("pack-other") {
                fs::copy(folder.path().join("objects/pack/pack-made.idx"), path.with_extension("idx"))
                    .unwrap();
            }
            if is_socket {
                drop(UnixListener::bind(&path).unwrap());
            } else {
                mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            }
            let what = if is_socket { "a socket" } else { "a FIFO" };
            let options = Options { partial: true, shallow: true };
            let said = match Repository::open(folder.path(), &options).map(|it| verified(&it)) {
                Ok(report) => report.damaged.iter().map(|error| format!("{error}\n")).collect(),
                Err(error) => error.to_string(),
            };
            let named = said.contains(what) && said.contains(name.rsplit('/').next().unwrap());
            assert!(!said.contains("index-pack") && !said.contains("restore the pack"), "{name}: {said:?}");
            // A loose object is named by its ID.
            assert!(named || name.contains("objects/ab") && said.contains(what), "{name}: {said:?}");
        }
    }
}

#[test]
fn a_device_is_not_opened() {
    let folder = repository();
    fs::create_dir_all(folder.path().join("refs/heads")).unwrap();
    symlink("/dev/zero", folder.path().join("refs/heads/x")).unwrap();
    let report = check(folder.path());
    let said: Vec<String> = report.damaged.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("a device")), "{said:?}");
}

#[test]
fn what_git_passes_over_among_references() {
    let folder = repository();
    fs::create_dir_all(folder.path().join("refs/heads/.hidden")).unwrap();
    for name in ["refs/.gitkeep", "refs/heads/.hidden/x", "refs/heads/main.lock"] {
        fs::write(folder.path().join(name), "no reference").unwrap();
    }
    let report = check(folder.path());
    assert!(report.is_good(), "{report:?}");
}

#[test]
fn links_between_folders_of_references_end() {
    let folder = repository();
    fs::create_dir_all(folder.path().join("refs/heads/sub")).unwrap();
    let tree =
        name(ObjectType::Tree, &[b"100644 file\0", name(ObjectType::Blob, b"content").as_bytes()].concat());
    fs::write(folder.path().join("refs/heads/sub/x"), format!("{tree}\n")).unwrap();
    symlink("..", folder.path().join("refs/heads/sub/up")).unwrap();
    symlink("sub", folder.path().join("refs/heads/linked")).unwrap();
    let names: Vec<Vec<u8>> =
        open(folder.path()).references().unwrap().into_iter().map(|reference| reference.name).collect();
    assert!(names.contains(&b"refs/heads/sub/x".to_vec()), "{names:?}");
    assert!(names.contains(&b"refs/heads/linked/x".to_vec()), "{names:?}");
}

#[test]
fn every_copy_of_an_object_is_read() {
    let folder = repository();
    // A sound copy, loose, of what is packed; then one that says something else.
    let id = write_loose(folder.path(), ObjectType::Blob, b"content");
    let report = check(folder.path());
    assert!(report.is_good() && report.copies == 1, "{report:?}");
    let other = [b"blob 5\0".as_slice(), b"other"].concat();
    let path = write_loose_file(folder.path(), id, &deflated(&other));
    let wanted = Problem::Name(name(ObjectType::Blob, b"other"));
    let report = check(folder.path());
    let found = |error: &Error| matches!(error, Error::Object { id: found, path: at, problem, .. } if (*found, at, problem) == (id, &path, &wanted));
    assert!(report.damaged.iter().any(found), "{report:?}");
    fs::remove_file(path).unwrap();

    // Another pack with the same objects, one of them as a delta of another chain; then with a wrong one.
    for appended in [&b"tent"[..], b"TENT"] {
        let mut pack = Builder::new();
        let base = pack.whole(ObjectType::Blob, b"con and more");
        let at = pack.entries.iter().find(|entry| entry.0 == base).unwrap().1;
        pack.offset_delta(id, at, &delta(12, 3, appended));
        pack.write_as(folder.path(), "second");
        let report = check(folder.path());
        assert_eq!((report.is_good(), report.copies), (appended == b"tent", 1), "{report:?}");
    }
}

#[test]
fn a_wrong_checksum_table_is_found_by_whoever_opens_the_repository() {
    let folder = repository();
    let index = folder.path().join("objects/pack/pack-made.idx");
    let mut bytes = fs::read(&index).unwrap();
    // Behind the signature, the fan-out and two names.
    bytes[8 + 4 * 256 + 2 * 20] ^= 1;
    fs::write(&index, bytes).unwrap();
    let error = Objects::open(&open(folder.path())).err().unwrap().to_string();
    assert!(error.contains("pack-made.idx"), "{error}");
}
