//! What a conversion makes of notes, replacements, and references of all kinds, with Git itself as the judge.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git::{git, is_installed};
use crate::repositories::{convert, open};
use fieldtest_git::destination;

/// A repository of six commits, with the places of two that are made of it.
pub(crate) fn history() -> (tempfile::TempDir, [PathBuf; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let places = ["old", "new.git", "back.git"].map(|name| folder.path().join(name));
    let path = &places[0];
    fs::create_dir(path).unwrap();
    git(path, &["init", "-q", "-b", "main", "."]);
    for step in 0..6 {
        fs::write(path.join("file"), step.to_string()).unwrap();
        git(path, &["add", "."]);
        git(path, &["commit", "-q", "-m", &format!("step {step}")]);
    }
    (folder, places)
}

/// Converts the new repository back, which has to give the old one's references.
#[track_caller]
pub(crate) fn leads_back([old, new, back]: &[PathBuf; 3]) -> destination::Written {
    let written = convert(new, back).unwrap();
    same(old, back, &["for-each-ref"]);
    written
}

fn id(repository: &Path, revision: &str) -> String {
    git(repository, &["rev-parse", revision]).trim().to_owned()
}

/// Git with an index of its own, so that the working tree's is left alone.
fn git_with_index(folder: &Path, arguments: &[&str]) -> String {
    let script = format!("!GIT_INDEX_FILE=notes-index git {}", arguments.join(" "));
    git(folder, &["-c", &format!("alias.with={script}"), "with"]).trim().to_owned()
}

fn add_note(repository: &Path, blob: &str, path: &str) {
    git_with_index(repository, &["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
}

fn commit_notes(repository: &Path) {
    let tree = git_with_index(repository, &["write-tree"]);
    let commit = git(repository, &["commit-tree", &tree, "-m", "notes"]).trim().to_owned();
    git(repository, &["update-ref", "refs/notes/commits", &commit]);
}

pub(crate) fn same(one: &Path, other: &Path, arguments: &[&str]) {
    assert_eq!(git(one, arguments), git(other, arguments), "{arguments:?}");
}

#[test]
fn notes_are_found_by_new_names_and_lead_back() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, back] = &places;
    let ids: Vec<String> = (0..6).map(|back| format!("HEAD~{back}")).filter(|id| id != "HEAD~5").collect();
    for id in &ids {
        git(old, &["notes", "add", "-m", &format!("about {id}"), id]);
    }
    git(old, &["notes", "append", "-m", "more", "HEAD~1"]);
    git(old, &["notes", "remove", "HEAD~2"]);
    // Another reference with notes on a tree and a blob, and something between them that is no note.
    git(old, &["notes", "--ref=review/deep", "add", "-m", "a tree", "HEAD^{tree}"]);
    git(old, &["notes", "--ref=review/deep", "add", "-m", "a blob", "HEAD:file"]);
    let written = convert(old, new).unwrap();
    assert_eq!(written.notes.renamed, 6, "{:?}", written.notes);
    assert!(written.left.is_empty() && written.notes.kept.is_empty() && written.notes.unchanged.is_empty());
    git(new, &["fsck", "--full", "--strict"]);
    same(old, new, &["log", "--format=%s %N", "main"]);
    same(
        old,
        new,
        &["log", "--format=%an %at %s %b", "--stat=200", "--summary", "--shortstat", "-1", "main"],
    );
    same(old, new, &["log", "--format=%an %at %s", "refs/notes/commits"]);
    assert_eq!(git(new, &["notes", "--ref=review/deep", "show", "main:file"]), "a blob\n");
    assert_eq!(git(new, &["notes", "--ref=review/deep", "show", "main^{tree}"]), "a tree\n");
    // Whatever names there are come back, commit for commit.
    assert_eq!(leads_back(&places).notes.renamed, 6);
    git(back, &["fsck", "--full"]);
}

#[test]
fn notes_in_folders_and_notes_on_nothing() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, _] = &places;
    let (head, first) = (id(old, "HEAD"), id(old, "HEAD~1"));
    let gone = "1234567890".repeat(4);
    // Two, one and no directories deep, on what is nowhere, and what is no note at all.
    for (path, text) in [
        (format!("{}/{}/{}", &head[..2], &head[2..4], &head[4..]), "deep"),
        (format!("{}/{}", &first[..2], &first[2..]), "one"),
        (format!("{}/{}", &gone[..2], &gone[2..]), "gone"),
        ("README".to_owned(), "no note"),
    ] {
        fs::write(old.join("note"), text).unwrap();
        add_note(old, git(old, &["hash-object", "-w", "note"]).trim(), &path);
    }
    commit_notes(old);
    let written = convert(old, new).unwrap();
    assert_eq!(written.notes.renamed, 2);
    assert_eq!(written.notes.kept, [(b"refs/notes/commits".to_vec(), gone.parse().unwrap())]);
    assert_eq!(git(new, &["notes", "show", "main"]), "deep");
    assert_eq!(git(new, &["notes", "show", "main~1"]), "one");
    assert_eq!(git(new, &["cat-file", "-p", "refs/notes/commits:README"]), "no note");
    assert_eq!(git(new, &["cat-file", "-p", &format!("refs/notes/commits:12/{}", &gone[2..])]), "gone");
    leads_back(&places);
}

