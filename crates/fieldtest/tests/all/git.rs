//! `fieldtest git` as its users meet it: a small repository with what is special in real ones, verified, mapped,
//! converted and named, with Git itself as judge. Without Git nothing can be tested here; with
//! `FIELDTEST_PEERS=required` in the environment that is a failure.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::scratch::{Run, Scratch, Typed, installed};

const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----";

/// Git in a directory, with this on its standard input; what it prints, trimmed.
#[track_caller]
pub(crate) fn git_with(folder: &Path, input: &[u8], arguments: &(impl Typed + ?Sized)) -> String {
    let mut child = Command::new("git")
        .args(arguments.words())
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.org")])
        .envs([("GIT_AUTHOR_DATE", "1700000000 +0100"), ("GIT_COMMITTER_DATE", "1700000000 -0230")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("git reads");
    let run = Run::of(child);
    assert_eq!(run.code, Some(0), "git {arguments:?}: {run:?}");
    run.stdout.trim_end().to_owned()
}

#[track_caller]
pub(crate) fn git(folder: &Path, arguments: &(impl Typed + ?Sized)) -> String {
    git_with(folder, b"", arguments)
}

/// A repository `old` with a merge, an annotated tag, a signed commit, a mode that only old Gits wrote, a symbolic link
/// and an executable; packed. `branch` stands at the second parent.
pub(crate) fn with_repository() -> Option<Scratch> {
    if !installed("git") {
        return None;
    }
    let scratch = Scratch::new();
    let old = scratch.path("old");
    git(scratch.path("").as_path(), &["init", "--quiet", "--initial-branch=main", "old"]);
    let object = |kind: &str, content: &[u8]| {
        git_with(&old, content, &["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
    };
    let blob = object("blob", b"hello\n");
    let script = object("blob", b"#!/bin/sh\n");
    let long: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let long = object("blob", long.as_bytes());
    let tree = |entries: &[(&str, &String)]| {
        let bytes: Vec<u8> = entries.iter().flat_map(|(head, id)| entry(head, id)).collect();
        object("tree", &bytes)
    };
    let sub = tree(&[("100664 group-writable", &blob), ("100755 run", &script)]);
    let first = tree(&[("100644 a.txt", &blob), ("40000 dir", &sub)]);
    let second = tree(&[("100644 a.txt", &long), ("40000 dir", &sub), ("120000 link", &blob)]);
    let people = "author A <a@example.org> 1700000000 +0100\ncommitter C <c@example.org> 1700000100 -0230\n";
    let first = object("commit", format!("tree {first}\n{people}\nfirst\n").as_bytes());
    let signed = format!("tree {second}\nparent {first}\n{people}gpgsig {SIGNATURE}\n\nsigned, no newline");
    let signed = object("commit", signed.as_bytes());
    let side = format!(
        "tree {first_tree}\nparent {first}\n{people}\nside\n",
        first_tree = git(&old, &["rev-parse", &format!("{first}^{{tree}}")])
    );
    let side = object("commit", side.as_bytes());
    let merge = format!("tree {second}\nparent {signed}\nparent {side}\n{people}\nmerge\n");
    let merge = object("commit", merge.as_bytes());
    git(&old, &["update-ref", "refs/heads/main", &merge]);
    git(&old, &["update-ref", "refs/heads/branch", &side]);
    git(&old, &["tag", "-a", "v1", "-m", "release", &signed]);
    git(&old, &["update-ref", "refs/pull/1/head", &first]);
    git(&old, &["repack", "-adq"]);
    git(&old, &["reset", "--hard", "--quiet"]);
    Some(scratch)
}

fn entry(head: &str, id: &str) -> Vec<u8> {
    let id: Vec<u8> =
        (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).expect("hex")).collect();
    [head.as_bytes(), b"\0", &id].concat()
}

/// A commit on top of `main` whose tree has a submodule; returns the submodule's commit.
fn add_submodule(old: &Path) -> String {
    let submodule = git(old, &["rev-parse", "branch"]).replace(['0', '1'], "a");
    git(old, &["update-index", "--add", "--cacheinfo", &format!("160000,{submodule},lib")]);
    let tree = git(old, &["write-tree"]);
    let commit = git(old, &["commit-tree", &tree, "-p", "main", "-m", "a submodule"]);
    git(old, &["update-ref", "refs/heads/main", &commit]);
    submodule
}

fn pairs(map: &str) -> Vec<(&str, &str)> {
    let lines = map.lines().skip(1).map(|line| {
        let mut fields = line.split('\t');
        (fields.next().expect("the old ID"), fields.next().expect("the new ID"))
    });
    lines.collect()
}

#[test]
fn a_good_repository_and_one_with_a_wrong_byte() {
    let Some(scratch) = with_repository() else { return };
    // From a directory within, as Git does.
    let run = scratch.fine("git verify old/dir");
    assert_eq!(run.stdout, "");
    for words in ["11 objects", "4 commits, 3 trees, 3 blobs, 1 tag", "good: ", "sha-1dc"] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    scratch.fine("git verify old -i rustcrypto -j 1").tells(0, &["sha-1 (rustcrypto)"]);

    // A loose blob that says something else, and the loss of another one.
    let old = scratch.path("old");
    let loose = |content: &[u8]| {
        let id = git_with(&old, content, &["hash-object", "-w", "--stdin"]);
        (old.join(".git/objects").join(&id[..2]).join(&id[2..]), id)
    };
    let (right, id) = loose(b"right");
    let (wrong, other) = loose(b"wrong");
    replace(&wrong, &fs::read(&right).expect("an object"));
    let tree = git_with(&old, &entry("100644 lost", &id), &["hash-object", "-w", "-t", "tree", "--stdin"]);
    fs::remove_file(&right).expect("an object");
    let run = scratch.run("git verify old --format csv");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains(&format!("\n{other},")), "{run:?}");
    assert!(run.stdout.contains(&format!("\n{id},missing; {tree} names it")), "{run:?}");
    assert!(run.stderr.contains("1 fault and 1 missing object"), "{run:?}");
    let run = scratch.run("git verify old --show 0");
    assert!(run.stdout.contains("--show 2"), "{run:?}");
}

/// Replaces a file that Git made read-only.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).expect("a file");
    fs::write(path, bytes).expect("a file");
}

#[test]
fn converted_and_back() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let map = scratch.fine("git map old");
    assert!(map.stderr.contains("11 objects") && map.stderr.contains("convert back"), "{map:?}");
    assert!(map.stdout.starts_with("# sha1\tsha256\n"), "{map:?}");
    let run = scratch.fine("git convert old new.git --map map");
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("11 objects and 4 references by sha-256"), "{run:?}");
    assert_eq!(scratch.read("map"), map.stdout);

    let new = scratch.path("new.git");
    assert_eq!(git(&new, &["rev-parse", "--show-object-format"]), "sha256");
    git(&new, &["fsck", "--full", "--no-dangling"]);
    let same = |arguments: &[&str]| assert_eq!(git(&old, arguments), git(&new, arguments), "{arguments:?}");
    same(&["log", "--all", "--topo-order", "--format=%an %ae %at %cn %ct %s %b"]);
    same(&["diff", "--stat", "main~1", "branch"]);
    same(&["for-each-ref", "--format=%(refname) %(objecttype)"]);
    same(&["symbolic-ref", "HEAD"]);
    same(&["cat-file", "-p", "main:dir/run"]);
    assert_eq!(git(&new, &["ls-tree", "main:dir"]).matches("100664").count(), 0, "Git shows it as 100644");

    // Every revision has the name that Git gives it there.
    for revision in
        ["HEAD", "main", "v1", "v1^{}", "v1^{tree}", "branch^{tree}", "refs/heads/branch", "main^{commit}"]
    {
        let id = scratch.fine(&format!("git id {revision} -C old/dir")).stdout;
        assert_eq!(id.trim_end(), git(&new, &["rev-parse", revision]), "{revision}");
        let id = scratch.fine(&format!("git id {revision} -C new.git")).stdout;
        assert_eq!(id.trim_end(), git(&old, &["rev-parse", revision]), "{revision}");
    }
    let full = git(&old, &["rev-parse", "v1^{tree}"]);
    for name in [&full, &full[..12], &full[..12].to_uppercase()] {
        let id = scratch.fine(&format!("git id {name} -C old --to sha-256")).stdout;
        assert_eq!(id.trim_end(), git(&new, &["rev-parse", "v1^{tree}"]), "{name}");
    }

    // The way back, and the map of it.
    scratch.fine("git convert new.git back.git --map back");
    let (there, back) = (map.stdout, scratch.read("back"));
    let mut turned: Vec<_> = pairs(&back).into_iter().map(|(old, new)| (new, old)).collect();
    turned.sort_unstable();
    assert_eq!(pairs(&there), turned);
    assert_eq!(git(&old, &["for-each-ref"]), git(&scratch.path("back.git"), &["for-each-ref"]));
    git(&scratch.path("back.git"), &["fsck", "--full", "--no-dangling"]);

    // Either direction can be gone on from.
    for since in ["map", "back"] {
        let again = scratch.fine(&format!("git map old --since {since}"));
        assert_eq!(again.stdout, there, "{since}");
    }
}

