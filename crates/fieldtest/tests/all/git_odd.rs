//! `fieldtest git` on repositories that are odd and not wrong: partial clones, headers of other programs, notes, objects
//! that do not lead back; and all that it says as JSON.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::git::{git, git_with, with_repository};

fn with_header(old: &Path, header: &str) -> String {
    let content = git(old, &["cat-file", "commit", "main"]).replacen("\n\n", &format!("\n{header}\n\n"), 1);
    let commit = git_with(old, content.as_bytes(), &["hash-object", "-w", "-t", "commit", "--stdin"]);
    git(old, &["update-ref", "refs/heads/main", &commit]);
    commit
}

#[test]
fn one_object_that_does_not_lead_back_may_be_accepted() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    // Two signatures at the end: the way back takes the wrong one.
    let target = git(&old, &["rev-parse", "branch"]);
    let signature = "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n";
    let tag = format!(
        "object {target}\ntype commit\ntag twice\ntagger A <a@example.org> 1700000000 +0000\n\n{signature}{signature}"
    );
    let tag = git_with(&old, tag.as_bytes(), &["hash-object", "-w", "-t", "tag", "--stdin"]);
    git(&old, &["update-ref", "refs/tags/twice", &tag]);
    scratch.run("git convert old new").tells(1, &[&tag, "--except"]);
    let found = scratch.json(&format!("git convert old new --except {tag}"), 0);
    assert_eq!(found["exceptions"]["not_leading_back"], serde_json::json!([tag]), "{found}");
    assert_eq!(found["references"], 5, "{found}");
    let other = "ab".repeat(20);
    scratch.refuses(&format!("git map old --except {other}"), 2, &["no such object"]);
}

#[test]
fn what_cannot_be_converted_may_be_left_out() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let commit = with_header(&old, "jj:trees zzz");
    git(&old, &["update-ref", "refs/heads/odd", &commit]);
    git(&old, &["update-ref", "refs/heads/main", "branch"]);
    assert_eq!(scratch.run("git convert old new").code, Some(1));
    let found = scratch.json(&format!("git convert old new --except {commit}"), 1);
    assert_eq!(found["exceptions"]["left_out"][0]["id"], *commit, "{found}");
    assert_eq!(found["references_left"][0]["name"], "refs/heads/odd", "{found}");
    git(&scratch.path("new"), &["fsck", "--full"]);
}

#[test]
fn everything_that_is_found_is_in_the_json() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    git(&old, &["notes", "add", "-m", "a note", "main"]);
    git(&old, &["commit-graph", "write", "--reachable"]);
    let found = scratch.json("git verify old", 0);
    assert_eq!((&found["verdict"], &found["objects"]), (&"good".into(), &14.into()), "{found}");
    let unchecked = found["not_checked"].as_array().expect("a list");
    assert!(unchecked.iter().any(|what| what == "commit graphs (git commit-graph verify)"), "{found}");
    assert_eq!(found["by_type"]["commit"], 5, "{found}");
    // To `git fsck` it is an invalid pointer.
    fs::write(old.join(".git/refs/heads/outside"), "ref: ../../../etc/passwd\n").expect("a file");
    let damaged = scratch.json("git verify old", 1);
    assert_eq!(damaged["damaged"][0]["reference"], "refs/heads/outside", "{damaged}");
    let id = scratch.json("git id main -C old", 0);
    assert_eq!(id["new"].as_str().map(str::len), Some(64), "{id}");
    let before = scratch.fine("--format json git id main -C old").stdout;
    assert_eq!(serde_json::from_str::<Value>(&before).expect("JSON"), id);
    let map = scratch.json("git map old -o map", 0);
    assert_eq!((&map["objects"], &map["led_back"]), (&14.into(), &true.into()), "{map}");
    let found = scratch.json("git convert old new", 1);
    assert_eq!((&found["notes"]["renamed"], &found["references"]), (&1.into(), &5.into()), "{found}");
    assert_eq!(found["references_left"][0]["name"], "refs/heads/outside", "{found}");
    assert!(!found["not_carried"].as_array().expect("a list").is_empty(), "{found}");
    assert_eq!(git(&scratch.path("new"), &["notes", "show", "main"]), "a note");
    // A message names the reference, and no byte of it steers the terminal.
    fs::write(old.join(".git/refs/heads/\x1b[31mred"), "nonsense\n").expect("a file");
    let run = scratch.run("git convert old other");
    assert!(run.code == Some(1) && run.stderr.contains("red is"), "{run:?}");
    assert!(!run.stderr.contains('\x1b'), "{run:?}");
    for command in ["id -C old", "convert old third", "map old -o third"] {
        // Where it is not offered, and where it is, since all other commands have it.
        let words = ["'csv'", "expected one of human, json"];
        scratch.refuses_by_clap(&format!("git {command} --format csv"), &words);
        scratch.refuses(&format!("--format csv git {command}"), 2, &["choose json"]);
    }
    let run = scratch.run("--format md git map old");
    assert!(run.code == Some(2) && !run.stderr.contains("json"), "{run:?}");
    scratch.refuses("git map old --format json", 2, &["--output"]);
    scratch.refuses(&["git", "id", "main", "-C", "old", "--keep-header", ""][..], 2, &["--keep-header ''"]);
    // What has no end takes neither all time nor all memory.
    scratch.refuses("git id main -C old --submodule /dev/zero", 1, &["/dev/zero", "text file"]);
}

#[test]
fn a_partial_clone() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    git(&old, &["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", old.display());
    git(&scratch.path(""), &["clone", "--quiet", "--bare", "--filter=blob:none", &from, "partial"]);
    let found = scratch.json("git verify partial", 0);
    assert_eq!((&found["promised"], &found["verdict"]), (&3.into(), &"good".into()), "{found}");
    scratch.run("git convert partial new").tells(1, &["without --filter"]);
}