/// Git reads them, and writes none.
#[test]
fn notes_in_capital_letters() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, _] = &places;
    let mixed = id(old, "HEAD~2");
    let at = mixed.find(|digit: char| digit.is_ascii_lowercase()).unwrap() + 1;
    let capitals = ["HEAD", "HEAD~1"].map(|revision| id(old, revision).to_ascii_uppercase());
    for path in [
        capitals[0].clone(),
        format!("{}/{}", &capitals[1][..2], &capitals[1][2..]),
        format!("{}{}", mixed[..at].to_ascii_uppercase(), &mixed[at..]),
    ] {
        add_note(old, git(old, &["hash-object", "-w", "file"]).trim(), &path);
    }
    commit_notes(old);
    let written = convert(old, new).unwrap();
    assert_eq!(written.notes.renamed, 2);
    assert_eq!(written.notes.kept, [(b"refs/notes/commits".to_vec(), mixed.parse().unwrap())]);
    for revision in ["main", "main~1"] {
        same(old, new, &["notes", "show", revision]);
    }
    leads_back(&places);
}

#[test]
fn names_of_the_other_format_are_no_notes_and_become_none() {
    if !is_installed() {
        return;
    }
    for is_deep in [false, true] {
        let (_folder, places) = history();
        let [old, new, back] = &places;
        convert(old, new).unwrap();
        let other = id(new, "main");
        fs::remove_dir_all(new).unwrap();
        // What would be a note in the new repository, alone and beside one on the same commit.
        for has_note in [false, true] {
            let path = if is_deep { format!("{}/{}", &other[..2], &other[2..]) } else { other.clone() };
            add_note(old, &git_with_index(old, &["hash-object", "-w", "file"]), &path);
            commit_notes(old);
            if has_note {
                git(old, &["notes", "add", "-m", "a note", "main"]);
            }
            let written = convert(old, new).unwrap();
            assert_eq!(written.notes.renamed, u64::from(has_note), "{:?}", written.notes);
            assert!(written.notes.unchanged.is_empty(), "{:?}", written.notes);
            // Git sees the notes there that it saw here.
            let noted = if has_note { "main a note" } else { "main" };
            assert_eq!(
                git(old, &["log", "-1", "--format=%D %N", "main"]).trim().replace("HEAD -> ", ""),
                noted
            );
            same(old, new, &["log", "--format=%s %N", "main"]);
            let lines = |repository: &Path| git(repository, &["notes", "list"]).lines().count();
            assert_eq!(lines(new), lines(old));
            assert!(git(new, &["ls-tree", "-r", "refs/notes/commits"]).contains(&id(new, "main:file")));
            assert_eq!(leads_back(&places).notes.renamed, u64::from(has_note));
            git(back, &["fsck", "--full", "--strict"]);
            fs::remove_dir_all(new).unwrap();
            fs::remove_dir_all(back).unwrap();
        }
    }
}

