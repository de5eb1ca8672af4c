//! Repositories that others commit to and pack while they are read, and places that others take while one is written.

use crate::hashes;
use std::fs;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::git::{git, is_installed};
use crate::packs::*;
use crate::verified::verified_while;
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Conversion, Options as MapOptions, Scope, Stage};
use fieldtest_git::verify::Report;
use fieldtest_git::{Error, Format, ObjectId, ObjectType, Objects, Options, Repository};

fn open(path: &Path) -> Repository {
    Repository::open(path, &Options::default()).unwrap()
}

fn formats() -> (Format, Format) {
    let format = |name: &str, hash| Format { name: name.into(), hash };
    (format("sha1", hashes::sha1()), format("sha256", hashes::sha256()))
}

/// Verifies a repository, and does something else once the objects are being read.
fn check(path: &Path, meanwhile: &(dyn Fn() + Sync)) -> Report {
    verified_while(&open(path), meanwhile)
}

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

/// Commits something new to `main`.
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
    let folder = tempfile::tempdir().unwrap();
    empty_repository(folder.path());
    fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
    (0..commits).for_each(|nth| {
        commit(folder.path(), nth);
    });
    folder
}

/// Converts what references lead to; `meanwhile` happens when the objects are listed, and whenever something is done.
fn convert(path: &Path, to: &Path, meanwhile: &(dyn Fn(Option<Stage>) + Sync)) -> Result<Written, Error> {
    let repository = open(path);
    let (old, new) = formats();
    let references = repository.snapshot()?;
    let objects = Objects::open(&repository)?;
    meanwhile(None);
    let starts: Vec<ObjectId> = references
        .listing
        .references
        .iter()
        .filter_map(|reference| match reference.target {
            fieldtest_git::Target::Id(id) => Some(id),
            fieldtest_git::Target::Symbolic(_) => None,
        })
        .collect();
    let progress = |run: fieldtest_git::map::Progress| meanwhile(Some(run.stage));
    let options =
        MapOptions { scope: Scope::Reachable(&starts), progress: &progress, ..MapOptions::default() };
    let conversion = Conversion::compute(&objects, &old, &new, &options)?;
    destination::write(&conversion, &repository, &references, to, &options)
}

#[test]
fn a_commit_that_comes_meanwhile_is_of_the_next_run() {
    let folder = repository(200);
    let report = check(folder.path(), &|| {
        commit(folder.path(), 1000);
    });
    assert!(report.is_good(), "{report:?}");
    assert_eq!(report.objects, 600);

    let before = commit(folder.path(), 1001);
    let beside = tempfile::tempdir().unwrap();
    let new = beside.path().join("new.git");
    let once = Once::new();
    let written = convert(folder.path(), &new, &|_| {
        once.call_once(|| {
            commit(folder.path(), 1002);
        })
    })
    .unwrap();
    assert!(written.left.is_empty(), "{written:?}");
    assert_eq!((written.references, written.contents.objects), (1, 3));
    assert_ne!(open(folder.path()).references().unwrap()[0].target, fieldtest_git::Target::Id(before));
}

/// Whatever falls between the listing of two folders.
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
            let report = check(folder.path(), &|| {});
            assert!(report.is_good(), "{report:?}");
            let objects = Objects::open(&open(folder.path())).unwrap();
            let (old, new) = formats();
            Conversion::compute(&objects, &old, &new, &MapOptions::default()).unwrap();
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
    let count = |path: &Path| Objects::open(&open(path)).unwrap().loose();

    let folder = repository(1);
    let history = |nth| commit(folder.path(), nth);
    let objects = Objects::open(&open(folder.path())).unwrap();
    pack(folder.path());
    assert_eq!((objects.loose(), count(folder.path())), (3, 0));
    let mut content = Vec::new();
    for number in 0..objects.len() as u32 {
        assert_eq!(objects.read(number, &mut content).unwrap(), objects.kind(number));
        assert_eq!(objects.size(number).unwrap(), content.len() as u64);
        assert_eq!(name(objects.kind(number), &content).as_bytes(), objects.id(number));
    }

    // In the middle of a conversion, and of a verification of what is loose and in several packs.
    history(1);
    let once = Once::new();
    let beside = tempfile::tempdir().unwrap();
    let written =
        convert(folder.path(), &beside.path().join("new.git"), &|_| once.call_once(|| pack(folder.path())))
            .unwrap();
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
    let tips: String =
        (0..500).map(|nth| format!("create refs/tags/{nth} {}\n", commit(folder.path(), nth))).collect();
    for line in tips.lines() {
        let mut words = line.split(' ').skip(1);
        let path = folder.path().join(words.next().unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{}\n", words.next().unwrap())).unwrap();
    }
    let report = check(folder.path(), &|| pack(folder.path()));
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.objects, count(folder.path())), (1500, 0));
}

/// rename(2) replaces an empty folder.
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
        let refused = convert(folder.path(), &new, &|stage| {
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
