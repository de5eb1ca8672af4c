//! The empty tree where nobody stored it: Git has it built in, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git::{git, is_installed};
use crate::repositories::{check, formats_from, objects, open, write};
use fieldtest_git::convert::Refusal;
use fieldtest_git::map::round_trip::round_trip;
use fieldtest_git::map::{Conversion, Options, Scope, new_id_of};
use fieldtest_git::{Error, ObjectId, ObjectType};

/// Lets `main` lead to a commit with the empty tree, or to one whose tree has it as a directory; none of them is stored.
fn repository(path: &Path, of: &str, is_below: bool) -> (ObjectId, ObjectId) {
    fs::create_dir(path).unwrap();
    git(path, &["init", "-q", "-b", "main", "--object-format", of, "."]);
    let empty = git(path, &["hash-object", "-t", "tree", "/dev/null"]).trim().to_owned();
    let tree = match is_below {
        false => empty.clone(),
        true => {
            let bytes = [&b"40000 empty\0"[..], empty.parse::<ObjectId>().unwrap().as_bytes()].concat();
            fs::write(path.join("tree"), bytes).unwrap();
            git(path, &["hash-object", "-w", "-t", "tree", "--literally", "tree"]).trim().to_owned()
        }
    };
    let commit = git(path, &["commit-tree", &tree, "-m", "step"]).trim().to_owned();
    git(path, &["update-ref", "refs/heads/main", &commit]);
    (empty.parse().unwrap(), commit.parse().unwrap())
}

fn cases() -> Vec<(tempfile::TempDir, PathBuf, &'static str, bool)> {
    let case = |(of, is_below)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        (folder, path, of, is_below)
    };
    [("sha1", false), ("sha1", true), ("sha256", false), ("sha256", true)].map(case).into()
}

#[test]
fn it_is_converted_as_git_converts_what_it_reads() {
    if !is_installed() {
        return;
    }
    for (folder, old, of, is_below) in cases() {
        let (empty, commit) = repository(&old, of, is_below);
        git(&old, &["log", "-p", "--stat"]);
        let old_objects = objects(&old);
        assert!(old_objects.find(empty.as_bytes()).is_none());
        let [from, to] = formats_from(of);
        let starts = [commit];
        for scope in [Scope::Everything, Scope::Reachable(&starts)] {
            let options = Options { scope, ..Options::default() };
            let conversion = Conversion::compute(&old_objects, &from, &to, &options).unwrap();
            let map = conversion.map().unwrap();
            let new = to.id_of(ObjectType::Tree, b"").unwrap();
            assert_eq!(map.new_of(empty.as_bytes()), Some(new.as_bytes()), "{of} {is_below}");
            assert!(round_trip(&conversion, &options).unwrap().different.is_empty());
            let new_commit = new_id_of(&old_objects, &from, &to, &commit, &options).unwrap();
            assert_eq!(Some(new_commit), conversion.new_id(&commit));
            assert_eq!(new_id_of(&old_objects, &from, &to, &empty, &options).unwrap(), new);
        }
        // Written, it is whole: Git misses nothing, and the same commit comes back.
        let [converted, back] = ["new.git", "back.git"].map(|name| folder.path().join(name));
        let options = Options { scope: Scope::Reachable(&starts), ..Options::default() };
        let conversion = Conversion::compute(&old_objects, &from, &to, &options).unwrap();
        let written = write(&conversion, &open(&old), &converted, &options).unwrap();
        assert!(written.left.is_empty(), "{written:?}");
        git(&converted, &["fsck", "--full", "--strict"]);
        let (new_objects, options) = (objects(&converted), Options::default());
        let conversion = Conversion::compute(&new_objects, &to, &from, &options).unwrap();
        write(&conversion, &open(&converted), &back, &options).unwrap();
        assert_eq!(git(&back, &["rev-parse", "main"]).trim(), commit.to_string());
    }
}

#[test]
fn verifying_misses_it_as_git_fsck_does() {
    if !is_installed() {
        return;
    }
    for (_folder, old, of, is_below) in cases() {
        let (empty, _) = repository(&old, of, is_below);
        let report = check(&old);
        assert_eq!(report.missing.iter().map(|missing| missing.id).collect::<Vec<_>>(), [empty], "{of}");
    }
}

#[test]
fn nothing_else_is_built_in() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main", "."]);
    let blob = git(path, &["hash-object", "/dev/null"]).trim().parse::<ObjectId>().unwrap();
    let empty = git(path, &["hash-object", "-t", "tree", "/dev/null"]).trim().parse::<ObjectId>().unwrap();
    // The empty blob, and the empty tree as a file.
    for id in [blob, empty] {
        fs::write(path.join("tree"), [&b"100644 empty\0"[..], id.as_bytes()].concat()).unwrap();
        git(path, &["hash-object", "-w", "-t", "tree", "--literally", "tree"]);
        let [from, to] = formats_from("sha1");
        match Conversion::compute(&objects(path), &from, &to, &Options::default()).err() {
            Some(Error::Convert { reason: Refusal::Missing { id: missing, .. }, .. }) => {
                assert_eq!(missing, id)
            }
            other => panic!("{other:?}"),
        }
        fs::remove_dir_all(path.join(".git/objects")).unwrap();
        fs::create_dir(path.join(".git/objects")).unwrap();
    }
    // Where nothing names it, it is not there.
    fs::write(path.join("file"), "content").unwrap();
    git(path, &["add", "file"]);
    git(path, &["commit", "-qm", "step"]);
    let (objects, [from, to]) = (objects(path), formats_from("sha1"));
    let map = Conversion::compute(&objects, &from, &to, &Options::default()).unwrap().map().unwrap();
    assert_eq!(map.len(), objects.len());
}