#[test]
fn a_note_in_more_folders_than_its_new_name_has_digits_for() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, back] = &places;
    convert(old, new).unwrap();
    let (commit, blob) = (id(new, "main"), id(new, "main:file"));
    for (folders, is_left) in [(19, false), (20, true), (31, true)] {
        let (digits, rest) = commit.split_at(2 * folders);
        let digits: Vec<&str> = (0..folders).map(|nth| &digits[2 * nth..2 * nth + 2]).collect();
        let path = format!("{}/{rest}", digits.join("/"));
        let _ = fs::remove_file(new.join("notes-index"));
        add_note(new, &blob, &path);
        commit_notes(new);
        let written = convert(new, back).unwrap();
        assert_eq!(written.notes.unchanged.len(), usize::from(is_left), "{folders}: {:?}", written.notes);
        git(back, &["fsck", "--full", "--strict"]);
        fs::remove_dir_all(back).unwrap();
    }
}

#[test]
fn symbolic_branches_lead_where_they_led() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, _] = &places;
    git(old, &["symbolic-ref", "refs/heads/head", "HEAD"]);
    git(old, &["symbolic-ref", "refs/heads/other", "refs/heads/main"]);
    git(old, &["symbolic-ref", "refs/heads/further", "refs/heads/head"]);
    let written = convert(old, new).unwrap();
    assert!(written.left.is_empty(), "{:?}", written.left);
    same(old, new, &["for-each-ref", "--format=%(refname) %(symref) %(objecttype) %(subject)"]);
    git(new, &["fsck", "--full"]);
    leads_back(&places);
    // A circle stays one.
    git(old, &["symbolic-ref", "HEAD", "refs/heads/head"]);
    fs::remove_dir_all(new).unwrap();
    assert!(convert(old, new).unwrap().left.is_empty());
    assert_eq!(fs::read(new.join("HEAD")).unwrap(), b"ref: refs/heads/head\n");
    assert_eq!(fs::read(new.join("refs/heads/head")).unwrap(), b"ref: HEAD\n");
}

#[test]
fn a_branch_that_leads_to_no_commit_is_named() {
    if !is_installed() {
        return;
    }
    let (_folder, [old, new, _]) = &history();
    let blob = id(old, "main:file");
    fs::write(old.join(".git/refs/heads/blob"), format!("{blob}\n")).unwrap();
    git(old, &["update-ref", "refs/tags/blob", &blob]);
    let written = convert(old, new).unwrap();
    let [left] = written.left.as_slice() else { panic!("{:?}", written.left) };
    assert!(left.name == b"refs/heads/blob" && left.reason.contains("the blob"), "{left:?}");
    git(new, &["fsck", "--full"]);
}

#[test]
fn replacements_get_the_new_name_of_what_they_replace() {
    if !is_installed() {
        return;
    }
    let (_folder, places) = history();
    let [old, new, _] = &places;
    git(old, &["replace", "--graft", "HEAD~3"]);
    let missing = "ab".repeat(20);
    let head = git(old, &["rev-parse", "HEAD"]);
    fs::write(old.join(".git/refs/replace").join(&missing), head).unwrap();
    let written = convert(old, new).unwrap();
    let [left] = written.left.as_slice() else { panic!("{written:?}") };
    assert_eq!(left.name, format!("refs/replace/{missing}").as_bytes());
    assert!(left.reason.contains("is missing"), "{left:?}");
    fs::remove_file(old.join(".git/refs/replace").join(&missing)).unwrap();
    // History is cut off there in both.
    same(old, new, &["log", "--format=%s"]);
    assert_eq!(git(new, &["rev-list", "--count", "HEAD"]), "4\n");
    assert_eq!(git(new, &["replace", "-l"]).trim().len(), 64);
    git(new, &["fsck", "--full"]);
    leads_back(&places);
}

