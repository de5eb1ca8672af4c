//! References that Git does not read, by their names, what they lead through, or a line of `packed-refs`: named wherever
//! Git fails, and not carried over. Working trees that are being made are no fault.

#[path = "common/git.rs"]
mod git;
#[path = "common/hashes.rs"]
mod hashes;
#[path = "common/packs.rs"]
mod packs;

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Conversion, Options as MapOptions};
use fieldtest_git::revision::{self, RevisionError};
use fieldtest_git::verify::{Report, Settings, verify};
use fieldtest_git::{Error, Format, ObjectId, ObjectType, Objects, Options, Repository};
use packs::*;

fn check(path: &Path) -> Report {
    let threads = NonZeroUsize::MIN;
    let hash = hashes::sha1();
    let settings = Settings { hash: &*hash, threads, connectivity: true, interrupted: None, progress: None };
    verify(&Repository::open(path, &Options::default()).unwrap(), &settings).unwrap()
}

/// The names of references that something is wrong with.
fn named(report: &Report) -> Vec<&str> {
    let mut names = Vec::new();
    for error in &report.damaged {
        match error {
            Error::Reference { name, .. } => names.push(std::str::from_utf8(name).unwrap()),
            other => panic!("{other}"),
        }
    }
    names
}

/// Converts a repository; the new one is `new` in a folder of its own.
fn convert(path: &Path) -> Result<(tempfile::TempDir, Written), Error> {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::open(path, &Options::default())?;
    let format = |name: &str, hash| Format { name: name.into(), hash };
    let (old, new) = (format("sha1", hashes::sha1()), format("sha256", hashes::sha256()));
    let (references, objects) = (repository.snapshot()?, Objects::open(&repository)?);
    let options = MapOptions::default();
    let conversion = Conversion::compute(&objects, &old, &new, &options)?;
    let written =
        destination::write(&conversion, &repository, &references, &folder.path().join("new"), &options)?;
    Ok((folder, written))
}

/// Whether `git fsck` ends well; none without Git.
fn git_reads(path: &Path) -> Option<bool> {
    let fsck = || {
        let mut command = Command::new("git");
        command.args(["fsck", "--no-dangling"]).current_dir(path).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.stdin(Stdio::null()).output().unwrap().status.success()
    };
    git::is_installed().then(fsck)
}

/// A bare repository with a commit on `main`.
fn repository() -> (tempfile::TempDir, ObjectId) {
    let folder = tempfile::tempdir().unwrap();
    empty_repository(folder.path());
    let blob = write_loose(folder.path(), ObjectType::Blob, b"content\n");
    let tree = [b"100644 file\0", blob.as_bytes()].concat();
    let tree = write_loose(folder.path(), ObjectType::Tree, &tree);
    let who = "A <a@example.org> 1700000000 +0000";
    let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n");
    let commit = write_loose(folder.path(), ObjectType::Commit, commit.as_bytes());
    write(folder.path(), "refs/heads/main", &format!("{commit}\n"));
    (folder, commit)
}

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// `c1` stands for `main`, and each further one for that before it.
fn chain(folder: &Path, last: usize) {
    write(folder, "refs/heads/c1", "ref: refs/heads/main\n");
    for nth in 2..=last {
        write(folder, &format!("refs/heads/c{nth}"), &format!("ref: refs/heads/c{}\n", nth - 1));
    }
}

#[test]
fn a_head_that_stands_for_no_name() {
    for target in ["refs/heads/../../x", "refs/heads/a..b", "refs/heads/.a", "refs/heads/x.lock"] {
        let (folder, _) = repository();
        write(folder.path(), "HEAD", &format!("ref: {target}\n"));
        assert_ne!(git_reads(folder.path()), Some(true), "{target}");
        assert_eq!(named(&check(folder.path())), ["HEAD"], "{target}");
        assert!(convert(folder.path()).is_err(), "{target}");
    }
}

#[test]
fn a_branch_that_leads_through_no_name() {
    let (folder, _) = repository();
    write(folder.path(), "refs/heads/odd", "ref: refs/heads/a..b\n");
    write(folder.path(), "refs/heads/other", "ref: refs/heads/odd\n");
    write(folder.path(), "refs/tags/alone", "ref: refs/../x\n");
    assert_ne!(git_reads(folder.path()), Some(true));
    let names = ["refs/heads/odd", "refs/heads/other", "refs/tags/alone"];
    assert_eq!(named(&check(folder.path())), names);
    let (_, written) = convert(folder.path()).unwrap();
    assert_eq!(
        written.left.iter().map(|left| left.name.as_slice()).collect::<Vec<_>>(),
        names.map(str::as_bytes)
    );
}

