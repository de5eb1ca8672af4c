//! Where a new repository may be.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{Error, Repository};

/// Checks that a new repository at `path` would not lie within the one that it is made of: in its working tree, among its
/// objects or in its alternates, whatever links lead there.
///
/// # Errors
/// [`Error::Repository`] if it would; [`Error::Io`] if the directory that `path` is to be in cannot be found.
pub fn check(repository: &Repository, path: &Path) -> Result<(), Error> {
    let canonical =
        |path: &Path| fs::canonicalize(path).map_err(|source| Error::Io { path: path.to_path_buf(), source });
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => canonical(Path::new("."))?,
        Some(parent) => canonical(parent)?,
        None => canonical(path)?,
    };
    let mut folders = own_folders(repository)?;
    // The working tree of a repository that has not been told otherwise.
    let above = folders.iter().filter(|folder| folder.file_name().is_some_and(|name| name == ".git"));
    let above: Vec<PathBuf> = above.filter_map(|folder| folder.parent().map(Path::to_path_buf)).collect();
    folders.extend(above);
    folders.extend(repository.work_trees().iter().filter_map(|folder| fs::canonicalize(folder).ok()));
    folders.extend(further_working_trees(repository)?);
    match folders.iter().find(|folder| parent.starts_with(folder)) {
        None => Ok(()),
        Some(folder) => Err(Error::Repository {
            path: path.to_path_buf(),
            problem: format!("cannot write inside {}, which is only read", folder.display()),
            remedy: "choose a place outside the repository",
        }),
    }
}

/// As many symbolic links as Linux follows (path_resolution(7)).
const LINKS: usize = 40;

/// Checks that a file or directory that is written at `path` would be no part of the repository: not within its git
/// directory, that which several working trees share, its object directories or those of its alternates, whatever links lead
/// there, and no `.git` file. Other files of a working tree are the user's.
///
/// # Errors
/// [`Error::Repository`] if it would; [`Error::Io`] if that cannot be found out.
pub fn check_output(repository: &Repository, path: &Path) -> Result<(), Error> {
    let target = resolved(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    let folders = own_folders(repository)?;
    let within = match folders.iter().find(|folder| target.starts_with(folder)) {
        Some(folder) => folder.clone(),
        None if target.file_name().is_some_and(|name| name == ".git") => target,
        None => return Ok(()),
    };
    Err(Error::Repository {
        path: path.to_path_buf(),
        problem: format!("it is in {}, which is only read", within.display()),
        remedy: "choose a place outside the repository's own files",
    })
}

/// The directories that a repository consists of, without links: its git directory, that which several working trees share, its
/// object directories and those of its alternates.
fn own_folders(repository: &Repository) -> Result<Vec<PathBuf>, Error> {
    let mut folders: Vec<PathBuf> = repository.object_dirs().to_vec();
    for folder in [repository.git_dir(), repository.common_dir()] {
        let io = |source| Error::Io { path: folder.to_path_buf(), source };
        folders.push(fs::canonicalize(folder).map_err(io)?);
        // What links lead to belongs to it as well: `refs` of git-new-workdir.
        for entry in crate::refs::entries(folder)? {
            folders.extend(entry.is_symlink().then(|| fs::canonicalize(&entry).ok()).flatten());
        }
    }
    Ok(folders)
}

/// Where something lies that is written at `path`, without links; what is not there yet is thought to be made.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..LINKS {
        // A link that leads to nothing yet is followed when something is written.
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    for above in path.ancestors() {
        let mut found = match fs::canonicalize(above) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for part in path.strip_prefix(above).unwrap_or(Path::new("")).components() {
            match part {
                Component::ParentDir => drop(found.pop()),
                part => found.push(part),
            }
        }
        return Ok(found);
    }
    Ok(path)
}

/// The directories that `worktrees/NAME/gitdir` leads to; those that are gone are passed over.
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
