//! References that Git does not read, by their names, what they lead through, or a line of `packed-refs`: named wherever
//! Git fails, and not carried over. Working trees that are being made are no fault.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::git::{self, is_sound};
use crate::packs::*;
use crate::repositories::{check, empty, format, formats, objects, open};
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Conversion, Options as MapOptions};
use fieldtest_git::revision::{self, RevisionError};
use fieldtest_git::verify::Report;
use fieldtest_git::{Error, ObjectId, ObjectType, Objects, Options, Repository};

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

/// Converts a repository; the new one is `new` in a directory of its own.
fn convert(path: &Path) -> Result<(tempfile::TempDir, Written), Error> {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::open(path, &Options::default())?;
    let [old, new] = formats();
    let (references, objects) = (repository.snapshot()?, Objects::open(&repository)?);
    let options = MapOptions::default();
    let conversion = Conversion::compute(&objects, &old, &new, &options)?;
    let written =
        destination::write(&conversion, &repository, &references, &folder.path().join("new"), &options)?;
    Ok((folder, written))
}

/// The names of references that a conversion left behind.
fn left(written: &Written) -> Vec<&str> {
    written.left.iter().map(|left| std::str::from_utf8(&left.name).unwrap()).collect()
}

fn repository() -> (tempfile::TempDir, ObjectId) {
    let folder = empty();
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
        assert_ne!(is_sound(folder.path()), Some(true), "{target}");
        assert_eq!(named(&check(folder.path())), ["HEAD"], "{target}");
        assert!(convert(folder.path()).is_err(), "{target}");
    }
}

/// Git's own commands refuse where a `HEAD` or a loose reference is broken.
#[test]
fn remedies_of_broken_references_work() {
    let (folder, commit) = repository();
    for (name, texts) in
        [("HEAD", &["x\n", "", "ref: x\n", "ref:\n"][..]), ("refs/heads/x", &["x\n", "", "ref:\n"])]
    {
        for text in texts {
            write(folder.path(), name, text);
            let report = check(folder.path());
            let [error] = &report.damaged[..] else { panic!("{name} {text:?}: {:?}", report.damaged) };
            let error = error.to_string();
            assert!(error.contains("`ref: ") && !error.contains("`git"), "{error}");
            for mended in ["ref: refs/heads/main\n".to_owned(), format!("{commit}\n")] {
                write(folder.path(), name, &mended);
                assert!(check(folder.path()).damaged.is_empty(), "{name}: {mended}");
                assert_ne!(is_sound(folder.path()), Some(false), "{name}: {mended}");
            }
        }
    }
}

#[test]
fn a_branch_that_leads_through_no_name() {
    let (folder, _) = repository();
    write(folder.path(), "refs/heads/odd", "ref: refs/heads/a..b\n");
    write(folder.path(), "refs/heads/other", "ref: refs/heads/odd\n");
    write(folder.path(), "refs/tags/alone", "ref: refs/../x\n");
    assert_ne!(is_sound(folder.path()), Some(true));
    let names = ["refs/heads/odd", "refs/heads/other", "refs/tags/alone"];
    assert_eq!(named(&check(folder.path())), names);
    let (_, written) = convert(folder.path()).unwrap();
    assert_eq!(left(&written), names);
}

#[test]
fn as_many_symbolic_references_as_git_follows() {
    let (folder, commit) = repository();
    let path = folder.path();
    chain(path, 4);
    write(path, "HEAD", "ref: refs/heads/c3\n");
    assert_ne!(is_sound(path), Some(false));
    assert!(check(path).is_good());
    let resolved = |name: &str| revision::resolve(&open(path), &objects(path), &format("sha1"), name);
    assert_eq!(resolved("c4").unwrap(), commit);
    let (new, written) = convert(path).unwrap();
    assert!(written.left.is_empty(), "{written:?}");
    assert_ne!(is_sound(&new.path().join("new")), Some(false));

    chain(path, 6);
    assert_ne!(is_sound(path), Some(true));
    assert_eq!(named(&check(path)), ["refs/heads/c5", "refs/heads/c6"]);
    assert!(matches!(resolved("c5"), Err(RevisionError::Unfollowed { .. })), "{:?}", resolved("c5"));
    let (new, written) = convert(path).unwrap();
    assert_eq!(left(&written), ["refs/heads/c5", "refs/heads/c6"]);
    assert_ne!(is_sound(&new.path().join("new")), Some(false));

    for last in [5, 6] {
        fs::remove_file(path.join(format!("refs/heads/c{last}"))).unwrap();
    }
    write(path, "HEAD", "ref: refs/heads/c4\n");
    assert_ne!(is_sound(path), Some(true));
    assert_eq!(named(&check(path)), ["HEAD"]);
    assert!(convert(path).is_err());
    // Nor does Git follow that far to a branch without commits.
    write(path, "refs/heads/c1", "ref: refs/heads/unborn\n");
    let names = ["refs/heads/c1", "refs/heads/c2", "refs/heads/c3", "refs/heads/c4", "HEAD"];
    assert_eq!(named(&check(path)), names);
}

