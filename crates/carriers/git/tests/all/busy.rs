//! Repositories that others commit to and pack while they are read, and places that others take while one is written.

use std::fs;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::git::{git, is_installed};
use crate::packs::*;
use crate::repositories::{check, convert_while, formats, objects, open, verified_while};
use fieldtest_git::map::{Conversion, Options as MapOptions, Stage};
use fieldtest_git::{Error, ObjectId, ObjectType};

/// Stores an object as Git does: it has its name when it is whole.
fn store(path: &Path, kind: ObjectType, content: &[u8]) -> ObjectId {
    let aside = path.join("aside");
    fs::create_dir_all(&aside).unwrap();
    let id = write_loose(&aside, kind, content);
    let hex = id.to_string();
    let name = Path::new("objects").join(&hex[..2]).join(&hex[2..]);
    fs::create_dir_all(path.join(&name).parent().unwrap()).unwrap();
    fs::rename(aside.join(&name), path.join(name)).unwrap();
    id
}

fn commit(path: &Path, nth: usize) -> ObjectId {
    let blob = store(path, ObjectType::Blob, format!("content {nth}\n").as_bytes());
    let tree = store(path, ObjectType::Tree, &[b"100644 file\0", blob.as_bytes()].concat());
    let who = "A <a@example.org> 1700000000 +0000";
    let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\n{nth}\n");
    let commit = store(path, ObjectType::Commit, commit.as_bytes());
    fs::write(path.join("main.lock"), format!("{commit}\n")).unwrap();
    fs::create_dir_all(path.join("refs/heads")).unwrap();
    fs::rename(path.join("main.lock"), path.join("refs/heads/main")).unwrap();
    commit
}

fn repository(commits: usize) -> tempfile::TempDir {
    let folder = crate::repositories::empty();
    (0..commits).for_each(|nth| _ = commit(folder.path(), nth));
    folder
}

#[test]
fn a_commit_that_comes_meanwhile_is_of_the_next_run() {
    let folder = repository(200);
    let report = verified_while(&open(folder.path()), &|| _ = commit(folder.path(), 1000));
    assert!(report.is_good(), "{report:?}");
    assert_eq!(report.objects, 600);

    let before = commit(folder.path(), 1001);
    let beside = tempfile::tempdir().unwrap();
    let new = beside.path().join("new.git");
    let once = Once::new();
    let meanwhile = |_| once.call_once(|| _ = commit(folder.path(), 1002));
    let written = convert_while(folder.path(), &new, &meanwhile).unwrap();
    assert!(written.left.is_empty(), "{written:?}");
    assert_eq!((written.references, written.contents.objects), (1, 3));
    assert_ne!(open(folder.path()).references().unwrap()[0].target, fieldtest_git::Target::Id(before));
}

/// Whatever falls between the listing of two directories.
#[test]
fn commits_without_an_end() {
    let folder = repository(1);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for nth in 1..1000 {
                commit(folder.path(), nth);
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for _ in 0..10 {
            let report = check(folder.path());
            assert!(report.is_good(), "{report:?}");
            let [old, new] = formats();
            Conversion::compute(&objects(folder.path()), &old, &new, &MapOptions::default()).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn objects_are_packed_meanwhile() {
    if !is_installed() {
        return;
    }
    let pack = |path: &Path| {
        git(path, &["repack", "-adq"]);
        git(path, &["prune-packed", "-q"]);
        git(path, &["pack-refs", "--all", "--prune"]);
    };
    let count = |path: &Path| objects(path).loose();

    let folder = repository(1);
    let seen = objects(folder.path());
    pack(folder.path());
    assert_eq!((seen.loose(), count(folder.path())), (3, 0));
    let mut content = Vec::new();
    for number in 0..seen.len() as u32 {
        assert_eq!(seen.read(number, &mut content).unwrap(), seen.kind(number));
        assert_eq!(seen.size(number).unwrap(), content.len() as u64);
        assert_eq!(name(seen.kind(number), &content).as_bytes(), seen.id(number));
    }

    // In the middle of a conversion, and of a verification of what is loose and in several packs.
    commit(folder.path(), 1);
    let once = Once::new();
    let beside = tempfile::tempdir().unwrap();
    let meanwhile = |_| once.call_once(|| pack(folder.path()));
    let written = convert_while(folder.path(), &beside.path().join("new.git"), &meanwhile).unwrap();
    assert!(written.left.is_empty(), "{written:?}");
    assert_eq!(count(folder.path()), 0);
    let folder = repository(300);
    git(folder.path(), &["repack", "-dq"]);
    for nth in 300..500 {
        commit(folder.path(), nth);
        if nth == 310 {
            git(folder.path(), &["repack", "-dq"]);
        }
    }
    fs::create_dir_all(folder.path().join("refs/tags")).unwrap();
    for nth in 0..500 {
        let tip = commit(folder.path(), nth);
        fs::write(folder.path().join(format!("refs/tags/{nth}")), format!("{tip}\n")).unwrap();
    }
    let report = verified_while(&open(folder.path()), &|| pack(folder.path()));
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.objects, count(folder.path())), (1500, 0));
}

/// rename(2) replaces an empty directory.
#[test]
fn what_comes_to_the_place_meanwhile_is_left_as_it_is() {
    let folder = repository(1);
    let beside = tempfile::tempdir().unwrap();
    let new = beside.path().join("new.git");
    for is_folder in [true, false] {
        let once = Once::new();
        let come = || match is_folder {
            true => fs::create_dir(&new).unwrap(),
            false => fs::write(&new, "mine").unwrap(),
        };
        let refused = convert_while(folder.path(), &new, &|stage| {
            if stage == Some(Stage::Write) {
                once.call_once(come);
            }
        });
        assert!(matches!(refused, Err(Error::Repository { path, .. }) if path == new));
        assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
        match is_folder {
            true => {
                assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
                fs::remove_dir(&new).unwrap();
            }
            false => {
                assert_eq!(fs::read(&new).unwrap(), b"mine");
                fs::remove_file(&new).unwrap();
            }
        }
    }
}
