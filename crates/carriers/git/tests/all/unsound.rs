//! Objects that are what their IDs say and name what they must not, and references that lead to what they must not lead
//! to: found wherever `git fsck` finds them, and never converted.

use std::fs;
use std::path::Path;

use crate::git::is_sound;
use crate::packs::*;
use crate::repositories::{check, empty, formats, objects};
use fieldtest_git::convert::Refusal;
use fieldtest_git::map::{Conversion, Options as MapOptions};
use fieldtest_git::verify::{NamedBy, Report};
use fieldtest_git::{Error, ObjectId, ObjectType, Unsound};

/// What a conversion of all objects says, if it fails.
fn conversion(path: &Path) -> Option<Error> {
    let (objects, [from, to]) = (objects(path), formats());
    Conversion::compute(&objects, &from, &to, &MapOptions::default()).err()
}

fn names_reference(report: &Report, name: &str) -> bool {
    let is_it =
        |error: &Error| matches!(error, Error::Reference { name: found, .. } if found == name.as_bytes());
    report.damaged.iter().any(is_it)
}

/// A repository with a blob, a tree of it and a commit of that on `main`.
struct Sound {
    folder: tempfile::TempDir,
    blob: ObjectId,
    tree: ObjectId,
    commit: ObjectId,
}

impl Sound {
    fn new() -> Sound {
        let folder = empty();
        let blob = write_loose(folder.path(), ObjectType::Blob, b"content\n");
        let tree = write_loose(folder.path(), ObjectType::Tree, &entry("100644", "file", blob));
        let commit = write_loose(folder.path(), ObjectType::Commit, &commit_of(tree, ""));
        let sound = Sound { folder, blob, tree, commit };
        sound.point("refs/heads/main", commit);
        sound
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn put(&self, kind: ObjectType, content: &[u8]) -> ObjectId {
        write_loose(self.path(), kind, content)
    }

    fn point(&self, name: &str, id: ObjectId) {
        self.write(name, &format!("{id}\n"));
    }

    fn link(&self, name: &str, to: &str) {
        self.write(name, &format!("ref: {to}\n"));
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Puts a tree where a branch leads to it.
    fn branch_with(&self, tree: ObjectId) {
        let commit = self.put(ObjectType::Commit, &commit_of(tree, ""));
        self.point("refs/heads/odd", commit);
    }
}

fn entry(mode: &str, name: &str, id: ObjectId) -> Vec<u8> {
    [format!("{mode} {name}\0").as_bytes(), id.as_bytes()].concat()
}

fn commit_of(tree: ObjectId, parents: &str) -> Vec<u8> {
    let person = "A <a@example.org> 1700000000 +0000";
    format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\nx\n").into_bytes()
}

fn tag_of(object: ObjectId, kind: &str) -> Vec<u8> {
    format!("object {object}\ntype {kind}\ntag t\ntagger A <a@example.org> 1700000000 +0000\n\nx\n")
        .into_bytes()
}

/// The content of something odd in a sound repository.
type Oddity = fn(&Sound) -> Vec<u8>;

#[test]
fn what_names_the_wrong_type_is_found_and_refused() {
    let oddities: &[(&str, ObjectType, Oddity)] = &[
        ("a tree whose entry has no name's end", ObjectType::Tree, |_| b"100644 zz".to_vec()),
        ("a tree whose last ID is cut off", ObjectType::Tree, |it| {
            let whole = [entry("100644", "a", it.blob), entry("100644", "b", it.blob)].concat();
            whole[..whole.len() - 1].to_vec()
        }),
        ("a directory that is a blob", ObjectType::Tree, |it| entry("40000", "a", it.blob)),
        ("a file that is a tree", ObjectType::Tree, |it| entry("100644", "a", it.tree)),
        ("a symbolic link that is a commit", ObjectType::Tree, |it| entry("120000", "a", it.commit)),
        ("a commit whose tree is a blob", ObjectType::Commit, |it| commit_of(it.blob, "")),
        ("a commit whose tree is a commit", ObjectType::Commit, |it| commit_of(it.commit, "")),
        ("a commit whose parent is a tree", ObjectType::Commit, |it| {
            commit_of(it.tree, &format!("parent {}\n", it.tree))
        }),
        ("a tag of a blob as a commit", ObjectType::Tag, |it| tag_of(it.blob, "commit")),
        ("a tag of a commit as a tag", ObjectType::Tag, |it| tag_of(it.commit, "tag")),
    ];
    for (what, kind, make) in oddities {
        let sound = Sound::new();
        let unsound = sound.put(*kind, &make(&sound));
        match kind {
            ObjectType::Tree => sound.branch_with(unsound),
            ObjectType::Commit => sound.point("refs/heads/odd", unsound),
            _ => sound.point("refs/tags/odd", unsound),
        }
        assert_ne!(is_sound(sound.path()), Some(true), "{what}");
        let report = check(sound.path());
        let found: Vec<ObjectId> = report.damaged.iter().filter_map(unsound_id).collect();
        assert_eq!(found, [unsound], "{what}: {report:?}");
        assert!(report.missing.is_empty() && !report.is_good(), "{what}: {report:?}");
        match conversion(sound.path()) {
            Some(Error::Convert { id, reason: Refusal::Type { .. } | Refusal::Malformed { .. }, .. }) => {
                assert_eq!(id, unsound, "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
}

fn unsound_id(error: &Error) -> Option<ObjectId> {
    match error {
        Error::Unsound { id, .. } => Some(*id),
        _ => None,
    }
}

#[test]
fn commits_and_tags_that_git_cannot_read_are_found() {
    let author = "author A <a@example.org> 1 +0000\n\nx\n";
    for (kind, text) in [
        (ObjectType::Commit, author),
        (ObjectType::Commit, &format!("tree TREE \n{author}")),
        (ObjectType::Commit, &format!("tree TREE\nparent zz\n{author}")),
        (ObjectType::Tag, "object COMMIT\ntag t\n\nx\n"),
        (ObjectType::Tag, "object COMMIT\ntype thing\ntag t\n\nx\n"),
        (ObjectType::Tag, "object COMMIT\ntype commit\n\nx\n"),
        (ObjectType::Tag, "type commit\nobject COMMIT\ntag t\n\nx\n"),
    ] {
        let sound = Sound::new();
        let content =
            text.replace("TREE", &sound.tree.to_string()).replace("COMMIT", &sound.commit.to_string());
        let id = sound.put(kind, content.as_bytes());
        sound.point("refs/tags/odd", id);
        assert_ne!(is_sound(sound.path()), Some(true), "{text}");
        let report = check(sound.path());
        assert_eq!(report.damaged.iter().filter_map(unsound_id).collect::<Vec<_>>(), [id], "{report:?}");
    }
}

#[test]
fn what_is_merely_odd_is_no_fault() {
    let sound = Sound::new();
    // A submodule's commit is elsewhere; a mode that Git does not have says nothing; tags of all types.
    let gone: ObjectId = "12".repeat(20).parse().unwrap();
    let tree = [entry("160000", "module", gone), entry("40000", "tree", sound.tree)].concat();
    let tree = sound.put(ObjectType::Tree, &tree);
    sound.branch_with(tree);
    for (name, id, kind) in
        [("a", sound.blob, "blob"), ("b", sound.tree, "tree"), ("c", sound.commit, "commit")]
    {
        let tag = sound.put(ObjectType::Tag, &tag_of(id, kind));
        sound.point(&format!("refs/tags/{name}"), tag);
        let tag = sound.put(ObjectType::Tag, &tag_of(tag, "tag"));
        sound.point(&format!("refs/tags/{name}{name}"), tag);
    }
    // Only branches have to lead to commits.
    sound.point("refs/tags/blob", sound.blob);
    sound.point("refs/remotes/origin/tree", sound.tree);
    assert_ne!(is_sound(sound.path()), Some(false));
    let report = check(sound.path());
    assert!(report.is_good(), "{report:?}");
}

#[test]
fn every_delta_on_an_unsound_tree_is_named() {
    let folder = empty();
    let mut pack = Builder::new();
    let blob = pack.whole(ObjectType::Blob, b"content\n");
    let base = [entry("100644", "a", blob), entry("40000", "b", blob)].concat();
    let first = pack.whole(ObjectType::Tree, &base);
    let offset = pack.entries[1].1;
    let more = entry("100644", "c", blob);
    let second = name(ObjectType::Tree, &[base.clone(), more.clone()].concat());
    pack.offset_delta(second, offset, &delta(base.len(), base.len(), &more));
    // A delta that is cut off within an entry.
    let third = name(ObjectType::Tree, &base[..base.len() - 3]);
    pack.offset_delta(third, offset, &delta(base.len(), base.len() - 3, &[]));
    pack.write(folder.path());
    let report = check(folder.path());
    let found = report.damaged.iter().map(|error| match error {
        Error::Unsound { id, problem, .. } => (*id, problem.clone()),
        other => panic!("{other}"),
    });
    let (wanted, found_type) = (ObjectType::Tree, ObjectType::Blob);
    let mistyped = Unsound::Type { id: blob, wanted, found: found_type };
    let cut_off = Unsound::Malformed { what: "a tree's entry is malformed", offset: 29 };
    assert_eq!(found.collect::<Vec<_>>(), [(first, mistyped.clone()), (second, mistyped), (third, cut_off)]);
}

#[test]
fn nothing_is_said_of_the_type_of_a_damaged_object() {
    let sound = Sound::new();
    // Its type cannot be read.
    write_loose_file(sound.path(), sound.tree, b"no zlib stream");
    let report = check(sound.path());
    assert!(
        report.damaged.iter().all(|error| matches!(error, Error::Object { id, .. } if *id == sound.tree)),
        "{report:?}"
    );
    assert_eq!(report.damaged.len(), 1, "{report:?}");
}

#[test]
fn branches_lead_to_commits() {
    for (name, fault) in [
        ("refs/heads/odd", true),
        ("HEAD", true),
        ("refs/tags/odd", false),
        ("refs/notes/odd", false),
        ("worktrees/x/HEAD", false),
    ] {
        let sound = Sound::new();
        sound.point(name, sound.blob);
        if fault {
            assert_ne!(is_sound(sound.path()), Some(true), "{name}");
        }
        let report = check(sound.path());
        assert_eq!(names_reference(&report, name), fault, "{name}: {report:?}");
        assert_eq!(report.is_good(), !fault, "{name}: {report:?}");
    }
}

#[test]
fn symbolic_references_lead_to_what_their_names_want() {
    for (name, to, fault) in [
        ("HEAD", "refs/heads/main", false),
        ("HEAD", "refs/heads/unborn", false),
        ("HEAD", "refs/x/alias", false),
        ("HEAD", "refs/tags/t", true),
        ("HEAD", "refs/tags/plain", true),
        ("HEAD", "refs/heads/odd", true),
        ("worktrees/x/HEAD", "refs/tags/t", true),
        ("refs/heads/odd", "refs/tags/t", true),
        ("refs/heads/odd", "refs/tags/plain", false),
        ("refs/tags/other", "refs/tags/t", false),
    ] {
        let sound = Sound::new();
        sound.point("refs/tags/plain", sound.commit);
        sound.point("refs/tags/t", sound.put(ObjectType::Tag, &tag_of(sound.commit, "commit")));
        sound.link("refs/x/alias", "refs/heads/main");
        if to == "refs/heads/odd" {
            sound.link(to, "refs/tags/t");
        }
        sound.link(name, to);
        if !name.starts_with("worktrees/") {
            assert_ne!(is_sound(sound.path()), Some(fault), "{name} {to}");
        }
        let report = check(sound.path());
        assert_eq!(names_reference(&report, name), fault, "{name} {to}: {report:?}");
        assert_eq!(report.is_good(), !fault, "{name} {to}: {report:?}");
    }
}

#[test]
fn symbolic_references_in_a_circle() {
    let sound = Sound::new();
    sound.link("refs/heads/other", "refs/heads/main");
    sound.link("refs/heads/head", "HEAD");
    assert!(check(sound.path()).is_good());
    assert_ne!(is_sound(sound.path()), Some(false));
    sound.link("HEAD", "refs/heads/head");
    assert_ne!(is_sound(sound.path()), Some(true));
    let report = check(sound.path());
    let names: Vec<String> = report.damaged.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|text| text.contains("without an end")), "{names:?}");
}

#[test]
fn what_only_unreachable_objects_name_is_told_from_the_rest() {
    let sound = Sound::new();
    let [first, second] = ["12", "34"].map(|digits| digits.repeat(20).parse::<ObjectId>().unwrap());
    let unreachable = sound.put(ObjectType::Tree, &entry("100644", "lost", first));
    assert_ne!(is_sound(sound.path()), Some(false), "Git passes over it");
    let report = check(sound.path());
    assert_eq!(report.missing.iter().map(|missing| missing.id).collect::<Vec<_>>(), [first]);
    assert_eq!(report.missing[0].named_by, NamedBy::Object(unreachable));
    assert!(report.only_unreachable.contains(&first) && !report.is_good(), "{report:?}");

    // The same object, and another one, named by what a branch leads to.
    let both = [entry("100644", "lost", first), entry("100644", "more", second)].concat();
    let reachable = sound.put(ObjectType::Tree, &both);
    sound.branch_with(reachable);
    assert_ne!(is_sound(sound.path()), Some(true));
    let report = check(sound.path());
    assert_eq!(report.missing.len(), 2, "{report:?}");
    assert!(
        report.missing.iter().all(|missing| missing.named_by == NamedBy::Object(reachable)),
        "{report:?}"
    );
    assert!(report.only_unreachable.is_empty(), "{report:?}");

    // Of what a reference itself names, nothing else is said.
    let third: ObjectId = "56".repeat(20).parse().unwrap();
    sound.put(ObjectType::Tree, &entry("100644", "third", third));
    sound.point("refs/tags/third", third);
    assert!(check(sound.path()).only_unreachable.is_empty());
}
