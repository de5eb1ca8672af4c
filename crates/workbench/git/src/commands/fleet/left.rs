//! Whether what lies in a repository's place is what a run left there: what somebody pushed to it or set up there is not
//! replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use fieldtest_frame::job::{Refused, digest};
use fieldtest_frame::text;

use super::seen::Names;
use crate::commands::locate;
use crate::output;

/// What people set up in a bare repository, beside its references. Git's own housekeeping changes none of it.
const SET_UP: [&str; 5] = ["config", "description", "hooks", "info/attributes", "info/exclude"];

/// What runs left in the place of one repository: a file in the job's folder with the states that may be found there. They
/// are two where a run was killed that put a new one in the place of an earlier one.
pub(super) struct Left {
    file: PathBuf,
    states: Vec<String>,
}

impl Left {
    pub(super) fn read(file: PathBuf) -> Left {
        let text = fs::read_to_string(&file).unwrap_or_default();
        Left { states: text.lines().map(str::to_owned).collect(), file }
    }

    /// The state of what is in the place, if anything is.
    ///
    /// # Errors
    /// It is none that a run left; as [`Refused`].
    pub(super) fn check(&self, place: &Path) -> Result<Option<String>> {
        let refused = |what: &str| anyhow!(Refused(format!("{} {what}", text::path(place))));
        match fs::symlink_metadata(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused(&format!("cannot be looked at: {error}"))),
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(refused("is no directory; move away what lies there")),
        }
        let found = state(place).ok().filter(|state| self.states.contains(state));
        match found {
            Some(state) => Ok(Some(state)),
            None if self.states.is_empty() => {
                Err(refused("is there already, and no run of this job left it; move it away"))
            }
            None => Err(refused(
                "is not as the last run left it: its references, configuration or hooks are others, and would be lost; move it \
                 away, and it is converted anew",
            )),
        }
    }

    /// Notes that `fresh` is about to take the place of what was found there.
    ///
    /// # Errors
    /// The note cannot be written.
    pub(super) fn expect(&self, found: Option<String>, fresh: &Path) -> Result<()> {
        let states: Vec<String> = found.into_iter().chain([state(fresh)?]).collect();
        output::file(&self.file, format!("{}\n", states.join("\n")).as_bytes())
    }
}

/// A digest of what leads into a repository and of what is set up there.
fn state(place: &Path) -> Result<String> {
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
