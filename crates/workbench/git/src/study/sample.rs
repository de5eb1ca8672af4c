//! The repository that is studied where none is named.

use std::path::{Path, PathBuf};

use fieldtest_git::{Format, sample};
use fieldtest_study::StudyError;
use tempfile::TempDir;

use super::fault;

/// A generated repository, removed when it is dropped.
pub(super) struct Generated {
    path: PathBuf,
    _directory: TempDir,
}

impl Generated {
    pub(super) fn new(format: &Format, commits: u32, seed: u64) -> Result<Generated, StudyError> {
        let directory = TempDir::with_prefix("fieldtest-git-").map_err(fault)?;
        let path = directory.path().join("sample.git");
        sample::write(&path, format, commits, seed).map_err(fault)?;
        Ok(Generated { path, _directory: directory })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
