//! Which packs and loose objects there are, also while others commit, pack and remove.

use std::path::{Path, PathBuf};

use crate::refs::entries;
use crate::{Error, ObjectId, loose};

/// What is in the directories of objects, by name.
///
/// Git stores an object after all that it names, and a pack before it removes what that has. So loose objects are listed
/// before packs, where `git gc` may move them, and once more after them: what came in between is *late*. All that the
/// others name is among the others or late; what late objects name may have come too late to be listed.
#[derive(PartialEq, Eq)]
pub(super) struct Names {
    /// Files in the directories of packs, by directory.
    pub(super) packs: Vec<Vec<PathBuf>>,
    /// Loose objects, by directory, sorted.
    pub(super) loose: Vec<Vec<ObjectId>>,
    /// Those that came after them.
    pub(super) late: Vec<Vec<ObjectId>>,
    /// Loose objects that went. Unless a pack has them, something else was going on.
    pub(super) gone: Vec<ObjectId>,
}

impl Names {
    /// Lists what is in these directories.
    ///
    /// # Errors
    /// [`Error::Io`] of directories that cannot be listed.
    pub(super) fn read(folders: &[PathBuf], id_len: usize) -> Result<Names, Error> {
        let list = || -> Result<Vec<Vec<ObjectId>>, Error> {
            folders.iter().map(|folder| loose::list(folder, id_len)).collect()
        };
        let first = list()?;
        let packs = packs(folders)?;
        let second = list()?;
        let mut names = Names { packs, loose: Vec::new(), late: Vec::new(), gone: Vec::new() };
        for (first, second) in first.into_iter().zip(second) {
            if first == second {
                names.loose.push(first);
                names.late.push(Vec::new());
                continue;
            }
            let (both, gone): (Vec<_>, Vec<_>) =
                first.iter().copied().partition(|id| second.binary_search(id).is_ok());
            names.loose.push(both);
            names.gone.extend(gone);
            names.late.push(second.into_iter().filter(|id| first.binary_search(id).is_err()).collect());
        }
        Ok(names)
    }

    /// Whether packs came or went since.
    ///
    /// # Errors
    /// [`Error::Io`] of directories that cannot be listed.
    pub(super) fn have_changed(&self, folders: &[PathBuf]) -> Result<bool, Error> {
        Ok(packs(folders)? != self.packs)
    }

    pub(super) fn loose(&self) -> usize {
        self.loose.iter().chain(&self.late).map(Vec::len).sum()
    }
}

fn packs(folders: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>, Error> {
    let is_of_pack = |path: &PathBuf| path.extension().is_some_and(|found| found == "pack" || found == "idx");
    let of = |folder: &PathBuf| -> Result<Vec<PathBuf>, Error> {
        Ok(entries(&folder.join("pack"))?.into_iter().filter(is_of_pack).collect())
    };
    folders.iter().map(of).collect()
}

/// Whether an error says that a file is gone, and it is: there is not even a link that leads nowhere.
pub(crate) fn has_vanished(error: &Error) -> bool {
    let is_gone = |path: &Path| path.symlink_metadata().is_err();
    matches!(error, Error::Io { path, source } if source.kind() == std::io::ErrorKind::NotFound && is_gone(path))
}
