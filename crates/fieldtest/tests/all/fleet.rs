//! `fieldtest git fleet`: repositories that refer to each other, once and once more; `lab/fleet.sh` has many of them.

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::git::{git, with_repository};
use crate::scratch::Scratch;

pub(crate) const FLEET: &str = "git fleet forge new --job job";

/// A commit in `own` that names one of a submodule; its own ID.
pub(crate) fn commit(own: &Path, submodule: Option<(&str, &str)>) -> String {
    if let Some((url, id)) = submodule {
        git(own, &["update-index", "--add", "--cacheinfo", &format!("160000,{id},lib")]);
        fs::write(own.join(".gitmodules"), format!("[submodule \"lib\"]\n path = lib\n url = {url}\n"))
            .unwrap();
        git(own, &["add", ".gitmodules"]);
    }
    git(own, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    git(own, &["rev-parse", "HEAD"])
}

fn ledger(scratch: &Scratch) -> Vec<[String; 2]> {
    let words =
        |entry: serde_json::Value| ["name", "status"].map(|it| entry[it].as_str().unwrap().to_owned());
    scratch.lines("job/ledger.jsonl").into_iter().map(words).collect()
}

fn pack_of(place: &Path) -> PathBuf {
    let mut files = fs::read_dir(place.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|end| end == "pack")).unwrap()
}

/// New repositories in `forge`.
pub(crate) fn forge<const N: usize>(scratch: &Scratch, names: [&str; N]) -> [PathBuf; N] {
    let forge = scratch.path("forge");
    names.map(|name| {
        fs::create_dir_all(forge.join(name)).unwrap();
        git(&forge, &["init", "--quiet", "--initial-branch=main", name]);
        forge.join(name)
    })
}

#[test]
fn what_is_new_is_converted_and_what_is_refused_is_named() {
    let Some(scratch) = with_repository() else { return };
    let forge = scratch.path("forge");
    for name in ["app", "lib", "left", "right", "top"] {
        fs::create_dir_all(&forge).unwrap();
        git(&forge, &["init", "--quiet", "--initial-branch=main", name]);
    }
    let [app, lib, left, right, top] = ["app", "lib", "left", "right", "top"].map(|name| forge.join(name));
    let first = commit(&lib, None);
    commit(&app, Some(("../lib", &first)));
    let nobodys = "17".repeat(20);
    let of_left = commit(&left, Some(("../lib", &nobodys)));
    commit(&right, Some(("https://example.org/none", &nobodys)));
    commit(&top, Some(("../left", &of_left)));

    let run = scratch.run(FLEET);
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in ["left is rejected: ", "right is rejected: ", &nobodys, "top is rejected: it needs left"] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    assert!(
        run.stderr.contains("5 repositories in 2 waves: 2 converted, 0 unchanged, 3 rejected"),
        "{run:?}"
    );
    let before = ledger(&scratch);
    let again = scratch.run(FLEET);
    assert!(again.code == Some(1) && again.stderr.contains("top is rejected: it needs left"), "{again:?}");
    assert_eq!(ledger(&scratch), before, "the same refusals are not entered again");
    let told = scratch.run("ledger job");
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stdout.contains("2 of 5 items done, 0 failed, 3 rejected"), "{told:?}");
    let link = |of: &str| git(&scratch.path(of), &["rev-parse", "HEAD:lib"]);
    let tip = |of: &str| git(&scratch.path(of), &["rev-parse", "HEAD"]);
    assert_eq!(link("new/app.git"), tip("new/lib.git"));
    git(&scratch.path("new/app.git"), &["fsck", "--full"]);

    // The library goes on; then what uses it does.
    let before = link("new/app.git");
    let second = commit(&lib, None);
    scratch.run(FLEET);
    assert_eq!(link("new/app.git"), before);
    assert_eq!(git(&scratch.path("new/lib.git"), &["rev-parse", "HEAD~"]), before);
    commit(&app, Some(("../lib", &second)));
    scratch.run(FLEET);
    assert_eq!(link("new/app.git"), tip("new/lib.git"));
    let done: Vec<String> =
        ledger(&scratch).into_iter().filter(|[_, status]| status == "done").map(|[name, _]| name).collect();
    assert_eq!(done, ["lib", "app", "lib", "app"]);

    for (words, line) in [
        ("forge/new", vec!["git", "fleet", "forge", "forge/new", "--job", "job"]),
        ("forge/new", vec!["git", "fleet", "forge", "none/../forge/new", "--job", "job"]),
        ("new/job", vec!["git", "fleet", "forge", "new", "--job", "new/job"]),
        ("other-job/new", vec!["git", "fleet", "forge", "other-job/new", "--job", "other-job"]),
        ("forge/job", vec!["git", "fleet", "forge", "new", "--job", "forge/job"]),
        ("forge/app is", vec!["git", "fleet", "forge/app", "other", "--job", "other-job"]),
        ("another job", vec!["git", "fleet", "forge", "other", "--job", "job"]),
        ("--job DIRECTORY", vec!["git", "fleet", "forge", "new"]),
        ("blake3", vec!["git", "fleet", "forge", "new", "--job", "job", "--to", "blake3"]),
        ("contain a job", vec!["ledger", "forge"]),
    ] {
        let run = scratch.run(&line);
        assert!(run.code != Some(0) && run.stderr.contains(words), "{words}: {run:?}");
    }
}

