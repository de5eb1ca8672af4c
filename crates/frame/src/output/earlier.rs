//! Results of earlier runs, which are kept when new ones take their names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::place::Place;
use crate::text;

/// Files that keep their content under a second name, `records.1.jsonl` for `records.jsonl`, so that others can take
/// their place. Unless they are [kept](Earlier::keep), the second names vanish again.
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
            for (path, name) in there.iter().zip(names) {
                second_name(path, &name)
                    .with_context(|| format!("cannot keep {} as {}", text::path(path), text::path(&name)))?;
                earlier.names.push(name);
            }
            return Ok(earlier);
        }
    }

    /// The new files are there: the earlier ones keep their second names, which are these.
    pub fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.names)
    }
}

/// Secures what is read where it is written to as well, which is nothing if it is not.
///
/// # Errors
///
/// As [`Earlier::secure`].
pub fn kept_in_place(output: &Path, input: &Path) -> Result<Earlier> {
    let same = match (fs::metadata(output), fs::metadata(input)) {
        (Ok(output), Ok(input)) => super::is_same(&output, &input),
        _ => false,
    };
    let written: &[&Path] = if same { &[output] } else { &[] };
    Earlier::secure(written)
}

/// Says under which names earlier files are kept, if any are.
pub fn tell_kept(names: &[PathBuf]) {
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|path| path.display().to_string()).collect();
        super::message(&format!("what was there before is kept as {}", names.join(" and ")));
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

/// `records.1.jsonl`, `windows.1.csv.gz`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let stem = name.iter().skip(1).position(|&byte| byte == b'.').map_or(name.len(), |at| at + 1);
    let (stem, extensions) = name.split_at(stem);
    let name = [stem, format!(".{number}").as_bytes(), extensions].concat();
    path.with_file_name(OsStr::from_bytes(&name))
}

/// A link where the file system has them, else a copy.
fn second_name(path: &Path, name: &Path) -> std::io::Result<()> {
    match fs::hard_link(path, name) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::copy(path, name).map(|_| ()),
        Ok(()) => Ok(()),
    }
}