#[test]
fn names_that_git_allows_no_reference() {
    let (folder, commit) = repository();
    for name in ["refs/heads/a b", "refs/heads/a.", "refs/tags/a..b"] {
        write(folder.path(), name, &format!("{commit}\n"));
    }
    let packed = format!("{commit} refs/heads/p..q\n{commit} refs/heads/packed\n");
    write(folder.path(), "packed-refs", &packed);
    assert_ne!(is_sound(folder.path()), Some(true));
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
        assert_ne!(is_sound(folder.path()), Some(false), "{text}");
        assert!(check(folder.path()).is_good(), "{text}");
    }
    for (text, at) in [
        (format!("{header}{line}# hello\n"), header.len() + line.len()),
        (format!("{header}# hello\n{line}"), header.len()),
        (format!("# hello\n{line}"), 0),
        (format!("{header}{line}^{commit}\n^{commit}\n"), header.len() + line.len() + 42),
    ] {
        write(folder.path(), "packed-refs", &text);
        assert_ne!(is_sound(folder.path()), Some(true), "{text}");
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

#[test]
fn references_that_lead_to_no_other() {
    for name in ["refs/heads/s", "refs/tags/s", "refs/remotes/o/HEAD"] {
        let (folder, commit) = repository();
        let path = folder.path();
        write(path, name, "ref: refs/heads/nowhere\n");
        assert_ne!(is_sound(path), Some(true), "{name}");
        assert_eq!(named(&check(path)), [name]);
        // A branch without commits is a `HEAD`'s alone.
        write(path, "HEAD", "ref: refs/heads/unborn\n");
        write(path, name, "ref: HEAD\n");
        assert_ne!(is_sound(path), Some(true), "{name}");
        assert_eq!(named(&check(path)), [name]);
        fs::remove_file(path.join(name)).unwrap();
        assert_ne!(is_sound(path), Some(false));
        assert!(check(path).is_good());
        // Git also finds what is no reference by its place.
        write(path, name, "ref: ORIG_HEAD\n");
        assert_ne!(is_sound(path), Some(true), "{name}");
        assert_eq!(named(&check(path)), [name]);
        write(path, "ORIG_HEAD", &format!("{commit}\n"));
        assert_ne!(is_sound(path), Some(false), "{name}");
        assert!(check(path).is_good());
    }
    let (folder, _) = repository();
    chain(folder.path(), 4);
    write(folder.path(), "refs/heads/c1", "ref: refs/heads/nowhere\n");
    assert_ne!(is_sound(folder.path()), Some(true));
    let names = ["refs/heads/c1", "refs/heads/c2", "refs/heads/c3", "refs/heads/c4"];
    assert_eq!(named(&check(folder.path())), names);
}

#[test]
fn symbolic_branches_that_lead_to_a_tag() {
    let (folder, commit) = repository();
    let path = folder.path();
    let text = format!("object {commit}\ntype commit\ntag v1\ntagger A <a@example.org> 1 +0000\n\nx\n");
    let tag = write_loose(path, ObjectType::Tag, text.as_bytes());
    write(path, "refs/tags/v1", &format!("{tag}\n"));
    write(path, "refs/tags/same", "ref: refs/tags/v1\n");
    let (_, written) = convert(path).unwrap();
    assert!(written.left.is_empty(), "{written:?}");

    write(path, "refs/heads/s", "ref: refs/tags/v1\n");
    write(path, "refs/heads/direct", &format!("{tag}\n"));
    // What stands for a branch that is not carried over would lead nowhere.
    write(path, "refs/remotes/o/HEAD", "ref: refs/remotes/o/s\n");
    write(path, "refs/remotes/o/s", "ref: refs/heads/s\n");
    assert_ne!(is_sound(path), Some(true));
    let (new, written) = convert(path).unwrap();
    let wanted = ["refs/heads/direct", "refs/heads/s", "refs/remotes/o/HEAD", "refs/remotes/o/s"];
    assert_eq!(left(&written), wanted);
    assert_eq!(written.references, 3);
    assert_ne!(is_sound(&new.path().join("new")), Some(false));
    write(path, "HEAD", "ref: refs/heads/s\n");
    assert!(convert(path).is_err());
}

#[test]
fn packed_references_that_are_not_sorted() {
    let (folder, commit) = repository();
    let path = folder.path();
    fs::remove_file(path.join("refs/heads/main")).unwrap();
    let line = |name: &str| format!("{commit} refs/heads/{name}\n");
    let lines = [line("main"), line("b"), line("a")].concat();
    for header in ["", "# pack-refs with: peeled fully-peeled \n", "# pack-refs with: unsorted \n"] {
        write(path, "packed-refs", &format!("{header}{lines}"));
        assert_ne!(is_sound(path), Some(false), "{header}");
        assert!(check(path).is_good(), "{header}");
    }
    let header = "# pack-refs with: peeled fully-peeled sorted \n";
    write(path, "packed-refs", &format!("{header}{lines}"));
    if git::is_installed() {
        let finds = git::git_runs(path, &["rev-parse", "-q", "--verify", "refs/heads/a"]);
        assert!(!finds, "Git looks in the wrong half");
    }
    let report = check(path);
    let [Error::File { path: file, offset, .. }] = report.damaged.as_slice() else { panic!("{report:?}") };
    assert!(file.ends_with("packed-refs") && *offset == (header.len() + line("main").len()) as u64);
    assert!(convert(path).is_err());
}

#[test]
fn what_git_calls_a_space_in_packed_references() {
    for space in [" ", "\t", "\r"] {
        let (folder, commit) = repository();
        fs::remove_file(folder.path().join("refs/heads/main")).unwrap();
        let header = "# pack-refs with: peeled fully-peeled sorted \n";
        write(folder.path(), "packed-refs", &format!("{header}{commit}{space}refs/heads/main\n"));
        assert_ne!(is_sound(folder.path()), Some(false), "{space:?}");
        let report = check(folder.path());
        assert!(report.is_good() && report.references == 2, "{space:?}: {report:?}");
    }
}

#[test]
fn links_that_lead_nowhere() {
    for to in ["nowhere", "link", "/no/such/file", "refs/heads/nowhere", "refs/heads/link"] {
        let (folder, _) = repository();
        std::os::unix::fs::symlink(to, folder.path().join("refs/heads/link")).unwrap();
        assert_ne!(is_sound(folder.path()), Some(false), "{to}");
        let report = check(folder.path());
        assert!(report.is_good() && report.references == 2, "{to}: {report:?}");
        assert!(convert(folder.path()).unwrap().1.left.is_empty(), "{to}");
    }
}

#[test]
fn a_head_that_is_a_link() {
    let (folder, commit) = repository();
    let head = folder.path().join("HEAD");
    let link = |to: &str| {
        fs::remove_file(&head).unwrap();
        std::os::unix::fs::symlink(to, &head).unwrap();
    };
    link("refs/heads/main");
    assert_ne!(is_sound(folder.path()), Some(false));
    assert!(check(folder.path()).is_good());
    write(folder.path(), "elsewhere", &format!("{commit}\n"));
    for to in ["elsewhere", "./refs/heads/main", "nowhere"] {
        link(to);
        assert_ne!(is_sound(folder.path()), Some(true), "{to}");
        let opened = Repository::open(folder.path(), &Options::default());
        assert!(matches!(&opened, Err(Error::Repository { path, .. }) if *path == head), "{opened:?}");
    }
}

#[test]
fn a_working_tree_without_head() {
    let (folder, commit) = repository();
    let tree = folder.path().join("worktrees/x");
    write(&tree, "commondir", "../..\n");
    write(&tree, "gitdir", "/no/such/tree/.git\n");
    // A moment ago Git may have begun to remove it.
    assert!(check(folder.path()).is_good());
    let age =
        || File::open(&tree).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    age();
    assert_ne!(is_sound(folder.path()), Some(true));
    assert!(!check(folder.path()).is_good());
    write(&tree, "locked", "");
    age();
    assert_ne!(is_sound(folder.path()), Some(true));
    assert!(!check(folder.path()).is_good());
    // Without the name of a tree it is none to Git.
    fs::remove_file(tree.join("gitdir")).unwrap();
    age();
    assert_ne!(is_sound(folder.path()), Some(false));
    assert!(check(folder.path()).is_good());
    write(&tree, "gitdir", "/no/such/tree/.git\n");
    write(&tree, "HEAD", &format!("{commit}\n"));
    age();
    assert!(check(folder.path()).is_good());
}
