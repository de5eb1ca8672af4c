//! `fieldtest git fleet`: the names that a job once gave stay, whatever becomes of submodules; repositories that need each
//! other; and which references and which submodules' commits are meant.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::fleet::{FLEET, commit, forge};
use crate::git::{git, git_with, with_repository};
use crate::scratch::Scratch;

/// A run with further arguments: its exit code and what it found.
fn fleet(scratch: &Scratch, more: &str) -> (Option<i32>, Value) {
    let run = scratch.run(&format!("{FLEET} --format json {more}"));
    (run.code, run.json())
}

fn named<'f>(found: &'f Value, list: &str) -> Vec<&'f str> {
    found[list].as_array().unwrap().iter().map(|it| it["repository"].as_str().unwrap()).collect()
}

fn tip(scratch: &Scratch, of: &str) -> String {
    git(&scratch.path(of), &["rev-parse", "HEAD"])
}

fn link(scratch: &Scratch, of: &str) -> String {
    git(&scratch.path(of), &["rev-parse", "HEAD:lib"])
}

const PAD: &str = "--pad-submodules";

/// A library may be away, empty, cut off or damaged for a while: what names its commits is as it was, and goes on.
#[test]
fn names_stay_while_a_library_is_away() {
    type Disturb = fn(&Path);
    let disturb: [(&str, Disturb); 4] = [
        ("away", |lib| fs::rename(lib, lib.with_file_name("../away")).unwrap()),
        ("empty", |lib| drop(git(lib, &["update-ref", "-d", "refs/heads/main"]))),
        ("shallow", |lib| fs::write(lib.join(".git/shallow"), git(lib, &["rev-parse", "HEAD"])).unwrap()),
        ("damaged", |lib| fs::write(lib.join(".git/packed-refs"), "no line of references\n").unwrap()),
    ];
    for (what, disturb) in disturb {
        let Some(scratch) = with_repository() else { return };
        let [app, lib] = forge(&scratch, ["app", "lib"]);
        let first = commit(&lib, None);
        commit(&app, Some(("../lib", &first)));
        assert_eq!(fleet(&scratch, PAD).0, Some(0), "{what}");
        let (right, before) = (link(&scratch, "new/app.git"), tip(&scratch, "new/app.git"));
        assert_eq!(right, tip(&scratch, "new/lib.git"));
        let second = commit(&lib, None);
        disturb(&lib);

        let (_, found) = fleet(&scratch, PAD);
        assert!(!named(&found, "refused").contains(&"app"), "{what}: {found}");
        assert_eq!(tip(&scratch, "new/app.git"), before, "{what}");
        // What is new in what needs it is converted with the name that is known.
        git(&app, &["commit", "--quiet", "--allow-empty", "-m", "more"]);
        let (_, found) = fleet(&scratch, PAD);
        assert!(!named(&found, "refused").contains(&"app"), "{what}: {found}");
        assert_eq!(link(&scratch, "new/app.git"), right, "{what}");
        assert_eq!(git(&scratch.path("new/app.git"), &["rev-parse", "HEAD~"]), before, "{what}");
        assert!(named(&found, "padded").is_empty(), "{what}: {found}");
        // And a commit that it may have has no name before it is read, unless it is named. One that is empty is read.
        if what == "empty" {
            continue;
        }
        commit(&app, Some(("../lib", &second)));
        let before = tip(&scratch, "new/app.git");
        let (code, found) = fleet(&scratch, PAD);
        assert!(code == Some(1) && named(&found, "refused").contains(&"app"), "{what}: {found}");
        assert_eq!(tip(&scratch, "new/app.git"), before, "{what}");
        let (_, found) = fleet(&scratch, &format!("--pad-submodule {second}"));
        assert_eq!(named(&found, "padded"), ["app"], "{what}: {found}");
        assert_eq!(link(&scratch, "new/app.git"), format!("{second}{}", "0".repeat(24)), "{what}");
    }
}

