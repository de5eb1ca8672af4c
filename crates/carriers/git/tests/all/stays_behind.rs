//! Notes that others than git-notes(1) keep, or that are about notes; and what a conversion leaves behind.

use std::fs;

use crate::carried_over::{history, leads_back};
use crate::git::{git, is_installed};
use crate::repositories::{convert, open};
use fieldtest_git::destination;

/// Notes about notes, about notes about notes, and notes where others than git-notes(1) keep them.
#[test]
fn notes_about_notes_and_notes_elsewhere_lead_back() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, _] = &places;
    git(old, &["notes", "add", "-m", "first", "HEAD"]);
    // `a` comes before what it is about, and `commits` goes on with what is about `a`.
    git(old, &["notes", "--ref=a", "add", "-m", "about notes", "refs/notes/commits"]);
    git(old, &["notes", "add", "-m", "about notes about notes", "refs/notes/a"]);
    git(old, &["notes", "--ref=a", "add", "-m", "once more", "refs/notes/commits"]);
    let elsewhere = [
        "refs/changes/01/1/meta",
        "refs/namespaces/x/refs/notes/commits",
        "refs/namespaces/x/refs/namespaces/y/refs/notes/a",
        "refs/remotes/origin/notes/commits",
    ];
    let of = |name: &str| if name.ends_with('a') { "refs/notes/a" } else { "refs/notes/commits" };
    for name in elsewhere {
        git(old, &["update-ref", name, of(name)]);
    }
    // A branch of a remote may be called so.
    git(old, &["update-ref", "refs/remotes/origin/notes/branch", "main"]);
    let written = convert(old, new).unwrap();
    assert!(written.notes.kept.is_empty() && written.notes.unchanged.is_empty(), "{:?}", written.notes);
    assert_eq!(git(new, &["notes", "show", "main"]), "first\n");
    assert_eq!(git(new, &["notes", "--ref=a", "show", "refs/notes/commits"]), "once more\n");
    assert_eq!(git(new, &["notes", "--ref=a", "show", "refs/notes/commits~1"]), "about notes\n");
    assert_eq!(git(new, &["notes", "show", "refs/notes/a~1"]), "about notes about notes\n");
    for name in elsewhere {
        assert_eq!(git(new, &["rev-parse", name]), git(new, &["rev-parse", of(name)]), "{name}");
    }
    assert_eq!(git(new, &["rev-parse", "origin/notes/branch"]), git(new, &["rev-parse", "main"]));
    git(new, &["fsck", "--full", "--strict"]);
    leads_back(&places);
}

/// Whatever is in the directory of a repository and not in the new one is named.
#[test]
fn everything_that_stays_behind_is_named() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bare.git");
    git(folder.path(), &["init", "-q", "--bare", "bare.git"]);
    let left = || destination::left_behind(&open(&path));
    assert_eq!(left(), [""; 0], "what `git init` makes");
    let files = [
        "cloneurl",
        "custom_hooks",
        "description",
        "git-daemon-export-ok",
        "info/attributes",
        "info/exclude",
        "info/other",
        "objects/info/http-alternates",
        "objects/loose-object-idx",
        "objects/other",
        "objects/pack/pack-1.keep",
        "other",
    ];
    for file in files {
        fs::write(path.join(file), "mine\n").unwrap();
    }
    assert_eq!(left(), files);
    for file in files {
        fs::remove_file(path.join(file)).unwrap();
    }
    git(&path, &["config", "receive.denyNonFastForwards", "true"]);
    git(&path, &["config", "remote.a.url", "secret"]);
    fs::write(path.join("hooks/update"), "").unwrap();
    fs::write(path.join("ORIG_HEAD"), "").unwrap();
    let found = left();
    assert_eq!(found.len(), 3, "{found:?}");
    let settings = "settings (receive.denynonfastforwards, remote.url)";
    assert!(found.iter().any(|what| what == settings), "{found:?}");
}