#[test]
fn as_many_symbolic_references_as_git_follows() {
    let (folder, commit) = repository();
    let path = folder.path();
    chain(path, 4);
    write(path, "HEAD", "ref: refs/heads/c3\n");
    assert_ne!(git_reads(path), Some(false));
    assert!(check(path).is_good());
    let resolved = |name: &str| {
        let repository = Repository::open(path, &Options::default()).unwrap();
        let format = Format { name: "sha1".into(), hash: hashes::sha1() };
        revision::resolve(&repository, &Objects::open(&repository).unwrap(), &format, name)
    };
    assert_eq!(resolved("c4").unwrap(), commit);
    let (new, written) = convert(path).unwrap();
    assert!(written.left.is_empty(), "{written:?}");
    assert_ne!(git_reads(&new.path().join("new")), Some(false));

    chain(path, 6);
    assert_ne!(git_reads(path), Some(true));
    assert_eq!(named(&check(path)), ["refs/heads/c5", "refs/heads/c6"]);
    assert!(matches!(resolved("c5"), Err(RevisionError::Unfollowed { .. })), "{:?}", resolved("c5"));
    let (new, written) = convert(path).unwrap();
    let left: Vec<&[u8]> = written.left.iter().map(|left| left.name.as_slice()).collect();
    assert_eq!(left, [&b"refs/heads/c5"[..], b"refs/heads/c6"]);
    assert_ne!(git_reads(&new.path().join("new")), Some(false));

    for last in [5, 6] {
        fs::remove_file(path.join(format!("refs/heads/c{last}"))).unwrap();
    }
    write(path, "HEAD", "ref: refs/heads/c4\n");
    assert_ne!(git_reads(path), Some(true));
    assert_eq!(named(&check(path)), ["HEAD"]);
    assert!(convert(path).is_err());
    // Nor does Git follow that far to a branch without commits.
    write(path, "refs/heads/c1", "ref: refs/heads/unborn\n");
    assert_eq!(named(&check(path)), ["HEAD"]);
}

#[test]
fn names_that_git_allows_no_reference() {
    let (folder, commit) = repository();
    for name in ["refs/heads/a b", "refs/heads/a.", "refs/tags/a..b"] {
        write(folder.path(), name, &format!("{commit}\n"));
    }
    let packed = format!("{commit} refs/heads/p..q\n{commit} refs/heads/packed\n");
    write(folder.path(), "packed-refs", &packed);
    assert_ne!(git_reads(folder.path()), Some(true));
    let names = ["refs/heads/a b", "refs/heads/a.", "refs/heads/p..q", "refs/tags/a..b"];
    assert_eq!(named(&check(folder.path())), names);
}

#[test]
fn lines_of_packed_references_that_git_does_not_know() {
    let header = "# pack-refs with: peeled fully-peeled sorted \n";
    let (folder, commit) = repository();
    let line = format!("{commit} refs/heads/main\n");
    fs::remove_file(folder.path().join("refs/heads/main")).unwrap();
    for text in [format!("{header}{line}"), line.clone(), format!("# pack-refs with:\n{line}")] {
        write(folder.path(), "packed-refs", &text);
        assert_ne!(git_reads(folder.path()), Some(false), "{text}");
        assert!(check(folder.path()).is_good(), "{text}");
    }
    for (text, at) in [
        (format!("{header}{line}# hello\n"), header.len() + line.len()),
        (format!("{header}# hello\n{line}"), header.len()),
        (format!("# hello\n{line}"), 0),
        (format!("{header}{line}^{commit}\n^{commit}\n"), header.len() + line.len() + 42),
    ] {
        write(folder.path(), "packed-refs", &text);
        assert_ne!(git_reads(folder.path()), Some(true), "{text}");
        let report = check(folder.path());
        let [Error::File { path, offset, .. }] = report.damaged.as_slice() else { panic!("{report:?}") };
        assert!(path.ends_with("packed-refs") && *offset == at as u64, "{text}: {report:?}");
        assert!(convert(folder.path()).is_err(), "{text}");
    }
}

#[test]
fn a_working_tree_that_is_being_made() {
    let (folder, _) = repository();
    let nothing = format!("{}\n", ObjectId::from_bytes(&[0; 20]).unwrap());
    let tree = folder.path().join("worktrees/x");
    for text in ["", nothing.as_str()] {
        write(&tree, "HEAD", text);
        write(&tree, "locked", "initializing");
        let report = check(folder.path());
        assert!(report.is_good() && report.references == 2, "{report:?}");
        // One whose making was killed.
        let head = File::options().write(true).open(tree.join("HEAD")).unwrap();
        head.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        assert!(!check(folder.path()).is_good());
        // Whatever is not locked is made.
        write(&tree, "HEAD", text);
        fs::remove_file(tree.join("locked")).unwrap();
        assert!(!check(folder.path()).is_good());
    }
    // No `HEAD` yet, or no longer.
    fs::remove_file(tree.join("HEAD")).unwrap();
    assert!(check(folder.path()).is_good());
}

#[test]
fn working_trees_that_git_makes_and_removes_meanwhile() {
    if !git::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("repository");
    fs::create_dir(&path).unwrap();
    git::git(&path, &["init", "-q", "-b", "main"]);
    git::git(&path, &["commit", "-q", "--allow-empty", "-m", "x"]);
    thread::scope(|scope| {
        let making = scope.spawn(|| {
            for nth in 0..15 {
                let (detached, branch) = (format!("../tree{nth}"), format!("../branch{nth}"));
                git::git(&path, &["worktree", "add", "-q", "--detach", &detached]);
                git::git(&path, &["worktree", "add", "-q", &branch]);
                git::git(&path, &["worktree", "remove", &detached]);
            }
        });
        while !making.is_finished() {
            let report = check(&path);
            assert!(report.is_good(), "{report:?}");
        }
    });
}
