//! In which state files and folders are, so that what was made of them is told from what would be made now. Nothing of what they
//! hold is read.
//!
//! The time of change (`st_ctime`, inode(7)) is the system's own: nobody sets it back with the time of modification.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::text::{self, names};

/// Which file it is, and in which state. A copy with the same times is another file.
///
/// # Errors
///
/// It cannot be looked at.
pub fn of_file(path: &Path) -> Result<Value> {
    let (name, found) = look(path)?;
    Ok(json!({
        "file": names::of(&name),
        "bytes": found.len(),
        "inode": found.ino(),
        "modified": time(found.mtime(), found.mtime_nsec()),
        "changed": time(found.ctime(), found.ctime_nsec()),
    }))
}

/// As [`of_file`], and of a folder in which state all is that lies below it: every name, kind, length, inode and time. Links in it
/// are not followed. It takes memory for the names of folders, and not for those of files.
///
/// # Errors
///
/// Something below it cannot be looked at.
pub fn of_any(path: &Path) -> Result<Value> {
    let (name, found) = look(path)?;
    if !found.is_dir() {
        return of_file(path);
    }
    let (mut sum, mut entries) = (Sum::default(), 0_u64);
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let folder = name.join(&below);
        let unread = || format!("cannot read {}", text::path(&folder));
        for entry in fs::read_dir(&folder).with_context(unread)? {
            let entry = entry.with_context(unread)?;
            let (below, found) = (below.join(entry.file_name()), entry.metadata());
            let found = found.with_context(|| format!("cannot read {}", text::path(&entry.path())))?;
            sum.add(&below, &found);
            entries += 1;
            if found.is_dir() {
                folders.push(below);
            }
        }
    }
    Ok(json!({ "folder": names::of(&name), "entries": entries, "state": sum.told() }))
}

/// The name behind all links, and what is there.
fn look(path: &Path) -> Result<(PathBuf, Metadata)> {
    let unread = || format!("cannot read {}", text::path(path));
    Ok((fs::canonicalize(path).with_context(unread)?, fs::metadata(path).with_context(unread)?))
}

fn time(seconds: i64, nanoseconds: i64) -> String {
    format!("{seconds}.{nanoseconds:09}")
}

/// The sum of a digest of each entry: in which order a folder gives them out is the file system's business.
#[derive(Default)]
struct Sum([u64; 4]);

impl Sum {
    fn add(&mut self, below: &Path, found: &Metadata) {
        let name = below.as_os_str().as_bytes();
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        let mut hasher = Sha256::new();
        hasher.update((name.len() as u64).to_be_bytes());
        hasher.update(name);
        hasher.update(found.mode().to_be_bytes());
        [found.len(), found.ino()].iter().for_each(|number| hasher.update(number.to_be_bytes()));
        times.iter().for_each(|number| hasher.update(number.to_be_bytes()));
        for (sum, word) in self.0.iter_mut().zip(hasher.finalize().as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_be_bytes(*word));
        }
    }

    fn told(&self) -> String {
        self.0.iter().map(|word| format!("{word:016x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_written_below_a_folder_is_seen() {
        let scratch = tempfile::tempdir().expect("a folder");
        let path = |name: &str| scratch.path().join("tree").join(name);
        fs::create_dir_all(path("a/b")).expect("folders");
        fs::write(path("a/b/file"), "one").expect("a file");
        std::os::unix::fs::symlink("nowhere", path("link")).expect("a link");
        let state = || of_any(&path("")).expect("a state");
        let first = state();
        assert_eq!((first["entries"].clone(), state()), (4.into(), first.clone()));
        let mut seen = vec![first];
        let mut differs = |what: &str| {
            let now = state();
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        // Of the same length, and with its time set back: the clock of the file system may be a coarse one.
        let modified = fs::metadata(path("a/b/file")).expect("a file").modified().expect("a time");
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(path("a/b/file"), "two").expect("a file");
        let file = fs::File::options().write(true).open(path("a/b/file")).expect("a file");
        file.set_modified(modified).expect("the time");
        differs("a file in depth was written to in its place");
        fs::rename(path("a/b/file"), path("a/b/other")).expect("another name");
        differs("a file has another name");
        fs::create_dir(path("a/c")).expect("a folder");
        differs("there is a folder more");
        fs::remove_file(path("link")).expect("a link");
        differs("a link is gone");
        assert!(of_any(&path("none")).expect_err("nothing").to_string().contains("tree/none"));
    }

    #[test]
    fn a_file_that_is_written_to_in_its_place_has_another_time_of_change() {
        let scratch = tempfile::tempdir().expect("a folder");
        let path = scratch.path().join("file");
        fs::write(&path, "one").expect("a file");
        let (before, found) = (of_any(&path).expect("a state"), fs::metadata(&path).expect("a file"));
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, "two").expect("a file");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(found.modified().expect("a time")).expect("the time");
        let after = of_file(&path).expect("a state");
        assert_eq!(before["modified"], after["modified"]);
        assert_ne!(before["changed"], after["changed"]);
    }
}