#[test]
fn references_that_cannot_be_carried_over_are_named() {
    if !is_installed() {
        return;
    }
    let (_folder, [old, new, _]) = &history();
    let refs = old.join(".git/refs/heads");
    let head = git(old, &["rev-parse", "HEAD"]);
    fs::write(refs.join("outside"), "ref: ../../../../etc/passwd\n").unwrap();
    fs::write(refs.join("sneaky"), "ref: refs/heads/../../../../etc/passwd\n").unwrap();
    fs::write(refs.join("line\nend"), &head).unwrap();
    fs::write(refs.join("nothing"), "").unwrap();
    fs::write(refs.join("missing"), format!("{}\n", "ab".repeat(20))).unwrap();
    fs::create_dir_all(refs.join("deep/er/and/deeper")).unwrap();
    fs::write(refs.join("deep/er/and/deeper/still"), &head).unwrap();
    fs::write(refs.join("loop"), "ref: refs/heads/other-loop\n").unwrap();
    fs::write(refs.join("other-loop"), "ref: refs/heads/loop\n").unwrap();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        fs::write(refs.join(std::ffi::OsStr::from_bytes(b"latin-\xe9")), &head).unwrap();
    }
    let written = convert(old, new).unwrap();
    let left: Vec<String> =
        written.left.iter().map(|left| String::from_utf8_lossy(&left.name).into_owned()).collect();
    let wanted = ["line\nend", "missing", "nothing", "outside", "sneaky"];
    assert_eq!(left, wanted.map(|name| format!("refs/heads/{name}")), "{:?}", written.left);
    assert!(!new.join("refs/heads/outside").exists() && !new.join("refs/heads/sneaky").exists());
    let carried = fs::read(new.join("packed-refs")).unwrap();
    let has = |name: &[u8]| carried.windows(name.len()).any(|found| found == name);
    assert!(has(b" refs/heads/deep/er/and/deeper/still\n"));
    #[cfg(target_os = "linux")]
    assert!(has(b" refs/heads/latin-\xe9\n"));
    assert_eq!(fs::read(new.join("refs/heads/loop")).unwrap(), b"ref: refs/heads/other-loop\n");
    // Everything is accounted for.
    let listing = open(old).list_references().unwrap();
    assert_eq!(listing.references.len() + listing.unreadable.len(), written.references + written.left.len());
}

#[test]
fn nothing_is_written_into_the_source() {
    if !is_installed() {
        return;
    }
    let (folder, [old, ..]) = &history();
    fs::create_dir(old.join("sub")).unwrap();
    git(old, &["worktree", "add", "-q", "../tree", "-b", "tree"]);
    let refused = |from: &Path, to: &Path| match convert(from, to) {
        Err(error) => {
            assert!(error.to_string().contains("only read"), "{error}");
            assert!(!to.exists());
        }
        Ok(_) => panic!("{} was written", to.display()),
    };
    for place in ["inner", "sub/inner", "sub/../inner", ".git/inner", ".git/objects/inner", "../tree/inner"] {
        refused(old, &old.join(place));
    }
    refused(&folder.path().join("tree"), &old.join("inner"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(old.join("sub"), folder.path().join("link")).unwrap();
        refused(old, &folder.path().join("link/inner"));
        std::os::unix::fs::symlink(old, folder.path().join("source")).unwrap();
        refused(&folder.path().join("source"), &old.join("inner"));
    }
    // An alternate's directory is read, too.
    git(folder.path(), &["clone", "-q", "--shared", "--bare", "old", "shared.git"]);
    refused(&folder.path().join("shared.git"), &old.join(".git/objects/inner"));
    // A working tree elsewhere, by a `.git` file and by its configuration.
    git(folder.path(), &["clone", "-q", "--separate-git-dir", "apart.git", "old", "apart"]);
    refused(&folder.path().join("apart"), &folder.path().join("apart/inner"));
    refused(&folder.path().join("apart/.git"), &folder.path().join("apart/inner"));
    git(&folder.path().join("apart"), &["config", "core.worktree", "../apart"]);
    refused(&folder.path().join("apart.git"), &folder.path().join("apart/inner"));
    #[cfg(unix)]
    {
        let refs = folder.path().join("refs");
        fs::rename(folder.path().join("shared.git/refs"), &refs).unwrap();
        std::os::unix::fs::symlink(&refs, folder.path().join("shared.git/refs")).unwrap();
        refused(&folder.path().join("shared.git"), &refs.join("heads/inner"));
    }
    convert(old, &folder.path().join("beside")).unwrap();
}
