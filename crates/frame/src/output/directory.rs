use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use crate::outcome::{coded, usage};
use crate::text;

/// A directory for results. Where it had to be made and nothing came into it, it is removed again.
#[derive(Debug)]
pub struct Directory {
    made: Vec<PathBuf>,
}

impl Directory {
    /// Makes the directory and those above it, as far as they are missing.
    ///
    /// # Errors
    ///
    /// Something else has the name, or the system refuses.
    pub fn make(path: &Path) -> Result<Directory> {
        Self::check(path)?;
        let missing = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let directory = Directory { made: missing.map(Path::to_path_buf).collect() };
        fs::create_dir_all(path).map_err(|error| {
            // What is missing above is made, but /proc and /sys have no new directories.
            let cannot = format!("cannot create the directory {}", text::path(path));
            match error.kind() == io::ErrorKind::NotFound {
                true => coded(
                    "no-access",
                    anyhow!("{cannot}: nothing can be created there; choose another place"),
                ),
                false => anyhow!(error).context(cannot),
            }
        })?;
        Ok(directory)
    }

    /// Says early that something else has the name: a job that begins without this keeps a place that it cannot write to.
    ///
    /// # Errors
    ///
    /// It is no directory.
    pub fn check(path: &Path) -> Result<()> {
        if path == Path::new(super::STDOUT) {
            bail!(usage("cannot write to -: a directory is needed, not standard output; give its name"));
        }
        if path.exists() && !path.is_dir() {
            let said = anyhow!("cannot write to {}: it is not a directory; give one", text::path(path));
            bail!(coded("not-a-directory", said));
        }
        Ok(())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        for path in &self.made {
            // The system refuses to remove a directory that holds anything.
            if fs::remove_dir(path).is_err() {
                break;
            }
        }
    }
}
