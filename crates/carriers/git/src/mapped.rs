//! Files in memory.
#![allow(unsafe_code)] // mapping a file; the caveat stands at the call

use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::{Error, file};

/// A file whose bytes are mapped into memory.
pub(crate) struct Mapped {
    pub(crate) path: PathBuf,
    map: Mmap,
}

impl Mapped {
    /// # Errors
    /// [`Error::Io`]; [`Error::Repository`] if it is no regular file.
    pub(crate) fn open(path: &Path) -> Result<Mapped, Error> {
        let file = file::open(path)?;
        // SAFETY: Git writes packs, indexes and loose objects under other names and never changes them once they
        // have their own. Whoever truncates one while it is read ends the program by a signal, as with Git itself.
        let map =
            unsafe { Mmap::map(&file) }.map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
        Ok(Mapped { path: path.to_path_buf(), map })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }
}