/// What somebody pushed to a converted repository, or set up there, is not replaced; what is damaged there is made anew.
#[test]
fn what_others_did_in_a_place_stays() {
    let Some(scratch) = with_repository() else { return };
    let forge = scratch.path("forge");
    fs::create_dir_all(&forge).unwrap();
    for name in ["lib", "mine"] {
        git(&forge, &["init", "--quiet", "--initial-branch=main", name]);
        commit(&forge.join(name), None);
    }
    fs::create_dir_all(scratch.path("new/mine.git")).unwrap();
    scratch.run(FLEET).tells(1, &["move it away"]);
    fs::remove_dir(scratch.path("new/mine.git")).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));

    // Git's own housekeeping is nobody's work.
    let (lib, place) = (forge.join("lib"), scratch.path("new/lib.git"));
    git(&place, &["gc", "--quiet"]);
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    let tip = git(&place, &["rev-parse", "main"]);
    fs::remove_file(pack_of(&place)).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));
    git(&place, &["fsck", "--full"]);
    // Damage that leaves the length.
    let pack = pack_of(&place);
    fs::set_permissions(&pack, fs::Permissions::from_mode(0o600)).unwrap();
    let file = fs::File::options().write(true).open(&pack).unwrap();
    file.write_all_at(&[0xff; 8], 16).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));
    git(&place, &["fsck", "--full"]);

    git(&place, &["update-ref", "refs/heads/pushed", &tip]);
    commit(&lib, None);
    for _ in 0..2 {
        scratch.run(FLEET).tells(1, &["move it away"]);
    }
    assert_eq!(git(&place, &["rev-parse", "refs/heads/pushed"]), tip);
    git(&place, &["update-ref", "-d", "refs/heads/pushed"]);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    fs::write(place.join("hooks").join("update"), "#!/bin/sh\n")
        .or_else(|_| fs::write(place.join("description"), "x"))
        .unwrap();
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(1));

    // What is gone from the directory is told, and an empty directory is none that was meant.
    fs::create_dir(forge.join("never")).unwrap();
    git(&forge, &["init", "--quiet", "--initial-branch=main", "never"]);
    commit(&forge.join("never"), Some(("../none", &"17".repeat(20))));
    assert!(scratch.run(FLEET).stderr.contains("never is rejected"));
    for name in ["mine", "never"] {
        fs::remove_dir_all(forge.join(name)).unwrap();
    }
    let run = scratch.run(FLEET);
    for name in ["mine", "never"] {
        assert!(run.stderr.contains(&format!("{name} is no")), "{run:?}");
    }
    fs::remove_dir_all(&lib).unwrap();
    scratch.run(FLEET).tells(1, &[" in forge"]);
}

