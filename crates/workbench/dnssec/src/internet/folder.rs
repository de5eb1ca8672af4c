//! Where zones, configurations and logs are, for as long as the program runs.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use fieldtest_frame::interrupt::Unfinished;

use crate::outcome::usage;

/// A directory for zones, configurations and logs, which is removed however the program ends.
pub(crate) struct Folder {
    directory: tempfile::TempDir,
    _unfinished: Unfinished,
}

impl Folder {
    pub(crate) fn new() -> Result<Folder> {
        let unfinished = Unfinished::new();
        let directory = tempfile::Builder::new().prefix("fieldtest-internet-").tempdir();
        let directory = directory.context("cannot create a directory for zones")?;
        // Configurations of servers have the path in quotes, and no way to escape one.
        if !directory
            .path()
            .to_str()
            .is_some_and(|path| path.chars().all(|c| c != '"' && c != '\\' && !c.is_control()))
        {
            return Err(usage(format!(
                "servers cannot read the path of the temporary directory, {}; set another one in TMPDIR",
                directory.path().display()
            )));
        }
        Unfinished::add(directory.path());
        Ok(Folder { directory, _unfinished: unfinished })
    }

    pub(crate) fn within(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(path)
    }
}