#[test]
fn every_hash_function_maps_it() {
    let Some(scratch) = with_repository() else { return };
    let list = scratch.json("list hash", 0);
    let names = list["rows"].as_array().expect("rows").iter().filter_map(|row| row["algorithm"].as_str());
    let mut maps = 0;
    for name in names.filter(|name| !name.starts_with("sha-1")) {
        let run = scratch.fine(&format!("git map old --to {name}"));
        assert_eq!(pairs(&run.stdout).len(), 11, "{name}: {run:?}");
        assert!(run.stderr.contains(name), "{name}: {run:?}");
        maps += 1;
    }
    assert!(maps >= 8, "only {maps} hash functions");
    for name in ["sha1", "sha-1", "sha-1dc"] {
        scratch.refuses(&format!("git map old --to {name}"), 2, &["object format sha1", "--to"]);
    }
}

#[test]
fn only_what_some_references_lead_to() {
    let Some(scratch) = with_repository() else { return };
    let map = |more: &str| scratch.fine(&format!("git map old {more}")).stdout;
    // HEAD and all that it leads to is always there: only the tag itself is not.
    assert_eq!(pairs(&map("--refs refs/pull/")).len(), 10);
    assert_eq!(pairs(&map("--refs heads/branch --refs tags")).len(), 11);
    for option in ["--refs", "--exclude-refs"] {
        scratch.refuses(&format!("git map old {option} pul"), 2, &["'pul'"]);
        scratch.refuses(&format!("git convert old new {option} pul"), 2, &["'pul'"]);
    }
    // What HEAD stands for stays, and is named.
    let run = scratch.fine("git convert old head --exclude-refs heads --no-round-trip");
    assert!(run.stderr.contains("refs/heads/main") && !run.stderr.contains("refs/heads/branch"), "{run:?}");
    let names = git(&scratch.path("head"), &["for-each-ref", "--format=%(refname)", "refs/heads"]);
    assert_eq!(names, "refs/heads/main");
    scratch.fine("git convert old new --refs heads --no-round-trip");
    let names = git(&scratch.path("new"), &["for-each-ref", "--format=%(refname)"]);
    assert!(!names.contains("refs/tags/v1"), "{names}");
}

