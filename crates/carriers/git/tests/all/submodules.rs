//! What a history says of other repositories.

use std::fs;
use std::num::NonZeroUsize;

use fieldtest_git::map;
use fieldtest_git::submodules::{Link, Survey, survey};

use crate::git::{git, is_installed};
use crate::repositories::{id_of, objects, open};

#[test]
fn every_commit_of_a_submodule_is_found_with_its_url() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    git(at, &["init", "--quiet", "--initial-branch=main"]);
    let ids: Vec<String> = (1..6).map(|digit: u32| digit.to_string().repeat(40)).collect();
    let link = |path: &str, id: &str| {
        git(at, &["update-index", "--add", "--cacheinfo", &format!("160000,{id},{path}")]);
    };
    let modules = |text: &str| {
        fs::write(at.join("modules"), text).unwrap();
        let blob = git(at, &["hash-object", "-w", "modules"]);
        git(at, &["update-index", "--add", "--cacheinfo", &format!("100644,{},.gitmodules", blob.trim())]);
    };
    // Git itself does not commit among submodules whose file it cannot read.
    let mut last = None;
    let mut commit = || {
        let tree = git(at, &["write-tree"]);
        let mut words = vec!["commit-tree", "-m", "x", tree.trim()];
        words.extend(last.iter().flat_map(|last: &String| ["-p", last.as_str()]));
        let made = git(at, &words).trim().to_owned();
        git(at, &["update-ref", "refs/heads/main", &made]);
        last = Some(made);
    };
    link("lib", &ids[0]);
    commit();
    modules(
        "[submodule \"a\"]\n path = lib\n url = ../lib.git\n[submodule \"b\"]\n path = deep/er/b\n url = https://x/b\n",
    );
    link("deep/er/b", &ids[1]);
    commit();
    link("lib", &ids[2]);
    commit();
    modules("[submodule \"a\n");
    commit();
    // What a tag of a tree alone leads to.
    link("tagged", &ids[3]);
    let tree = git(at, &["write-tree"]);
    git(at, &["tag", "-a", "-m", "x", "of-a-tree", tree.trim()]);
    git(at, &["repack", "-adq"]);

    let objects = objects(at);
    let mut starts: Vec<_> =
        open(at).references().unwrap().iter().filter_map(|reference| id_of(&reference.target)).collect();
    starts.push("7777777777777777777777777777777777777777".parse().unwrap());
    let options = map::Options { threads: NonZeroUsize::new(2).unwrap(), ..map::Options::default() };
    let Survey { links, commits } = survey(&objects, &starts, &options).unwrap();
    let wanted = |id: usize, path: &str, url: Option<&str>| Link {
        commit: ids[id].parse().unwrap(),
        path: path.to_owned(),
        url: url.map(str::to_owned),
    };
    let mut all = vec![
        wanted(0, "lib", None),
        wanted(0, "lib", Some("../lib.git")),
        wanted(1, "deep/er/b", Some("https://x/b")),
        wanted(2, "lib", Some("../lib.git")),
        wanted(1, "deep/er/b", None),
        wanted(2, "lib", None),
        wanted(3, "tagged", None),
    ];
    all.sort();
    assert_eq!(links, all);
    let of_git = git(at, &["rev-list", "--all"]);
    let mut of_git: Vec<_> = of_git.lines().map(|line| line.parse().unwrap()).collect();
    of_git.sort();
    assert_eq!(commits, of_git);
    assert!(survey(&objects, &[], &options).unwrap().links.is_empty());
}
