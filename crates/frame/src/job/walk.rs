//! Looking through a directory for what items are made of.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::text;

/// What is met in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Met {
    /// A symbolic link, which is not followed.
    Link,
    /// A directory.
    Folder,
    /// A regular file.
    File,
    /// A device, a FIFO, a socket.
    Other,
    /// A directory that was gone into and cannot be read: why.
    Unread(String),
}

/// Goes through a directory. `met` is told of everything in it, by its path below the directory, and says of directories whether to go into
/// them as well.
///
/// # Errors
///
/// The directory itself cannot be read, or what is in one cannot be told.
pub fn walk(root: &Path, mut met: impl FnMut(PathBuf, Met) -> bool) -> Result<()> {
    let mut waiting = vec![PathBuf::new()];
    while let Some(below) = waiting.pop() {
        let folder = root.join(&below);
        let cannot = |path: &Path| format!("cannot read {}", text::path(path));
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if below.as_os_str().is_empty() => return Err(error).with_context(|| cannot(root)),
            Err(error) => {
                met(below, Met::Unread(format!("cannot read this directory: {error}")));
                continue;
            }
        };
        for entry in entries {
            let entry = entry.with_context(|| cannot(&folder))?;
            let below = below.join(entry.file_name());
            let what = match entry.file_type().with_context(|| cannot(&entry.path()))? {
                found if found.is_symlink() => Met::Link,
                found if found.is_dir() => Met::Folder,
                found if found.is_file() => Met::File,
                _ => Met::Other,
            };
            let is_folder = what == Met::Folder;
            if met(below.clone(), what) && is_folder {
                waiting.push(below);
            }
        }
    }
    Ok(())
}
