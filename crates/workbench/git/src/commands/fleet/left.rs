//! What tells a repository in its place from one that somebody pushed to or set up since.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Result;
use fieldtest_frame::job::digest;

use super::seen::Names;
use crate::commands::locate;

/// What would be lost where another one took the place.
pub(super) const LOST: &str = "references, configuration or hooks of others";

/// What people set up in a bare repository, beside its references. Git's own housekeeping changes none of it.
const SET_UP: [&str; 5] = ["config", "description", "hooks", "info/attributes", "info/exclude"];

/// A digest of what leads into a repository and of what is set up there.
pub(super) fn state(place: &Path) -> Result<String> {
    let repository = locate::exactly(place)?;
    let names = Names::of(repository.object_format(), &repository.snapshot()?);
    let mut parts = vec![serde_json::to_vec(&names)?];
    for name in SET_UP {
        add(place, Path::new(name), &mut parts)?;
    }
    Ok(digest(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>()))
}

/// Adds the names and contents of a file, a link or a folder, if there is one.
fn add(place: &Path, below: &Path, parts: &mut Vec<Vec<u8>>) -> io::Result<()> {
    let path = place.join(below);
    let found = match fs::symlink_metadata(&path) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    parts.push(below.as_os_str().as_encoded_bytes().to_vec());
    if found.is_dir() {
        let mut names = fs::read_dir(&path)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        return names.into_iter().try_for_each(|name| add(place, &below.join(name), parts));
    }
    parts.push(match () {
        () if found.is_symlink() => fs::read_link(&path)?.into_os_string().into_encoded_bytes(),
        () if found.is_file() => fs::read(&path)?,
        () => b"neither file nor link".to_vec(),
    });
    Ok(())
}
