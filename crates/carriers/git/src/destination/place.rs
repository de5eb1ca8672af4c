//! Where a new repository may be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Repository};

/// Checks that a new repository at `path` would not lie within the one that it is made of: in its working tree, among its
/// objects or in its alternates, whatever links lead there.
///
/// # Errors
/// [`Error::Repository`] if it would; [`Error::Io`] if the folder that `path` is to be in cannot be found.
pub fn check(repository: &Repository, path: &Path) -> Result<(), Error> {
    let canonical =
        |path: &Path| fs::canonicalize(path).map_err(|source| Error::Io { path: path.to_path_buf(), source });
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => canonical(Path::new("."))?,
        Some(parent) => canonical(parent)?,
        None => canonical(path)?,
    };
    let mut folders: Vec<PathBuf> = repository.object_dirs().to_vec();
    for folder in [repository.git_dir(), repository.common_dir()] {
        let folder = canonical(folder)?;
        // The working tree of a repository that has not been told otherwise.
        if folder.file_name().is_some_and(|name| name == ".git") {
            folders.extend(folder.parent().map(Path::to_path_buf));
        }
        folders.push(folder);
    }
    folders.extend(further_working_trees(repository)?);
    match folders.iter().find(|folder| parent.starts_with(folder)) {
        None => Ok(()),
        Some(folder) => Err(Error::Repository {
            path: path.to_path_buf(),
            problem: format!("this would be within {}, which is only read", folder.display()),
            remedy: "choose a place beside the repository",
        }),
    }
}

/// The folders that `worktrees/NAME/gitdir` leads to; those that are gone are passed over.
fn further_working_trees(repository: &Repository) -> Result<Vec<PathBuf>, Error> {
    let mut folders = Vec::new();
    for entry in crate::refs::entries(&repository.common_dir().join("worktrees"))? {
        let text = match crate::file::read(&entry.join("gitdir")) {
            Ok(text) => text,
            Err(Error::Io { source, .. })
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                continue;
            }
            Err(error) => return Err(error),
        };
        let git_file = entry.join(crate::repository::path_in(&text));
        folders.extend(git_file.parent().and_then(|folder| fs::canonicalize(folder).ok()));
    }
    Ok(folders)
}
