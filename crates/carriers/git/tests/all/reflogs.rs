//! Reflogs: what they name has to be there, and is missed wherever `git fsck` misses it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::git::{command, git, is_installed};
use crate::repositories::verified_while;
use fieldtest_git::verify::{NamedBy, Report};
use fieldtest_git::{ObjectId, Options, Repository};

const ABSENT: &str = "1212121212121212121212121212121212121212";
const NULL: &str = "0000000000000000000000000000000000000000";
const NOT_READ: &str = "reflogs that Git ignores, or lines of them";

/// Verifies a repository, and does something else once the objects are being read.
fn check_while(path: &Path, meanwhile: &(dyn Fn() + Sync)) -> Report {
    let options = Options { partial: true, shallow: true };
    verified_while(&Repository::open(path, &options).unwrap(), meanwhile)
}

fn check(path: &Path) -> Report {
    check_while(path, &|| {})
}

/// What `git fsck` says of reflogs, as `(reflog, ID)`, and whether it ends well.
fn fsck(path: &Path) -> (Vec<(String, String)>, bool) {
    let output = command(path, &["fsck", "--no-dangling", "--no-progress"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let entry = |line: &str| {
        let (name, id) = line.strip_prefix("error: ")?.split_once(": invalid reflog entry ")?;
        Some((name.to_owned(), id.to_owned()))
    };
    let mut found: Vec<_> = said.lines().filter_map(entry).collect();
    found.sort();
    found.dedup();
    (found, output.status.success())
}

fn missed(report: &Report) -> Vec<(String, String)> {
    let of_reflogs = report.missing.iter().filter_map(|missing| match &missing.named_by {
        NamedBy::Reflog(name) => Some((String::from_utf8(name.clone()).unwrap(), missing.id.to_string())),
        _ => None,
    });
    let mut found: Vec<_> = of_reflogs.collect();
    found.sort();
    found
}

/// Asks for what `git fsck` finds. It names each reflog, and this the first.
#[track_caller]
fn as_git(path: &Path) -> Report {
    let (report, (found, is_fine)) = (check(path), fsck(path));
    let missed = missed(&report);
    let ids = |found: &[(String, String)]| {
        let mut ids: Vec<String> = found.iter().map(|(_, id)| id.clone()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    assert_eq!(ids(&missed), ids(&found), "{report:?}");
    assert!(missed.iter().all(|entry| found.contains(entry)), "{missed:?} and {found:?}");
    assert_eq!(report.is_good(), is_fine, "{report:?}");
    report
}

/// A repository with three commits on `main`, and a branch `other`.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main", "it"]);
    let path = folder.path().join("it");
    for nth in ["1", "2", "3"] {
        fs::write(path.join("file"), nth).unwrap();
        git(&path, &["add", "file"]);
        git(&path, &["commit", "-qm", nth]);
    }
    git(&path, &["branch", "other"]);
    (folder, path)
}

fn append(path: &Path, log: &str, text: &str) {
    let log = path.join(log);
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    OpenOptions::new().append(true).create(true).open(log).unwrap().write_all(text.as_bytes()).unwrap();
}

fn line(old: &str, new: &str) -> String {
    format!("{old} {new} A <a@example.org> 1700000000 +0000\tcommit: x\n")
}

fn id(path: &Path, revision: &str) -> String {
    git(path, &["rev-parse", revision]).trim().to_owned()
}

fn remove_object(path: &Path, id: &str) {
    fs::remove_file(path.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
}

/// Collects garbage, with entries of reflogs kept so long: the commits of these tests are old.
fn collect_garbage(path: &Path, expire: &str) {
    for variable in ["gc.reflogExpire", "gc.reflogExpireUnreachable"] {
        git(path, &["config", variable, expire]);
    }
    git(path, &["gc", "-q", "--prune=now"]);
}

const EXPIRE: [&str; 5] = ["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"];

#[test]
fn what_reflogs_name_is_there() {
    if !is_installed() {
        return;
    }
    let (_folder, path) = repository();
    let report = as_git(&path);
    assert!(report.is_good() && report.reflogs == 3, "{report:?}");
    assert!(report.unchecked.iter().eq([&"entries of the index"]));
    let other = id(&path, "HEAD");
    for (log, text) in [
        (".git/logs/HEAD", line(ABSENT, &other)),
        (".git/logs/HEAD", line(&other, ABSENT)),
        (".git/logs/HEAD", line(&other, ABSENT).replace('\t', "\r\t")),
        (".git/logs/refs/heads/main", line(ABSENT, ABSENT)),
        (".git/logs/refs/remotes/origin/gone", line(NULL, ABSENT)),
        (".git/logs/refs/bisect/gone", line(NULL, ABSENT)),
        (".git/logs/ORIG_HEAD", line(NULL, ABSENT)),
        (".git/logs/any/thing", line(NULL, ABSENT)),
    ] {
        let (_folder, path) = repository();
        append(&path, log, &text);
        let report = as_git(&path);
        let name = log.strip_prefix(".git/logs/").unwrap().to_owned();
        assert_eq!(missed(&report), [(name, ABSENT.to_owned())], "{log}: {text}");
        assert!(report.damaged.is_empty() && report.only_unreachable.is_empty(), "{report:?}");
        // The way out that the command names.
        git(&path, &["reflog", "expire", "--stale-fix", "--all"]);
        assert!(as_git(&path).is_good(), "{log}");
    }
}

#[test]
fn what_git_passes_over() {
    if !is_installed() {
        return;
    }
    let entry = line(ABSENT, ABSENT);
    for (log, text, is_said) in [
        ("HEAD", String::new(), false),
        ("HEAD", line(NULL, NULL), false),
        ("HEAD", "garbage\n".to_owned(), true),
        ("HEAD", "\n".to_owned(), true),
        ("HEAD", format!("{ABSENT} {ABSENT}\n"), true),
        ("HEAD", entry.trim_end().to_owned(), true),
        ("HEAD", entry[..60].to_owned(), true),
        ("HEAD", entry.replace('>', ""), true),
        ("HEAD", entry.replace("1700000000", "0"), true),
        ("HEAD", entry.replace("+0000", "+000"), true),
        ("HEAD", entry.replace(' ', "  "), true),
        ("refs/heads/a..b", entry.clone(), true),
        ("refs/heads/a.lock/b", entry.clone(), true),
        ("refs/heads/main.lock", entry.clone(), false),
        ("refs/heads/.hidden", entry.clone(), false),
    ] {
        let (_folder, path) = repository();
        append(&path, &format!(".git/logs/{log}"), &text);
        let report = as_git(&path);
        assert!(report.is_good(), "{log}: {text:?}: {report:?}");
        assert_eq!(report.unchecked.contains(NOT_READ), is_said, "{log}: {text:?}");
    }
    // A commit goes on behind half a line; Git reads neither.
    let (_folder, path) = repository();
    append(&path, ".git/logs/HEAD", &entry[..60]);
    append(&path, ".git/logs/HEAD", &entry);
    assert!(as_git(&path).is_good());
    // No directory.
    let (_folder, path) = repository();
    fs::remove_dir_all(path.join(".git/logs")).unwrap();
    assert!(as_git(&path).is_good());
    fs::write(path.join(".git/logs"), "x").unwrap();
    assert!(as_git(&path).is_good());
}

#[cfg(unix)]
#[test]
fn what_is_no_file() {
    use std::os::unix::fs::symlink;

    if !is_installed() {
        return;
    }
    // Git follows no link here, neither to a file nor to a directory, and keeps nothing for what it names.
    for (place, to) in [("logs/refs/heads/other", "log"), ("logs/refs/heads", "logs"), ("logs", "all")] {
        let (folder, path) = repository();
        let (place, to) = (path.join(".git").join(place), folder.path().join(to));
        match fs::remove_file(&place) {
            Ok(()) => fs::write(&to, line(ABSENT, ABSENT)).unwrap(),
            Err(_) => {
                fs::rename(&place, &to).unwrap();
                append(&to, "main", &line(ABSENT, ABSENT));
            }
        }
        symlink(&to, &place).unwrap();
        let report = as_git(&path);
        assert!(report.is_good() && report.unchecked.contains(NOT_READ), "{report:?}");
    }
    // A directory is one, whatever it is called.
    let (_folder, path) = repository();
    fs::remove_file(path.join(".git/logs/refs/heads/other")).unwrap();
    append(&path, ".git/logs/refs/heads/other/one", &line(NULL, ABSENT));
    assert_eq!(check(&path).missing.len(), 1);
    // Git passes over a FIFO when it looks for reflogs, and waits for ever when it writes one.
    let (_folder, path) = repository();
    let fifo = path.join(".git/logs/refs/heads/other");
    fs::remove_file(&fifo).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let report = check(&path);
    let said: Vec<String> = report.damaged.iter().map(ToString::to_string).collect();
    assert!(said.len() == 1 && said[0].contains("logs/refs/heads/other: "), "{said:?}");
}

#[test]
fn further_working_trees_have_their_own() {
    if !is_installed() {
        return;
    }
    let absent = |digit: &str| digit.repeat(40);
    let (folder, path) = repository();
    git(&path, &["worktree", "add", "-q", "../w"]);
    git(&path, &["worktree", "add", "-q", "../v"]);
    for (log, digit) in [
        (".git/logs/HEAD", "1"),
        (".git/logs/refs/heads/w", "2"),
        (".git/logs/refs/bisect/b", "3"),
        (".git/worktrees/w/logs/HEAD", "4"),
        (".git/worktrees/w/logs/refs/worktree/b", "5"),
        (".git/worktrees/v/logs/HEAD", "6"),
        // Shared, and not asked for there; names of other working trees' and of no references, not asked for at all.
        (".git/worktrees/w/logs/refs/heads/w", "7"),
        (".git/worktrees/w/logs/small", "8"),
        (".git/worktrees/w/logs/in/FOLDER", "8"),
        (".git/logs/main-worktree/HEAD", "8"),
        (".git/logs/worktrees/w/HEAD", "8"),
        (".git/logs/worktrees/none/refs/bisect/b", "8"),
        (".git/logs/config", "8"),
    ] {
        append(&path, log, &line(NULL, &absent(digit)));
    }
    let names = |report: &Report| missed(report).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let report = as_git(&path);
    let of_v_and_w = ["worktrees/v/HEAD", "worktrees/w/HEAD", "worktrees/w/refs/worktree/b"];
    assert_eq!(names(&report), [&["HEAD", "refs/bisect/b", "refs/heads/w"][..], &of_v_and_w].concat());
    assert!(report.unchecked.contains(NOT_READ), "{report:?}");
    let report = as_git(&folder.path().join("w"));
    let from_w = ["HEAD", "main-worktree/HEAD", "main-worktree/refs/bisect/b", "refs/heads/w"];
    assert_eq!(names(&report), [&from_w[..], &["refs/worktree/b", "worktrees/v/HEAD"]].concat());

    // What none has for itself is read wherever it claims to be.
    for log in [".git/logs/main-worktree/small", ".git/logs/worktrees/w/small"] {
        append(&path, log, &line(NULL, &absent("9")));
        assert_eq!(names(&as_git(&path)).len(), 7);
        fs::remove_file(path.join(log)).unwrap();
    }
    // One whose files are gone counts until it is pruned; a directory that names none never does.
    fs::remove_dir_all(folder.path().join("v")).unwrap();
    assert_eq!(names(&as_git(&path)).len(), 6);
    fs::remove_file(path.join(".git/worktrees/v/gitdir")).unwrap();
    assert_eq!(names(&as_git(&path)).len(), 5);
}

/// An object that is missing, and that only what a reflog names leads to, is needed.
#[test]
fn what_reflogs_lead_to_is_in_use() {
    if !is_installed() {
        return;
    }
    let (_folder, path) = repository();
    let (tree, blob) = (id(&path, "HEAD^{tree}"), id(&path, "HEAD:file"));
    git(&path, &["reset", "-q", "--hard", "HEAD~"]);
    git(&path, &["branch", "-qD", "other"]);
    remove_object(&path, &blob);
    let report = as_git(&path);
    let tree: ObjectId = tree.parse().unwrap();
    assert_eq!(report.missing.len(), 1, "{report:?}");
    assert_eq!(report.missing[0].named_by, NamedBy::Object(tree));
    assert!(report.only_unreachable.is_empty(), "{report:?}");
    // Without the reflogs nothing needs it, and Git says nothing.
    fs::remove_dir_all(path.join(".git/logs")).unwrap();
    assert!(fsck(&path).1);
    let report = check(&path);
    assert_eq!(report.only_unreachable.into_iter().map(|id| id.to_string()).collect::<Vec<_>>(), [blob]);
}

#[test]
fn what_is_collected_as_garbage_is_named_by_no_reflog() {
    if !is_installed() {
        return;
    }
    let (_folder, path) = repository();
    let gone = id(&path, "HEAD");
    git(&path, &["reset", "-q", "--hard", "HEAD~"]);
    git(&path, &["branch", "-qD", "other"]);
    collect_garbage(&path, "never");
    assert!(as_git(&path).is_good());
    git(&path, &["cat-file", "-e", &gone]);
    // Old IDs stay behind the entries that wrote them.
    git(&path, &["reflog", "delete", "HEAD@{0}"]);
    git(&path, &["reflog", "delete", "main@{0}"]);
    assert!(as_git(&path).is_good());
    git(&path, &EXPIRE);
    git(&path, &["gc", "-q", "--prune=now"]);
    assert!(as_git(&path).is_good());
    assert_eq!(check(&path).objects, 6);
}

#[test]
fn reflogs_that_others_write_and_shorten_meanwhile() {
    if !is_installed() {
        return;
    }
    let (_folder, path) = repository();
    let report = check_while(&path, &|| {
        fs::write(path.join("file"), "4").unwrap();
        git(&path, &["commit", "-qam", "4"]);
    });
    assert!(report.is_good() && report.objects == 9, "{report:?}");

    // The entry went, and then its commit.
    git(&path, &["reset", "-q", "--hard", "HEAD~"]);
    let commit = id(&path, "HEAD@{1}");
    remove_object(&path, &commit);
    assert_eq!(missed(&as_git(&path)), [("HEAD".to_owned(), commit)]);
    let report = check_while(&path, &|| _ = git(&path, &EXPIRE));
    assert!(report.is_good(), "{report:?}");
}

#[test]
fn partial_and_shallow_clones() {
    if !is_installed() {
        return;
    }
    let (folder, path) = repository();
    git(&path, &["config", "uploadpack.allowFilter", "true"]);
    git(&path, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let blob = id(&path, "HEAD~:file");
    let url = format!("file://{}", path.display());
    let more = |nth: &str| {
        fs::write(path.join("file"), nth).unwrap();
        git(&path, &["commit", "-qam", nth]);
    };
    let clones: [(&str, &[&str]); 4] = [
        ("blobless", &["--filter=blob:none"]),
        ("treeless", &["--filter=tree:0", "--no-checkout"]),
        ("shallow", &["--depth=1"]),
        ("both", &["--depth=1", "--filter=blob:none"]),
    ];
    for (name, options) in clones {
        git(folder.path(), &[&["clone", "-q", "--no-local"], options, &[&url, name]].concat());
        let clone = folder.path().join(name);
        assert!(as_git(&clone).is_good(), "{name}");
        let depth: &[&str] = if options.contains(&"--depth=1") { &["--depth=1"] } else { &[] };
        for (nth, expire) in [("a", "never"), ("b", "90.days")] {
            more(&format!("{name}{nth}"));
            git(&clone, &[&["fetch", "-q"], depth].concat());
            git(&clone, &["reset", "-q", "--soft", "origin/main"]);
            collect_garbage(&clone, expire);
            let report = as_git(&clone);
            assert!(report.is_good() && report.reflogs > 1, "{name}: {report:?}");
        }
        // What nobody has promised is missed here as well.
        append(&clone, ".git/logs/HEAD", &line(NULL, ABSENT));
        assert_eq!(as_git(&clone).missing.len(), 1, "{name}");
    }

    // What a promisor's commit names may be absent, and be named by a reflog.
    let clone = folder.path().join("blobless");
    let log = fs::read_to_string(clone.join(".git/logs/HEAD")).unwrap();
    fs::write(clone.join(".git/logs/HEAD"), log.replace(&line(NULL, ABSENT), "")).unwrap();
    append(&clone, ".git/logs/HEAD", &line(NULL, &blob));
    let report = as_git(&clone);
    assert!(report.is_good() && report.promised > 0, "{report:?}");
}
