//! Results of earlier runs, which are kept when new ones take their names.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rustix::io::Errno;

use super::place::{Place, rename_to_nothing};
use crate::text;

/// Files that keep their content under a second name, `records.1.jsonl` for `records.jsonl`, so that others can take
/// their place. Unless they are [kept](Earlier::keep), the second names vanish again. A single output does this by itself
/// ([`Existing::Keep`](super::Existing::Keep)); this is for several that belong together and share a number.
#[derive(Debug)]
#[must_use]
pub struct Earlier {
    names: Vec<PathBuf>,
}

impl Earlier {
    /// Gives every one of these that is there its second name, all with the same number, the first that is free.
    ///
    /// # Errors
    ///
    /// No second name can be made.
    pub fn secure(paths: &[&Path]) -> Result<Earlier> {
        let mut there = Vec::new();
        for path in paths {
            // Through a device nothing is replaced.
            if let Place::File { path, exists: true } = Place::find(path)? {
                there.push(path);
            }
        }
        let mut number = 1u32;
        loop {
            let names: Vec<PathBuf> = there.iter().map(|path| numbered(path, number)).collect();
            if names.iter().any(|name| name.symlink_metadata().is_ok()) {
                number += 1;
                continue;
            }
            let mut earlier = Earlier { names: Vec::new() };
            for (path, name) in there.iter().zip(&names) {
                match second_name(path, name) {
                    Ok(()) => earlier.names.push(name.clone()),
                    // Somebody else took the name just now.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => break,
                    Err(error) => Err(error).with_context(|| {
                        format!("cannot keep {} as {}", text::path(path), text::path(name))
                    })?,
                }
            }
            if earlier.names.len() == names.len() {
                return Ok(earlier);
            }
            number += 1;
        }
    }

    /// The new files are there: the earlier ones keep their second names, which are these.
    pub fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.names)
    }
}

/// Says under which names earlier files are kept, if any are.
pub fn tell_kept(names: &[PathBuf]) {
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|path| path.display().to_string()).collect();
        super::message(&format!("the previous version is kept as {}", names.join(" and ")));
    }
}

impl Drop for Earlier {
    fn drop(&mut self) {
        for name in &self.names {
            // The content is still under its first name.
            let _ = fs::remove_file(name);
        }
    }
}

/// Moves what is at `from` to the first name of this kind that is free beside `path`.
pub(crate) fn move_beside(from: &Path, path: &Path) -> rustix::io::Result<()> {
    let mut moved = (1..).map(|number| rename_to_nothing(from, &numbered(path, number)));
    moved.find(|moved| *moved != Err(Errno::EXIST)).unwrap_or(Ok(()))
}

/// `records.1.jsonl`, `windows.1.csv.gz`: the number goes before all extensions, by which other programs know
/// the form. A name as long as names can be loses the end of its stem.
fn numbered(path: &Path, number: u32) -> PathBuf {
    /// limits.h, `NAME_MAX`.
    const LONGEST: usize = 255;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let stem = name.iter().skip(1).position(|&byte| byte == b'.').map_or(name.len(), |at| at + 1);
    let (stem, extensions) = name.split_at(stem);
    let number = format!(".{number}");
    let room = LONGEST.saturating_sub(number.len() + extensions.len());
    let name = [stem.get(..room).unwrap_or(stem), number.as_bytes(), extensions].concat();
    path.with_file_name(OsStr::from_bytes(&name))
}

/// A link, not a rename: under its first name the content stays until the new file replaces it. A copy where
/// the file system has no links.
fn second_name(path: &Path, name: &Path) -> io::Result<()> {
    match fs::hard_link(path, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::copy(path, name).map(|_| ()),
        Ok(()) => Ok(()),
    }
}
