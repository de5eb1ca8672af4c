//! Finding the repository that a path is in, as Git does: `.` within a working tree will do.

use std::fs;
use std::path::{Path, PathBuf};

use fieldtest_git::{Error, Options, Repository};

/// Opens the repository at a path, or the nearest one above it.
///
/// # Errors
/// As [`Repository::open`]: of what was found, or that nothing is at the path if nothing was.
pub(super) fn open(path: &Path, options: &Options) -> Result<Repository, Error> {
    Repository::open(&find(path).unwrap_or_else(|| path.to_path_buf()), options)
}

/// Opens a repository all of whose history is there. A partial clone may still lack objects: whoever meets a gap says so.
///
/// # Errors
/// As [`open`].
pub(super) fn open_whole(path: &Path) -> Result<Repository, Error> {
    open(path, &Options { partial: true, shallow: false })
}

/// The same of the repository at the path itself.
///
/// # Errors
/// As [`Repository::open`].
pub(super) fn exactly(path: &Path) -> Result<Repository, Error> {
    Repository::open(path, &Options { partial: true, shallow: false })
}

/// The path itself if a repository is there, else the nearest directory above it that is one.
pub(super) fn find(path: &Path) -> Option<PathBuf> {
    if is_repository(path) || path.is_file() {
        return Some(path.to_path_buf());
    }
    let absolute = fs::canonicalize(path).ok()?;
    absolute.ancestors().skip(1).find(|above| is_repository(above)).map(Path::to_path_buf)
}

/// Whether there is something to open, be it readable or not: a working tree, or a bare repository
/// (gitrepository-layout(5)).
pub(super) fn is_repository(path: &Path) -> bool {
    path.join(".git").exists()
        || path.join("HEAD").symlink_metadata().is_ok()
            && (path.join("objects").is_dir() || path.join("commondir").is_file())
}
