//! What a conversion leaves behind: all that is in the directory of a repository and not known to be carried over, or to be made again
//! by Git (gitrepository-layout(5)).

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::path::Path;

use crate::Repository;
use crate::file::read_if_there;
use crate::repository::config;

/// What is there for the moment: of work that is not finished, or of the last command.
const UNFINISHED: [&str; 11] = [
    "AUTO_MERGE",
    "COMMIT_EDITMSG",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "ORIG_HEAD",
    "BISECT_LOG",
    "FETCH_HEAD",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];

/// What a repository has that a conversion does not carry over: kinds of files in words, other files by their paths, settings by
/// their names. Only what is there, sorted.
///
/// Reflogs, the index and half-finished work name objects by old IDs, and hooks, settings and stored files of extensions
/// belong to the place and not to the history.
pub fn left_behind(repository: &Repository) -> Vec<String> {
    let mut behind = Behind::default();
    let (own, common) = (repository.git_dir(), repository.common_dir());
    behind.folder(common, "", &|name| common_kind(common, name));
    if own != common {
        behind.folder(own, "", &|name| match name {
            "HEAD" | "commondir" | "gitdir" | "refs" | "locked" => Kind::Carried,
            name => common_kind(own, name),
        });
    }
    behind.folder(&common.join("info"), "info/", &|name| info_kind(common, name));
    behind.folder(&common.join("objects"), "objects/", &objects_kind);
    behind.folder(&common.join("objects/info"), "objects/info/", &|name| match name {
        "packs" | "commit-graph" | "commit-graphs" => Kind::Carried,
        "alternates" => Kind::Of("alternates, whose objects the new repository has itself"),
        _ => Kind::File,
    });
    behind.folder(&common.join("objects/pack"), "objects/pack/", &|name| {
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        let is_made_again = ["pack", "idx", "rev", "bitmap", "mtimes"].contains(&end);
        match is_made_again || name.starts_with("multi-pack-index") {
            true => Kind::Carried,
            false => Kind::File,
        }
    });
    behind.settings(common);
    behind.found.into_iter().collect()
}

enum Kind {
    /// Carried over, made again by Git, or looked at by itself.
    Carried,
    /// One of many, which are called so.
    Of(&'static str),
    /// To be called by its path.
    File,
}

#[derive(Default)]
struct Behind {
    found: BTreeSet<String>,
}

impl Behind {
    /// Enters what is in a directory, which need not be there. `below` stands before the names.
    fn folder(&mut self, folder: &Path, below: &str, kind: &dyn Fn(&str) -> Kind) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match kind(&name) {
                Kind::Carried => {}
                Kind::Of(what) => drop(self.found.insert(what.to_owned())),
                Kind::File => drop(self.found.insert(format!("{below}{name}"))),
            }
        }
    }

    fn settings(&mut self, common: &Path) {
        let text = read_if_there(&common.join("config")).ok().flatten().unwrap_or_default();
        let mut names = BTreeSet::new();
        for variable in config::parse(&text).unwrap_or_default() {
            let is_of_format = match (variable.section.as_str(), variable.name.as_str()) {
                ("core", "repositoryformatversion" | "bare")
                | ("extensions", "objectformat" | "refstorage") => true,
                // As `git init` has them.
                ("core", "filemode" | "logallrefupdates") => variable.is_true(),
                _ => false,
            };
            if !is_of_format {
                names.insert(format!("{}.{}", variable.section, variable.name));
            }
        }
        if !names.is_empty() {
            let names: Vec<String> = names.into_iter().collect();
            self.found.insert(format!("settings ({})", names.join(", ")));
        }
    }
}

fn common_kind(folder: &Path, name: &str) -> Kind {
    let has = |is_counted: &dyn Fn(&DirEntry) -> bool| {
        fs::read_dir(folder.join(name)).is_ok_and(|found| found.flatten().any(|entry| is_counted(&entry)))
    };
    let if_any = |what| if has(&|_| true) { Kind::Of(what) } else { Kind::Carried };
    match name {
        "HEAD" | "packed-refs" | "refs" | "objects" | "info" | "config" => Kind::Carried,
        "gc.log" | "gc.pid" => Kind::Carried,
        "config.worktree" => Kind::File,
        "logs" => if_any("reflogs"),
        "worktrees" => if_any("HEADs and references of further working trees"),
        "modules" => if_any("repositories of submodules"),
        "lfs" => if_any("files of Git LFS"),
        "branches" if !has(&|_| true) => Kind::Carried,
        "hooks" => match has(&|entry| !entry.file_name().as_encoded_bytes().ends_with(b".sample")) {
            true => Kind::Of("hooks"),
            false => Kind::Carried,
        },
        // What `git init` writes names no repository (gitweb(1)).
        "description" if starts_with(&folder.join(name), b"Unnamed repository") => Kind::Carried,
        name if name == "index" || name.starts_with("sharedindex.") => Kind::Of("the index"),
        name if UNFINISHED.contains(&name) => {
            Kind::Of("the state of operations (MERGE_HEAD, ORIG_HEAD, FETCH_HEAD, …)")
        }
        _ => Kind::File,
    }
}

fn info_kind(common: &Path, name: &str) -> Kind {
    match name {
        // For clients of the old protocol, by `git update-server-info`.
        "refs" => Kind::Carried,
        "grafts" => Kind::Of("grafts"),
        "exclude" => {
            let text = read_if_there(&common.join("info/exclude")).ok().flatten().unwrap_or_default();
            let says = |line: &[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
            if text.split(|&byte| byte == b'\n').any(says) { Kind::File } else { Kind::Carried }
        }
        _ => Kind::File,
    }
}

fn objects_kind(name: &str) -> Kind {
    let is_of_objects = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_of_objects || ["pack", "info"].contains(&name) { Kind::Carried } else { Kind::File }
}

fn starts_with(path: &Path, start: &[u8]) -> bool {
    read_if_there(path).ok().flatten().is_some_and(|text| text.starts_with(start))
}
