//! Whether what lies in the place of an item's result is what a run left there: what others put or did there is not replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::{Refused, files, key};
use crate::{output, text};

/// What runs left in one place: a file in the job's folder with the states that may be found there. They are two where a run
/// was killed that put a new one in the place of an earlier one.
#[derive(Debug)]
pub struct Left {
    file: PathBuf,
    states: Vec<String>,
    /// The item of another name whose result this job left in the place.
    other: Option<String>,
}

impl Left {
    /// Of the item of a name, as a file in `store` says, which need not be there.
    pub fn of(store: &Path, name: &str) -> Left {
        let file = store.join(key(name));
        let text = files::read(&file).ok().and_then(|text| String::from_utf8(text).ok()).unwrap_or_default();
        Left { states: text.lines().map(str::to_owned).collect(), file, other: None }
    }

    /// Knows of the item of another name whose result this job left in the same place.
    #[must_use]
    pub fn or_of(self, other: Option<&str>) -> Left {
        Left { other: other.map(str::to_owned), ..self }
    }

    /// Whether a run ever left anything.
    pub fn is_any(&self) -> bool {
        !self.states.is_empty()
    }

    /// The state of what is in the place, if anything is. `state` is a line that tells it from others; `lost` says what would be
    /// lost of it otherwise.
    ///
    /// # Errors
    ///
    /// It is none that a run left; as [`Refused`].
    pub fn check(
        &self,
        place: &Path,
        lost: &str,
        state: impl FnOnce(&Path) -> Result<String>,
    ) -> Result<Option<String>> {
        let refused = |what: &str| anyhow!(Refused(format!("{} {what}", text::path(place))));
        match fs::symlink_metadata(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused(&format!("cannot be looked at: {error}"))),
            Ok(found) if found.is_symlink() => return Err(refused("is a link; move it away")),
            Ok(_) => {}
        }
        let why = match state(place) {
            Ok(state) if self.states.contains(&state) => return Ok(Some(state)),
            Ok(_) => String::new(),
            Err(error) => format!(" ({error:#})"),
        };
        if let Some(other) = self.other.as_ref().filter(|_| self.states.is_empty()) {
            return Err(refused(&format!(
                "is there already: this job left it, and made it of {other}; move it away, and it is made anew"
            )));
        }
        match self.states.is_empty() {
            true => Err(refused("is there already, and no run of this job left it; move it away")),
            false => Err(refused(&format!(
                "is not as the last run left it{why}: {lost} would be lost; move it away, and it is made anew"
            ))),
        }
    }

    /// Notes that something of this state is about to take the place of what was found there.
    ///
    /// # Errors
    ///
    /// The note cannot be written.
    pub fn expect(&self, found: Option<String>, fresh: String) -> Result<()> {
        let states: Vec<String> = found.into_iter().chain([fresh]).collect();
        output::own_file(&self.file, format!("{}\n", states.join("\n")).as_bytes())
    }
}
