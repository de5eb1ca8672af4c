//! The working trees beside the first, each of which has a `HEAD` (git-worktree(1)).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::{entries, read_one};
use super::{Reference, Target};
use crate::Error;

/// The `HEAD` of each working tree beside the first, but for those that are being made or removed.
pub(crate) fn heads(common_dir: &Path, id_len: usize) -> Result<Vec<Reference>, Error> {
    let mut heads = Vec::new();
    for folder in entries(&common_dir.join("worktrees"))? {
        let head = folder.join("HEAD");
        let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
        let read = || read_one(&head, [b"worktrees/", name, b"/HEAD"].concat(), id_len);
        let mut found = read();
        let is_unfinished = match &found {
            Ok(Reference { target: Target::Id(id), .. }) => id.as_bytes().iter().all(|&byte| byte == 0),
            found => found.is_err(),
        };
        if is_unfinished {
            if is_being_made(&folder) {
                continue;
            }
            // It may have got its `HEAD` between the two looks.
            found = read();
        }
        if found.is_ok() || head.symlink_metadata().is_ok() {
            heads.push(found?);
        } else if is_left_without_head(&folder) {
            return Err(Error::Repository {
                path: head,
                problem: "this file is missing, and Git reads the directory as that of a working tree"
                    .to_owned(),
                remedy: "write the ID of a commit into it, or remove the directory",
            });
        }
    }
    Ok(heads)
}

/// The directory of each working tree beside the first, as Git lists them: `gitdir` there names one, which need not be there.
pub(crate) fn working_trees(common_dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut folders = entries(&common_dir.join("worktrees"))?;
    folders.retain(|folder| names_working_tree(folder));
    Ok(folders)
}

fn names_working_tree(folder: &Path) -> bool {
    folder.join("gitdir").metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Longer than it takes to make a working tree, or to remove one.
const LONGEST: Duration = Duration::from_secs(60);

fn is_old(file: &fs::Metadata) -> bool {
    file.modified().is_ok_and(|written| written.elapsed().is_ok_and(|age| age > LONGEST))
}

/// Whether a directory without `HEAD` is that of a working tree to Git (it is if `gitdir` names one), and neither has become
/// so by `git worktree remove` a moment ago.
fn is_left_without_head(folder: &Path) -> bool {
    names_working_tree(folder) && folder.metadata().is_ok_and(|folder| is_old(&folder))
}

/// Whether `git worktree add` may be at work in this directory: it locks it, writes an ID of zeros to `HEAD`, and only then
/// what it stands for. Where that is long ago, it was killed, or somebody else locked it.
fn is_being_made(folder: &Path) -> bool {
    let written = folder.join("HEAD").symlink_metadata().or_else(|_| folder.metadata());
    folder.join("locked").exists() && !written.is_ok_and(|written| is_old(&written))
}
