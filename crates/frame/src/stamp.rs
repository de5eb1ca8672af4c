//! In which state files are, so that what was made of them is told from what would be made now. Nothing of what they
//! hold is read.
//!
//! The time of change (`st_ctime`, inode(7)) is the system's own: nobody sets it back with the time of modification.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::text::{self, names};

/// Which file it is, and in which state. A copy with the same times is another file.
///
/// # Errors
///
/// It cannot be looked at.
pub fn of_file(path: &Path) -> Result<Value> {
    let unread = || format!("cannot read {}", text::path(path));
    // The name behind all links.
    let (name, found) =
        (fs::canonicalize(path).with_context(unread)?, fs::metadata(path).with_context(unread)?);
    Ok(json!({
        "file": names::of(&name),
        "bytes": found.len(),
        "inode": found.ino(),
        "modified": time(found.mtime(), found.mtime_nsec()),
        "changed": time(found.ctime(), found.ctime_nsec()),
    }))
}

fn time(seconds: i64, nanoseconds: i64) -> String {
    format!("{seconds}.{nanoseconds:09}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_to_in_its_place_has_another_time_of_change() {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join("file");
        fs::write(&path, "one").expect("a file");
        let (before, found) = (of_file(&path).expect("a state"), fs::metadata(&path).expect("a file"));
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, "two").expect("a file");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(found.modified().expect("a time")).expect("the time");
        let after = of_file(&path).expect("a state");
        assert_eq!(before["modified"], after["modified"]);
        assert_ne!(before["changed"], after["changed"]);
    }
}