/// Whatever somebody keeps in a converted repository is not lost with it.
#[test]
fn files_and_objects_of_others_stay() {
    let Some(scratch) = with_repository() else { return };
    let [lib] = forge(&scratch, ["lib"]);
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    let place = scratch.path("new/lib.git");
    commit(&lib, None);
    let stays = |what: &str, path: &Path| {
        let run = scratch.run(FLEET);
        let told = run.stderr.contains("move it away");
        assert!(run.code == Some(1) && told && path.exists(), "{what}: {run:?}");
        run.stderr
    };
    for name in [
        "notes.txt",
        "MERGE_HEAD",
        "logs/HEAD",
        "lfs/objects/a",
        "modules/lib/HEAD",
        "refs/heads/x.lock",
        "objects/pack/mine.pack",
        "objects/pack/mine.keep",
    ] {
        let path = place.join(name);
        let folder = path.parent().unwrap();
        let is_new = !folder.exists();
        fs::create_dir_all(folder).unwrap();
        fs::write(&path, "x").unwrap();
        let told = stays(name, &path);
        assert!(told.contains(&format!("({} was not left", path.display())), "{name}: {told}");
        fs::remove_file(&path).unwrap();
        if is_new {
            fs::remove_dir(folder).unwrap();
        }
    }
    fs::write(scratch.path("file"), "x").unwrap();
    let id = git(&place, &["hash-object", "-w", "../../file"]);
    let object = place.join("objects").join(&id[..2]).join(&id[2..]);
    stays("an object that nothing leads to", &object);
    fs::remove_file(&object).unwrap();
    git(&place, &["worktree", "add", "--quiet", "--detach", "../../tree"]);
    git(&scratch.path("tree"), &["commit", "--quiet", "--allow-empty", "-m", "y"]);
    let tip = git(&scratch.path("tree"), &["rev-parse", "HEAD"]);
    stays("a working tree", &place.join("worktrees"));
    assert_eq!(git(&scratch.path("tree"), &["rev-parse", "HEAD"]), tip);

    // Moved away, as it is told.
    fs::rename(&place, scratch.path("kept.git")).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));
    assert_eq!(git(&place, &["rev-list", "--count", "main"]), "2");
}

/// Whoever keeps a conversion from others finds the next one so.
#[test]
fn what_was_private_stays_private() {
    let Some(scratch) = with_repository() else { return };
    let [lib] = forge(&scratch, ["lib"]);
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    let place = scratch.path("new/lib.git");
    let set = fs::metadata(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o2750)).unwrap();
    let is_root = set.uid() == 0 && chown(&place, Some(1234), Some(2345)).is_ok();
    let owner = if is_root { (1234, 2345) } else { (set.uid(), set.gid()) };
    for _ in 0..2 {
        commit(&lib, None);
        assert_eq!(scratch.run(FLEET).code, Some(0));
        let of =
            |path: &Path| fs::metadata(path).map(|it| (it.mode() & 0o7777, (it.uid(), it.gid()))).unwrap();
        assert_eq!(of(&place), (0o2750, owner));
        let (bits, pack) = of(&pack_of(&place));
        assert!(bits & 0o007 == 0 && pack == owner, "{bits:o} {pack:?}");
    }
}

/// What was converted once is not lost because its source was.
#[test]
fn a_source_that_became_empty_takes_nothing_away() {
    let Some(scratch) = with_repository() else { return };
    let [lib] = forge(&scratch, ["lib"]);
    // One that was never anything else is converted as it is.
    let [_, _] = forge(&scratch, ["empty", "detached"]);
    commit(&scratch.path("forge/detached"), None);
    git(&scratch.path("forge/detached"), &["checkout", "--quiet", "--detach"]);
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    let place = scratch.path("new/lib.git");
    let tip = git(&place, &["rev-parse", "main"]);
    fs::remove_dir_all(&lib).unwrap();
    forge(&scratch, ["lib"]);
    git(&scratch.path("forge/empty"), &["symbolic-ref", "HEAD", "refs/heads/other"]);
    git(&scratch.path("forge/detached"), &["branch", "--quiet", "-D", "main"]);
    for converted in [2, 0] {
        let run = scratch.run(FLEET);
        let told = format!(", remove {}", place.display());
        let sum = format!("{converted} converted, {} unchanged, 1 rejected", 2 - converted);
        assert!(run.code == Some(1) && run.stderr.contains(&told) && run.stderr.contains(&sum), "{run:?}");
        assert!(run.stderr.contains("lib is rejected: "), "{run:?}");
        assert_eq!(git(&place, &["rev-parse", "main"]), tip);
    }
    fs::remove_dir_all(&place).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));
    assert_eq!(git(&place, &["for-each-ref"]), "");
}

