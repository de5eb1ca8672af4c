//! `fieldtest git` on repositories that lack something, and on places that are not as they should be.

use std::fs;

use crate::git::{git, git_with, with_repository};

#[test]
fn what_is_wrong_is_in_every_form() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let tree =
        |bytes: &[u8]| git_with(&old, bytes, &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"]);
    // An unreachable tree, a reflog and a commit name what is not there.
    tree(&[&b"100644 lost\0"[..], &[0x12; 20]].concat());
    let (lost, absent, null) = ("12".repeat(20), "34".repeat(20), "0".repeat(40));
    let empty = git(&old, &["hash-object", "-t", "tree", "/dev/null"]);
    let commit = git(&old, &["commit-tree", &empty, "-m", "nothing"]);
    git(&old, &["update-ref", "refs/heads/empty", &commit]);
    let log = format!("{null} {absent} A <a@example.org> 1700000000 +0000\tcommit: x\nx\n");
    fs::create_dir_all(old.join(".git/logs/refs/heads")).expect("a directory");
    fs::write(old.join(".git/logs/refs/heads/gone"), log).expect("a file");
    let found = scratch.json("git verify old", 1);
    let missing = found["missing"].as_array().expect("a list");
    let of = |id: &str| missing.iter().find(|it| it["object"] == *id).expect("a missing object");
    assert_eq!((missing.len(), &of(&empty)["only_unreachable"]), (3, &false.into()), "{found}");
    assert_eq!(of(&lost)["only_unreachable"], true, "{found}");
    assert_eq!(of(&absent)["named_by"], "the reflog of refs/heads/gone", "{found}");
    assert!(found["reflogs"].as_u64() > Some(0), "{found}");
    let run = scratch.run("git verify old --format csv");
    let stores = "`git hash-object -w -t tree /dev/null` stores it";
    for words in ["missing; the reflog of refs/heads/gone ", stores] {
        assert!(run.stdout.contains(words), "{words}: {run:?}");
    }
    for words in ["3 missing objects", "; not checked: ", "that Git"] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }

    let unsound = tree(b"100644 zz");
    let blob = git_with(&old, b"content", &["hash-object", "-w", "--stdin"]);
    fs::write(old.join(".git/refs/heads/blob"), format!("{blob}\n")).expect("a file");
    let found = scratch.json("git verify old", 1);
    assert_eq!(found["damaged"][0]["object"], *unsound, "{found}");
    assert_eq!(found["damaged"][1]["reference"], "refs/heads/blob", "{found}");
    assert_eq!(found["verdict"], "bad", "{found}");
    let run = scratch.run("git verify old");
    assert!(run.code == Some(1) && run.stdout.contains("malformed"), "{run:?}");
    assert!(!run.stderr.contains("connections checked"), "{run:?}");
    // What no reference leads to is no part of the conversion; the branch is.
    scratch.run("git convert old new").tells(1, &["refs/heads/blob is"]);
}

#[test]
fn an_alternate_that_cannot_be_read_is_named() {
    let Some(scratch) = with_repository() else { return };
    scratch.write("file", "no directory");
    fs::create_dir_all(scratch.path("other/info")).expect("folders");
    scratch.write("other/info/alternates", "/nowhere/below\n");
    let alternates = scratch.path("old/.git/objects/info/alternates");
    for (place, named) in [
        ("/nowhere/objects", "/nowhere/objects"),
        ("../../../file", "../../../file"),
        // One of another's.
        ("../../../other", "/nowhere/below"),
    ] {
        fs::write(&alternates, format!("{place}\n")).expect("a file");
        for form in ["human", "json", "csv"] {
            scratch.refuses(
                &format!("git verify old --format {form}"),
                1,
                &["alternates", named, "restore it"],
            );
        }
    }
}

#[test]
fn a_repository_without_content_cannot_be_studied() {
    let Some(scratch) = with_repository() else { return };
    let study = |name: &str, words: &[&str]| {
        let budget = "--budget 1 --algorithm sha-1 -o out";
        let run = scratch.run(&format!("git study {name} {budget}"));
        assert_eq!(run.code, Some(1), "{run:?}");
        words.iter().for_each(|word| assert!(run.stderr.contains(word), "{word}: {run:?}"));
    };
    git(&scratch.path(""), &["init", "-q", "unborn"]);
    study("unborn", &["unborn", "commit something"]);
    // The empty blob is no more.
    git(&scratch.path("unborn"), &["hash-object", "-w", "/dev/null"]);
    study("unborn", &["commit something"]);
    fs::create_dir_all(scratch.path("bare/objects")).expect("folders");
    scratch.write("bare/HEAD", "ref: refs/heads/main\n");
    study("bare", &["commit something"]);
}

#[test]
fn a_destination_may_end_with_a_slash() {
    let Some(scratch) = with_repository() else { return };
    for (typed, made) in
        [("new/", "new"), ("other//", "other"), ("third/.", "third"), ("./fourth/", "fourth")]
    {
        scratch.fine(&format!("git convert old {typed}"));
        git(&scratch.path(made), &["fsck", "--full"]);
        scratch.refuses(&format!("git convert old {typed}"), 1, &["already exists"]);
    }
    scratch.refuses("git convert old no/new/", 1, &["no directory no"]);
    scratch.refuses("git convert old old/inner", 2, &["only read", "outside"]);
}

#[test]
fn a_map_that_cannot_be_written_leaves_no_destination() {
    let Some(scratch) = with_repository() else { return };
    let before = scratch.listing();
    // Both are one place, which is seen before anything is written.
    scratch.run("git convert old new --map new").tells(2, &["new"]);
    assert_eq!(scratch.listing(), before);
}

#[test]
fn no_study_is_written_into_the_repository_that_it_is_about() {
    let Some(scratch) = with_repository() else { return };
    let before = scratch.listing();
    scratch.write("study.toml", "[git]\nrepository = 'old'\nalgorithms = ['sha-1']\n");
    for place in ["old/.git", "old/.git/report", "old/.git/objects/deep"] {
        scratch.refuses(&format!("study study.toml --budget 1 -o {place}"), 2, &["only read"]);
        scratch.refuses(&format!("git study old --budget 1 -o {place}"), 2, &["only read"]);
    }
    fs::remove_file(scratch.path("study.toml")).expect("a file");
    assert_eq!(scratch.listing(), before);
}
