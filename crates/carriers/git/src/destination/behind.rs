//! What a conversion leaves behind.

use std::fs;
use std::path::Path;

use crate::Repository;

/// What a repository has that a conversion does not carry over, in words; only what is there.
///
/// Reflogs, the index and half-finished work name objects by old IDs, and hooks, settings and stored files of extensions
/// belong to the place and not to the history.
pub fn left_behind(repository: &Repository) -> Vec<&'static str> {
    let (own, common) = (repository.git_dir(), repository.common_dir());
    let any_in = |folder: &str, is_counted: &dyn Fn(&Path) -> bool| {
        let found = fs::read_dir(common.join(folder));
        found.is_ok_and(|entries| entries.flatten().any(|entry| is_counted(&entry.path())))
    };
    let is_hook = |path: &Path| path.extension().is_none_or(|extension| extension != "sample");
    const UNFINISHED: [&str; 9] = [
        "ORIG_HEAD",
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "BISECT_LOG",
        "FETCH_HEAD",
        "rebase-merge",
        "rebase-apply",
        "sequencer",
    ];
    let found = [
        ("reflogs", common.join("logs").exists()),
        ("the index", own.join("index").exists()),
        ("HEADs and references of further working trees", any_in("worktrees", &|_| true)),
        (
            "what is unfinished or was last (MERGE_HEAD, ORIG_HEAD, FETCH_HEAD and the like)",
            UNFINISHED.iter().any(|name| own.join(name).exists()),
        ),
        ("hooks", any_in("hooks", &is_hook)),
        ("settings other than the format", common.join("config").exists()),
        ("info/attributes", common.join("info/attributes").exists()),
        ("grafts", common.join("info/grafts").exists()),
        ("repositories of submodules", any_in("modules", &|_| true)),
        ("files of Git LFS", common.join("lfs/objects").exists()),
    ];
    found.into_iter().filter(|(_, is_there)| *is_there).map(|(what, _)| what).collect()
}