/// A repository that is called otherwise since is told from what nobody of this job wrote.
#[test]
fn what_another_name_left_is_named() {
    let Some(scratch) = with_repository() else { return };
    let [lib] = forge(&scratch, ["lib"]);
    commit(&lib, None);
    assert_eq!(scratch.run(FLEET).code, Some(0));
    git(&scratch.path("forge"), &["clone", "--quiet", "--bare", "lib", "lib.git"]);
    fs::remove_dir_all(&lib).unwrap();
    let place = scratch.path("new/lib.git");
    for _ in 0..2 {
        let run = scratch.run(FLEET);
        assert!(run.code == Some(1) && run.stderr.contains("from lib; ") && place.exists(), "{run:?}");
    }
    fs::rename(&place, scratch.path("away")).unwrap();
    assert_eq!(scratch.run(FLEET).code, Some(0));
}

/// What cannot be written is counted, and what became of the others is told.
#[test]
fn failures_are_counted() {
    let Some(scratch) = with_repository() else { return };
    // What does not become shorter in a pack.
    let random = |seed: u64| {
        (0..1 << 14).flat_map(move |at: u64| {
            let mixed = (at + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 17).to_le_bytes()
        })
    };
    for (seed, own) in (0..).zip(forge(&scratch, ["a", "b", "c"])) {
        if seed > 0 {
            fs::write(own.join("large"), random(seed).collect::<Vec<u8>>()).unwrap();
            git(&own, &["add", "large"]);
        }
        commit(&own, None);
    }
    // Blocks of 512 octets.
    scratch.run_after("ulimit -f 64", FLEET).tells(
        1,
        &[
            "3 repositories in 1 wave: 1 converted, 0 unchanged, 0 rejected, 2 failed\n",
            "fieldtest: cannot finish b: ",
            "fieldtest: cannot finish c: ",
        ],
    );
    scratch.fine(FLEET).tells(0, &["2 converted, 1 unchanged, 0 rejected\n"]);
}

#[test]
fn no_repository_is_written_into_another_ones_place() {
    let Some(scratch) = with_repository() else { return };
    let [outer, inner] = forge(&scratch, ["a", "a.git/x"]);
    commit(&outer, None);
    commit(&inner, None);
    scratch.run(FLEET).tells(1, &["a.git/x is rejected: a "]);
    assert!(!scratch.path("new/a.git/x.git").exists());
}

/// What a map says is looked at, and not only what it is called.
#[test]
fn a_map_that_was_mended_counts() {
    let Some(scratch) = with_repository() else { return };
    let [app] = forge(&scratch, ["app"]);
    let old = "17".repeat(20);
    commit(&app, Some(("https://example.org/lib", &old)));
    let run_with = |new: &str, more: &str, code: i32, is: &str| {
        scratch.write("map.tsv", format!("# sha1\tsha256\n{old}\t{new}\tcommit\n"));
        let run = scratch.run(&format!("{FLEET} --submodule map.tsv {more}"));
        assert_eq!(run.code, Some(code), "{run:?}");
        assert_eq!(git(&scratch.path("new/app.git"), &["rev-parse", "HEAD:lib"]), is);
        run
    };
    let [wrong, right] = ["2a", "2b"].map(|new| new.repeat(32));
    run_with(&wrong, "", 0, &wrong);
    // Other names are given where that is asked for alone.
    run_with(&right, "", 1, &wrong);
    run_with(&right, "--rename", 0, &right);
    let run = run_with(&right, "", 0, &right);
    assert!(run.stderr.contains("0 converted, 1 unchanged"), "{run:?}");
}