/// What was filled up and published keeps its names until it is asked to have others.
#[test]
fn what_comes_later_renames_nothing_by_itself() {
    let Some(scratch) = with_repository() else { return };
    let [app, top] = forge(&scratch, ["app", "top"]);
    let lib = scratch.path("lib");
    git(&scratch.path(""), &["init", "--quiet", "--initial-branch=main", "lib"]);
    let first = commit(&lib, None);
    let second = commit(&app, Some(("../lib", &first)));
    commit(&top, Some(("../app", &second)));
    let (code, found) = fleet(&scratch, PAD);
    assert_eq!((code, named(&found, "padded")), (Some(0), vec!["app", "top"]), "{found}");
    let map = scratch.path("job/maps").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_marked = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        text.starts_with(&format!("# sha1\tsha256\tpadded\t{first}\n"))
    };
    assert_eq!(
        map.filter(|path| path.extension().is_some_and(|end| end == "tsv")).filter(is_marked).count(),
        2
    );
    let tips = || ["new/app.git", "new/top.git"].map(|of| tip(&scratch, of));
    let before = tips();

    fs::rename(&lib, scratch.path("forge/lib")).unwrap();
    for more in ["", PAD, ""] {
        let (code, found) = fleet(&scratch, more);
        assert!(code == Some(1) && named(&found, "refused").contains(&"app"), "{found}");
        assert_eq!(tips(), before);
    }
    // Named, it stays filled up, and goes on.
    git(&app, &["commit", "--quiet", "--allow-empty", "-m", "more"]);
    let kept = format!("--pad-submodule {first}");
    let (code, found) = fleet(&scratch, &kept);
    assert_eq!((code, named(&found, "padded")), (Some(0), vec!["app", "top"]), "{found}");
    assert_eq!(git(&scratch.path("new/app.git"), &["rev-parse", "HEAD~"]), before[0]);
    assert_eq!(tip(&scratch, "new/top.git"), before[1]);
    let (code, found) = fleet(&scratch, "--rename");
    assert_eq!((code, named(&found, "padded")), (Some(0), vec![]), "{found}");
    assert_eq!(link(&scratch, "new/app.git"), tip(&scratch, "new/lib.git"));
    assert_eq!(link(&scratch, "new/top.git"), git(&scratch.path("new/app.git"), &["rev-parse", "HEAD~"]));
    let (code, found) = fleet(&scratch, "");
    assert_eq!((code, &found["as_they_were"]), (Some(0), &Value::from(3)), "{found}");
}

/// No commit needs itself, so repositories that need each other, and one that needs itself, have names.
#[test]
fn repositories_that_need_each_other() {
    let Some(scratch) = with_repository() else { return };
    let [left, right, own, top] = forge(&scratch, ["left", "right", "own", "top"]);
    let all = || {
        let (code, found) = fleet(&scratch, "");
        assert_eq!(code, Some(0), "{found}");
        // What a history names of others is there.
        for (of, others) in [("left", "right"), ("right", "left"), ("own", "own"), ("top", "left")] {
            let new = |of: &str| scratch.path(&format!("new/{of}.git"));
            git(&new(of), &["fsck", "--full"]);
            let commits = git(&new(of), &["rev-list", "HEAD"]);
            for commit in commits.lines() {
                let listed = git(&new(of), &["ls-tree", commit, "lib"]);
                let Some(link) = listed.split_whitespace().nth(2) else { continue };
                assert_eq!(git(&new(others), &["cat-file", "-t", link]), "commit");
            }
        }
        found
    };
    let grow = |turns: usize| {
        for _ in 0..turns {
            let of_right = git(&right, &["rev-parse", "HEAD"]);
            let of_left = commit(&left, Some(("../right", &of_right)));
            commit(&right, Some(("https://example.org/left", &of_left)));
            let of_own = git(&own, &["rev-parse", "HEAD"]);
            commit(&own, Some(("../own", &of_own)));
        }
        commit(&top, Some(("../left", &git(&left, &["rev-parse", "HEAD~"]))));
    };
    commit(&right, None);
    commit(&own, None);
    grow(3);
    let found = all();
    assert_eq!((&found["converted"], &found["waves"]), (&Value::from(4), &Value::from(2)));
    let tips = || ["left", "right", "own", "top"].map(|of| tip(&scratch, &format!("new/{of}.git")));
    let before = tips();
    assert_eq!(all()["as_they_were"], Value::from(4));
    grow(2);
    assert_eq!(all()["converted"], Value::from(4));
    assert!(tips().iter().zip(before).all(|(now, before)| *now != before));
    // The same from nothing.
    let after = tips();
    for folder in ["new", "job"] {
        fs::remove_dir_all(scratch.path(folder)).unwrap();
    }
    assert_eq!(all()["converted"], Value::from(4));
    assert_eq!(tips(), after);
}

