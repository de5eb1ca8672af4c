//! A directory for results.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::outcome::coded;
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
        let shown = text::path(path);
        if path.exists() && !path.is_dir() {
            bail!(coded(
                "not-a-directory",
                anyhow!("cannot create the directory {shown}: a file has this name; choose another one")
            ));
        }
        let missing = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let directory = Directory { made: missing.map(Path::to_path_buf).collect() };
        fs::create_dir_all(path).with_context(|| format!("cannot create the directory {shown}"))?;
        Ok(directory)
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
