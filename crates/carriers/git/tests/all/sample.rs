//! The made-up repository is one for Git, too, has the shape of real ones, and every object of it is decoded and hashed.

use crate::hashes;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::counting::Counting;
use crate::git::{git, is_installed};
use crate::repositories::{check, format, objects};
use fieldtest_git::verify::Report;
use fieldtest_git::{Error, Format, ObjectType, rehash, sample};
use tempfile::TempDir;

fn made(name: &str, commits: u32, seed: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.git");
    sample::write(&path, &format(name), commits, seed).unwrap();
    (folder, path)
}

fn verified(path: &Path) -> Report {
    let report = check(path);
    assert!(report.is_good(), "{report:?}");
    report
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_path_buf();
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn git_finds_nothing_wrong() {
    if !is_installed() {
        return;
    }
    for name in ["sha1", "sha256"] {
        let (_folder, path) = made(name, 120, 1);
        assert_eq!(git(&path, &["fsck", "--full", "--strict"]), "");
        assert_eq!(git(&path, &["rev-list", "--count", "HEAD"]), "120\n");
        assert_eq!(git(&path, &["describe", "HEAD~20"]), "v1\n");
        assert_eq!(git(&path, &["rev-parse", "--show-object-format"]).trim(), name);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let [first, again, other] = [7, 7, 8].map(|seed| made("sha1", 3, seed));
    assert_eq!(files(&first.1), files(&again.1));
    assert_ne!(files(&first.1), files(&other.1));
}

#[test]
fn it_has_the_shape_of_a_real_repository() {
    let (_folder, path) = made("sha1", 300, 1);
    let report = verified(&path);
    let count = |kind| report.sizes.of(kind).count();
    let mean = |kind| report.sizes.of(kind).bytes() / count(kind);
    assert_eq!((count(ObjectType::Commit), count(ObjectType::Tag)), (300, 3));
    // jj has 985 bytes and 3.0 trees for a commit, ripgrep 492 and 2.3; files have 26 and 61 KB, commits 645 and 571 bytes.
    assert!((400..1200).contains(&mean(ObjectType::Tree)), "{}", mean(ObjectType::Tree));
    assert!((600..1200).contains(&count(ObjectType::Tree)), "{}", count(ObjectType::Tree));
    assert!((15_000..50_000).contains(&mean(ObjectType::Blob)), "{}", mean(ObjectType::Blob));
    assert!((400..900).contains(&mean(ObjectType::Commit)), "{}", mean(ObjectType::Commit));
    assert_eq!(report.longest_chain, 50);

    let objects = objects(&path);
    let (mut whole, mut whole_deflated, mut deltas, mut deltas_deflated) = (0, 0, 0, 0);
    for number in (0..objects.len() as u32).filter(|&number| objects.kind(number) == ObjectType::Blob) {
        let stored = objects.stored(number);
        let deflated = stored.deflated.unwrap().len() as u64;
        if stored.base.is_none() {
            whole += stored.inflated_size;
            whole_deflated += deflated;
        } else {
            deltas += 1;
            deltas_deflated += deflated;
        }
    }
    // ripgrep's files deflate to a quarter, its deltas of files to 592 bytes.
    assert!((30..50).contains(&(10 * whole / whole_deflated)), "{whole} {whole_deflated}");
    assert!((300..900).contains(&(deltas_deflated / deltas)), "{deltas_deflated} {deltas}");
}

#[test]
fn nothing_is_overwritten_and_nothing_half_made_is_left() {
    let (folder, path) = made("sha1", 1, 1);
    assert!(matches!(sample::write(&path, &format("sha1"), 1, 1), Err(Error::Repository { .. })));
    let unknown = Format { name: "sha3-256".to_owned(), ..format("sha256") };
    let refused = sample::write(&folder.path().join("other"), &unknown, 1, 1);
    assert!(matches!(refused, Err(Error::Repository { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_object_is_decoded_and_hashed_once() {
    let (_folder, path) = made("sha1", 50, 1);
    let sizes = verified(&path).sizes.all();
    let objects = objects(&path);
    for threads in [1, 3].map(|threads| NonZeroUsize::new(threads).unwrap()) {
        assert_eq!(rehash::decode(&objects, threads).unwrap(), sizes.bytes());
        for several in [false, true] {
            let hash = Counting::new(hashes::sha256(), several, |_| false);
            assert_eq!(rehash::rehash(&objects, &hash, threads).unwrap(), sizes.count());
            assert_eq!(hash.messages.into_inner(), sizes.count());
        }
    }
}

/// Of a batch that fails, only the object that is to blame does.
#[test]
fn an_object_that_cannot_be_hashed_is_named() {
    let (_folder, path) = made("sha1", 20, 1);
    let objects = objects(&path);
    let number = objects.len() as u32 / 2;
    let len = objects.size(number).unwrap() as usize;
    for several in [false, true] {
        let hash = Counting::new(hashes::sha256(), several, move |body| body.len() == len);
        match rehash::rehash(&objects, &hash, NonZeroUsize::MIN) {
            Err(Error::Hash { id, source: fieldtest_kinds::Error::CollisionAttack }) => {
                let found = objects.find(id.as_bytes()).unwrap();
                assert_eq!(objects.size(found).unwrap() as usize, len);
            }
            other => panic!("{other:?}"),
        }
    }
}