#[test]
fn submodules_want_maps() {
    let Some(scratch) = with_repository() else { return };
    let submodule = add_submodule(&scratch.path("old"));
    for command in ["map old", "convert old new"] {
        let run = scratch.run(&format!("git {command}"));
        assert_eq!((run.code, &*run.stdout), (Some(1), ""), "{run:?}");
        for words in [&*submodule, "\"lib\"", "--submodule", "--pad-submodules", "2 objects"] {
            assert!(run.stderr.contains(words), "{words}: {run:?}");
        }
        assert!(!scratch.path("new").exists());
    }
    scratch.run("git id -C old").tells(1, &["--submodule"]);
    let padded = scratch.fine("git id -C old --pad-submodules").stdout;
    // Which leads back with the same option.
    scratch.fine("git convert old padded --pad-submodules");
    let back = scratch.fine("git id -C padded --pad-submodules").stdout;
    assert_eq!(back.trim_end(), git(&scratch.path("old"), &["rev-parse", "main"]));

    // A map that was made so serves nothing else, unless what is filled up is named.
    scratch.fine("git map old --pad-submodules -o padded.tsv");
    let named = format!("--pad-submodule {submodule}");
    for command in ["git map old -o other", "git convert old other"] {
        let arguments = format!("{command} --submodule padded.tsv");
        scratch.refuses(&arguments, (1, "padded-map"), &["padded.tsv", &named]);
        scratch.refuses(&format!("{arguments} --pad-submodules"), (1, "padded-map"), &[&*submodule]);
    }
    scratch.fine(&format!("git map old --submodule padded.tsv {named}"));
    scratch.refuses("git map old --since padded.tsv", 2, &["padded.tsv"]);
    scratch.refuses("git map old --form loose-object-idx --pad-submodules", 2, &["--output-format tsv"]);

    let name = "5".repeat(64);
    scratch.write("maps", format!("# sha1\tsha256\n{submodule}\t{name}\tcommit\n"));
    let mapped = scratch.fine("git id -C old --submodule maps").stdout;
    assert_ne!(mapped, padded);
    scratch.fine("git convert old new --submodule maps");
    assert!(git(&scratch.path("new"), &["ls-tree", "main"]).contains(&name));
    assert_eq!(format!("{}\n", git(&scratch.path("new"), &["rev-parse", "main"])), mapped);
    // An ID that is of 32 bytes has no shorter form, and nothing says that it had.
    let run = scratch.run("git convert new back --pad-submodules");
    assert!(run.code == Some(1) && run.stderr.contains("--submodule"), "{run:?}");
    assert!(!run.stderr.contains("--pad-submodules"), "{run:?}");
    // The same map serves on the way back.
    let back = scratch.fine("git id -C new --submodule maps").stdout;
    assert_eq!(back.trim_end(), git(&scratch.path("old"), &["rev-parse", "main"]));
}