/// What strangers ask to be pulled holds nothing up.
#[test]
fn only_some_references() {
    let Some(scratch) = with_repository() else { return };
    let [app] = forge(&scratch, ["app"]);
    commit(&app, None);
    let main = git(&app, &["rev-parse", "HEAD"]);
    let stray = "17".repeat(20);
    let tree = git_with(&app, format!("160000 commit {stray}\tbeef\n").as_bytes(), &["mktree", "--missing"]);
    let pull = git(&app, &["commit-tree", &tree, "-p", &main, "-m", "a stranger's"]);
    git(&app, &["update-ref", "refs/pull/1/head", &pull]);
    assert_eq!(fleet(&scratch, "").0, Some(1));
    for options in ["--exclude-refs pull", "--refs heads"] {
        let (code, found) = fleet(&scratch, options);
        assert_eq!((code, &found["references_out_of_scope"]), (Some(0), &Value::from(1)), "{found}");
        assert_eq!(
            git(&scratch.path("new/app.git"), &["for-each-ref", "--format=%(refname)"]),
            "refs/heads/main"
        );
    }
    let run = scratch.run(&format!("{FLEET} --exclude-refs heads --exclude-refs pull"));
    assert!(run.stderr.contains("exclude refs/heads/main"), "{run:?}");
    for option in ["--refs", "--exclude-refs"] {
        // The job may remember what it saw.
        scratch.run(&format!("{FLEET} {option} pul")).tells(2, &["'pul'"]);
    }
    // Or what they name is filled up, by its path or its ID.
    for named in ["beef", &*stray] {
        let (code, found) = fleet(&scratch, &format!("--pad-submodule {named}"));
        assert_eq!((code, self::named(&found, "padded")), (Some(0), vec!["app"]), "{found}");
        assert_eq!(found["padded"][0]["commits"], Value::from(vec![&*stray]));
    }
    let padded = |named: &str| scratch.run(&format!("git map forge/app --pad-submodule {named}"));
    assert_eq!(padded("beef/").stdout, padded(&stray).stdout);
    assert_eq!(padded("bee").code, Some(2));
}

/// A file `.git` leads out of the directory no more than a link does.
#[test]
fn what_lies_elsewhere_is_not_converted() {
    let Some(scratch) = with_repository() else { return };
    let [app, tree] = forge(&scratch, ["app", "tree"]);
    commit(&app, None);
    fs::remove_dir_all(tree.join(".git")).unwrap();
    fs::write(tree.join(".git"), "gitdir: ../../old/.git\n").unwrap();
    let (code, found) = fleet(&scratch, "");
    assert_eq!((code, named(&found, "refused")), (Some(1), vec!["tree"]), "{found}");
    // Another working tree of what is in the directory is the same repository.
    git(&app, &["worktree", "add", "--quiet", "--detach", "../further"]);
    fs::remove_dir_all(&tree).unwrap();
    let (code, found) = fleet(&scratch, "");
    assert_eq!((code, &found["same_repositories"]), (Some(0), &Value::from(1)), "{found}");
}

/// What forks borrow, and what lies beside histories, is said.
#[test]
fn what_stays_behind_is_counted() {
    let Some(scratch) = with_repository() else { return };
    let [app] = forge(&scratch, ["app"]);
    commit(&app, None);
    git(&scratch.path("forge"), &["clone", "--quiet", "--bare", "--shared", "app", "fork.git"]);
    for of in ["app/.git", "fork.git"] {
        fs::create_dir(scratch.path("forge").join(of).join("custom_hooks")).unwrap();
    }
    for converted in [2, 0] {
        let (code, found) = fleet(&scratch, "");
        assert_eq!((code, &found["converted"]), (Some(0), &Value::from(converted)), "{found}");
        assert_eq!(found["with_alternates"], 1, "{found}");
        assert_eq!(found["not_carried"]["custom_hooks"], 2, "{found}");
    }
    git(&scratch.path("new/fork.git"), &["fsck", "--full"]);
}
