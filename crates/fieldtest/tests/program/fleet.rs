//! `fieldtest git fleet`: repositories that refer to each other, once and once more; `lab/fleet.sh` has many of them.

use std::fs;
use std::path::Path;

use crate::git::{git, with_repository};
use crate::scratch::Scratch;

const FLEET: [&str; 6] = ["git", "fleet", "forge", "new", "--job", "job"];

/// A commit in `own` that names one of a submodule; its own ID.
fn commit(own: &Path, submodule: Option<(&str, &str)>) -> String {
    if let Some((url, id)) = submodule {
        git(own, &["update-index", "--add", "--cacheinfo", &format!("160000,{id},lib")]);
        fs::write(own.join(".gitmodules"), format!("[submodule \"lib\"]\n path = lib\n url = {url}\n"))
            .unwrap();
        git(own, &["add", ".gitmodules"]);
    }
    git(own, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    git(own, &["rev-parse", "HEAD"])
}

fn ledger(scratch: &Scratch) -> Vec<(String, String)> {
    let lines = fs::read_to_string(scratch.path("job/ledger.jsonl")).unwrap();
    let entry = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        ["name", "status"].map(|word| entry[word].as_str().unwrap().to_owned()).into()
    };
    lines.lines().map(entry).collect()
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
    let of_left = commit(&left, None);
    let of_right = commit(&right, Some(("../left.git", &of_left)));
    let of_left = commit(&left, Some(("https://example.org/right", &of_right)));
    commit(&top, Some(("../left", &of_left)));

    let run = scratch.run(&FLEET);
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in
        ["left needs right needs left;", "right needs left needs right;", "top is refused: it needs left"]
    {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    assert!(
        run.stderr.contains("5 repositories in 2 waves: 2 converted, 0 as they were, 3 refused"),
        "{run:?}"
    );
    let before = ledger(&scratch);
    let again = scratch.run(&FLEET);
    assert!(again.code == Some(1) && again.stderr.contains("top is refused: it needs left"), "{again:?}");
    assert_eq!(ledger(&scratch), before, "the same refusals are not entered again");
    let told = scratch.run(&["ledger", "job"]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stdout.contains("2 of 5 items done, 0 failed, 3 refused"), "{told:?}");
    let link = |of: &str| git(&scratch.path(of), &["rev-parse", "HEAD:lib"]);
    let tip = |of: &str| git(&scratch.path(of), &["rev-parse", "HEAD"]);
    assert_eq!(link("new/app.git"), tip("new/lib.git"));
    git(&scratch.path("new/app.git"), &["fsck", "--full"]);

    // The library goes on; then what uses it does.
    let before = link("new/app.git");
    let second = commit(&lib, None);
    scratch.run(&FLEET);
    assert_eq!(link("new/app.git"), before);
    assert_eq!(git(&scratch.path("new/lib.git"), &["rev-parse", "HEAD~"]), before);
    commit(&app, Some(("../lib", &second)));
    scratch.run(&FLEET);
    assert_eq!(link("new/app.git"), tip("new/lib.git"));
    let done: Vec<String> =
        ledger(&scratch).into_iter().filter(|(_, status)| status == "done").map(|(name, _)| name).collect();
    assert_eq!(done, ["lib", "app", "lib", "app"]);

    for (words, line) in [
        ("would lie in each other", vec!["git", "fleet", "forge", "forge/new", "--job", "job"]),
        ("is a repository itself", vec!["git", "fleet", "forge/app", "other", "--job", "other-job"]),
        ("another job", vec!["git", "fleet", "forge", "other", "--job", "job"]),
        ("give --job FOLDER", vec!["git", "fleet", "forge", "new"]),
        (
            "Git has no repositories of the format",
            vec!["git", "fleet", "forge", "new", "--job", "job", "--to", "blake3"],
        ),
        ("holds no job", vec!["ledger", "forge"]),
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
    let run = scratch.run(&FLEET);
    assert!(run.code == Some(1) && run.stderr.contains("no run of this job left it"), "{run:?}");
    fs::remove_dir(scratch.path("new/mine.git")).unwrap();
    assert_eq!(scratch.run(&FLEET).code, Some(0));

    // Git's own housekeeping is nobody's work.
    let (lib, place) = (forge.join("lib"), scratch.path("new/lib.git"));
    git(&place, &["gc", "--quiet"]);
    commit(&lib, None);
    assert_eq!(scratch.run(&FLEET).code, Some(0));
    let tip = git(&place, &["rev-parse", "main"]);
    let packs = fs::read_dir(place.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    let pack = packs.into_iter().find(|path| path.extension().is_some_and(|end| end == "pack")).unwrap();
    fs::remove_file(&pack).unwrap();
    assert_eq!(scratch.run(&FLEET).code, Some(0));
    git(&place, &["fsck", "--full"]);

    git(&place, &["update-ref", "refs/heads/pushed", &tip]);
    commit(&lib, None);
    for turn in 0..2 {
        let run = scratch.run(&FLEET);
        assert!(
            run.code == Some(1) && run.stderr.contains("is not as the last run left it"),
            "{turn}: {run:?}"
        );
    }
    assert_eq!(git(&place, &["rev-parse", "refs/heads/pushed"]), tip);
    git(&place, &["update-ref", "-d", "refs/heads/pushed"]);
    assert_eq!(scratch.run(&FLEET).code, Some(0));
    fs::write(place.join("hooks").join("update"), "#!/bin/sh\n")
        .or_else(|_| fs::write(place.join("description"), "x"))
        .unwrap();
    commit(&lib, None);
    assert_eq!(scratch.run(&FLEET).code, Some(1));

    // What is gone from the folder is told, and an empty folder is none that was meant.
    fs::remove_dir_all(forge.join("mine")).unwrap();
    let run = scratch.run(&FLEET);
    assert!(run.stderr.contains("mine is not in the folder any more"), "{run:?}");
    fs::remove_dir_all(&lib).unwrap();
    let run = scratch.run(&FLEET);
    assert!(run.code == Some(1) && run.stderr.contains("there is no repository in forge"), "{run:?}");
}