/// What Git prunes piece by piece is left out, and counted; what Git reads as another format's names is written.
#[test]
fn objects_that_nothing_leads_to_and_maps_of_git() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let whole = scratch.fine("git map old").stdout;
    let tree =
        git_with(&old, format!("100644 blob {}\ta\n", "17".repeat(20)).as_bytes(), &["mktree", "--missing"]);
    git(&old, &["fsck"]);
    let found = scratch.json("git map old -o map.tsv", 0);
    assert_eq!(found["exceptions"]["left_out_unreachable"], 1, "{found}");
    assert_eq!(scratch.read("map.tsv"), whole);
    // A reference leads to it: that is damage.
    git(&old, &["update-ref", "refs/x/tree", &tree]);
    assert_eq!(scratch.run("git map old").code, Some(1));
    git(&old, &["update-ref", "-d", "refs/x/tree"]);

    let text = scratch.fine("git map old --form loose-object-idx").stdout;
    let (head, lines) = text.split_once('\n').unwrap();
    let wanted: Vec<String> = pairs(&whole).into_iter().map(|(old, new)| format!("{old} {new}")).collect();
    assert_eq!(
        (head, lines.lines().collect::<Vec<_>>()),
        ("# loose-object-idx", wanted.iter().map(|it| &**it).collect())
    );
}

#[test]
fn headers_that_git_does_not_know() {
    let Some(scratch) = with_repository() else { return };
    let old = scratch.path("old");
    let content =
        git(&old, &["cat-file", "commit", "main"]).replacen("\n\n", "\nchange-id zzz\njj:trees zzz\n\n", 1);
    let commit = git_with(&old, content.as_bytes(), &["hash-object", "-w", "-t", "commit", "--stdin"]);
    git(&old, &["update-ref", "refs/heads/main", &commit]);
    let run = scratch.run("git map old");
    assert_eq!((run.code, &*run.stdout), (Some(1), ""), "{run:?}");
    for words in [&*commit, "\"jj:trees\"", "--keep-header"] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    let kept = scratch.fine("git map old --keep-header jj:trees").stdout;
    assert_eq!(kept, scratch.fine("git map old --keep-unknown-headers").stdout);
    assert_eq!(scratch.run("git map old --keep-header other").code, Some(1));
}

#[test]
fn what_is_refused() {
    let Some(scratch) = with_repository() else { return };
    let refuses = |arguments: &str, code, words: &[&str]| {
        scratch.refuses(&format!("git {arguments}"), code, words);
    };
    fs::create_dir(scratch.path("empty")).expect("a directory");
    for command in ["verify", "map"] {
        refuses(&format!("{command} empty"), 1, &["empty", "Git repository"]);
        refuses(&format!("{command} missing"), 1, &["missing", "no such file"]);
        refuses(&format!("{command} old -i nonsense"), 2, &["'nonsense'"]);
    }
    refuses("verify old -i blake3", 2, &["unknown implementation", "sha-1dc", "blake3"]);
    refuses("map old --to sha257", 2, &["unknown algorithm 'sha257'", "sha-256"]);
    refuses("map old --to blake3 --form loose-object-idx", 2, &["blake3", "--output-format tsv"]);
    refuses("map old -o no/map", 1, &["no directory no"]);
    refuses("map old --since none", 1, &["the map none"]);
    scratch.write("text", "no map\n");
    refuses("map old --since text", 1, &["the map text", "line 1", "first line"]);
    refuses("convert old new --to blake3", 2, &["blake3", "fieldtest git map"]);
    scratch.refuses("git convert old empty", (1, "exists"), &["empty already"]);
    refuses("convert old no/new", 1, &["no directory no"]);
    scratch.refuses("git id nonsense -C old", (1, "unknown"), &["nonsense"]);
    refuses("id main~1 -C old", 2, &["main~1", "git rev-parse"]);
    refuses("id main^{blob} -C old", 1, &["blob"]);
    refuses(&format!("id {} -C old", "0".repeat(40)), 1, &["is missing"]);

    let (from, to) = (format!("file://{}", scratch.path("old").display()), scratch.path("shallow"));
    git(&scratch.path(""), &["clone", "--quiet", "--depth=1", &from, &to.display().to_string()]);
    scratch.fine("git verify shallow");
    for command in ["map shallow", "convert shallow new", "id -C shallow"] {
        refuses(command, 1, &["--unshallow"]);
    }
}
