//! Whether what lies in the place of an item's result is what a run left there: what others put or did there is not replaced.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{Refused, files, key};
use crate::output::{self, move_beside, rename_to_nothing};
use crate::text;

/// What runs left in one place: a file in the job's directory with the states that may be found there. They are two where a run
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
            Err(error) => return Err(refused(&format!("is not accessible: {error}"))),
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
                "already exists: this job made it from {other}; move it away to make it again"
            )));
        }
        match self.states.is_empty() {
            true => Err(refused("already exists, and was not made by this job; move it away")),
            false => Err(refused(&format!(
                "changed since the last run{why}: {lost} would be lost; move it away to make it again"
            ))),
        }
    }

    /// Notes that something of this state is about to take the place of what was found there, and knows both from then on.
    ///
    /// # Errors
    ///
    /// The note cannot be written.
    pub fn expect(self, found: Option<String>, fresh: String) -> Result<Left> {
        let states: Vec<String> = found.into_iter().chain([fresh]).collect();
        output::own_file(&self.file, format!("{}\n", states.join("\n")).as_bytes())?;
        Ok(Left { states, ..self })
    }

    /// Gives what is at `fresh` its place, and removes what was there. Where the system can exchange names (`RENAME_EXCHANGE`,
    /// rename(2)), something whole has the name at any time. What was there is [checked](Self::check) once more under the other
    /// name: if somebody wrote to it since the last look, it gets its place back.
    ///
    /// # Errors
    ///
    /// What was there is none that a run left; as [`Refused`]. The system refuses.
    pub fn take_place(
        &self,
        fresh: &Path,
        place: &Path,
        lost: &str,
        state: impl Fn(&Path) -> Result<String>,
    ) -> Result<()> {
        let cannot = || format!("cannot write {}", text::path(place));
        match exchange(fresh, place) {
            Err(Errno::NOENT) => match rename_to_nothing(fresh, place) {
                Err(Errno::EXIST) => {
                    self.check(place, lost, &state)?;
                    return Err(io::Error::from(Errno::EXIST)).with_context(cannot);
                }
                result => result.with_context(cannot)?,
            },
            Err(error) => return Err(error).with_context(cannot),
            Ok(()) => {
                if let Err(refused) = self.check(fresh, lost, &state) {
                    exchange(fresh, place).with_context(cannot)?;
                    // Both are looked at again after the exchange: a push between the first look and the
                    // exchange was deleted with the earlier result. Whoever saw the new one for a moment may
                    // have written to it, too.
                    if self.check(fresh, lost, &state).is_err() {
                        move_beside(fresh, place).with_context(cannot)?;
                    }
                    self.check(place, lost, &state)?;
                    return Err(refused);
                }
                let removed = if fresh.is_dir() { fs::remove_dir_all(fresh) } else { fs::remove_file(fresh) };
                removed.with_context(|| format!("cannot remove {}", text::path(fresh)))?;
            }
        }
        let folder = place.parent().unwrap_or(place);
        File::open(folder).and_then(|folder| folder.sync_all()).with_context(cannot)
    }
}

/// Exchanges two names: in one step, or through a third name on a file system that cannot do that.
fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => {
            let third = one.with_extension("other");
            rename_to_nothing(other, &third)?;
            rename_to_nothing(one, other)?;
            rename_to_nothing(&third, one)
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_since_the_last_look_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [fresh, place, store] = ["fresh", "place.end", "store"].map(|name| folder.path().join(name));
        let left = || Left { file: store.clone(), states: Vec::new(), other: None };
        let state = |path: &Path| Ok(fs::read_to_string(path.join("state"))?);
        let put = |path: &Path, state: &str| {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join("state"), state).unwrap();
        };
        let run = |found: Option<&str>| {
            put(&fresh, "new");
            let left = left().expect(found.map(str::to_owned), "new".to_owned()).unwrap();
            left.take_place(&fresh, &place, "all", state)
        };
        run(None).unwrap();
        assert_eq!((state(&place).unwrap().as_str(), fresh.exists()), ("new", false));
        put(&place, "old");
        run(Some("old")).unwrap();
        assert_eq!((state(&place).unwrap().as_str(), fresh.exists()), ("new", false));
        for found in [None, Some("old")] {
            put(&place, "pushed");
            assert!(run(found).unwrap_err().is::<Refused>());
            assert_eq!(state(&place).unwrap(), "pushed");
        }
        // Also what was written to the new one in the moment in which it was there.
        put(&place, "pushed");
        put(&fresh, "pushed, too");
        let left = left().expect(Some("old".to_owned()), "new".to_owned()).unwrap();
        assert!(left.take_place(&fresh, &place, "all", state).unwrap_err().is::<Refused>());
        assert_eq!(state(&place).unwrap(), "pushed");
        assert_eq!(state(&folder.path().join("place.1.end")).unwrap(), "pushed, too");
    }
}
