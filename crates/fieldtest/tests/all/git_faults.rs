//! `fieldtest git` on repositories that lack something, and on places that are not as they should be.

use std::fs;

use crate::git::{git, git_with, with_repository};

#[test]
fn unsound_objects_are_in_every_form() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let tree = git_with(&old, b"100644 zz", &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"]);
    let blob = git_with(&old, b"content", &["hash-object", "-w", "--stdin"]);
    fs::write(old.join(".git/refs/heads/blob"), format!("{blob}\n")).expect("a file");
    let found = scratch.json("git verify old", 1);
    assert_eq!(found["damaged"][0]["object"], *tree, "{found}");
    assert_eq!(found["damaged"][1]["reference"], "refs/heads/blob", "{found}");
    assert_eq!(found["verdict"], "bad", "{found}");
    let run = scratch.run("git verify old");
    assert!(run.code == Some(1) && run.stdout.contains(&tree) && run.stdout.contains("malformed"), "{run:?}");
    assert!(!run.stderr.contains("connections checked"), "{run:?}");
    scratch.run("git map old").tells(1, &[&tree]);
    // What no reference leads to is no part of the conversion; the branch is.
    scratch.run("git convert old new").tells(1, &["refs/heads/blob is"]);
}

#[test]
fn what_only_unreachable_objects_need_is_said_to_be_so() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let bytes = [&b"100644 lost\0"[..], &[0x12; 20]].concat();
    git_with(&old, &bytes, &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"]);
    let found = scratch.json("git verify old", 1);
    assert_eq!(found["missing"][0]["only_unreachable"], true, "{found}");
    let run = scratch.run("git verify old --format csv");
    assert!(run.stderr.contains("1 missing object"), "{run:?}");
}

#[test]
fn what_a_reflog_names_and_is_missing() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    scratch.fine("git verify old").tells(0, &["; not checked: "]);
    let before = scratch.json("git verify old", 0);
    let (absent, log) = ("12".repeat(20), old.join(".git/logs/refs/heads/gone"));
    fs::create_dir_all(log.parent().expect("a directory")).expect("a directory");
    let null = "0".repeat(40);
    fs::write(&log, format!("{null} {absent} A <a@example.org> 1700000000 +0000\tcommit: x\nx\n"))
        .expect("a file");
    let found = scratch.json("git verify old", 1);
    assert_eq!(found["missing"][0]["object"], *absent, "{found}");
    assert_eq!(found["missing"][0]["named_by"], "the reflog of refs/heads/gone", "{found}");
    assert_eq!(found["reflogs"].as_u64(), before["reflogs"].as_u64().map(|reflogs| reflogs + 1), "{found}");
    let run = scratch.run("git verify old --format csv");
    assert!(run.stdout.contains("missing; the reflog of refs/heads/gone "), "{run:?}");
    assert!(run.stderr.contains("that Git"), "{run:?}");
    git(&old, &["reflog", "expire", "--stale-fix", "--all"]);
    scratch.fine("git verify old");
}

#[test]
fn the_empty_tree_need_not_be_stored() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let empty = git(&old, &["hash-object", "-t", "tree", "/dev/null"]);
    let commit = git(&old, &["commit-tree", &empty, "-m", "nothing"]);
    git(&old, &["update-ref", "refs/heads/empty", &commit]);
    let found = scratch.json("git verify old", 1);
    assert_eq!(found["missing"][0]["object"], *empty, "{found}");
    let run = scratch.run("git verify old --format csv");
    assert!(run.stdout.contains("`git hash-object -w -t tree /dev/null` stores it"), "{run:?}");
    let tree = scratch.fine(&["git", "id", "empty^{tree}", "-C", "old"]).stdout;
    assert!(scratch.fine("git map old").stdout.contains(&format!("{empty}\t{}", tree.trim())));
    scratch.fine("git convert old new");
    git(&scratch.path("new"), &["fsck", "--full"]);
    assert_eq!(git(&scratch.path("new"), &["rev-parse", "empty^{tree}"]), tree.trim());
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
}

#[test]
fn a_map_that_cannot_be_written_leaves_no_destination() {
    let Some(scratch) = with_repository() else { return };
    let before = scratch.listing();
    // The map's place is taken when the repository is there, and only then.
    scratch.run("git convert old new --map new").tells(1, &["new"]);
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
