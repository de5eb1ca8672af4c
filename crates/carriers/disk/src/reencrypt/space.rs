//! Whether there is room for what holes of a file become: every byte of a re-encrypted file is written.
//! That is asked first: a re-encryption that meets a full file system loses nothing, but its container
//! opens only when it is finished.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::fstatvfs;

use crate::container::Container;
use crate::error::{Error, Result};

/// Bytes that are missing or left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Of the file's size, those that take no room yet: holes, which a re-encryption fills.
    pub needed: u64,
    /// Those that its file system has left for this user.
    pub free: u64,
}

impl Container {
    /// What a re-encryption of all data needs, where it is a file; that of a detached header is `data`. A file system that
    /// compresses may need more.
    ///
    /// # Errors
    /// [`Error::Io`]
    pub fn space(&self, data: Option<&Path>) -> Result<Option<Space>> {
        let other = data.map(|path| File::open(path).map_err(Error::io(path, "open"))).transpose()?;
        let (file, path) = (other.as_ref().unwrap_or(self.file()), data.unwrap_or(self.path()));
        let found = file.metadata().map_err(Error::io(path, "inspect"))?;
        if !found.is_file() {
            return Ok(None);
        }
        let system =
            fstatvfs(file).map_err(|error| Error::io(path, "query the free space for")(error.into()))?;
        // stat(2) counts in units of 512 bytes, whatever the file system's blocks are.
        let needed = found.len().saturating_sub(found.blocks().saturating_mul(512));
        Ok(Some(Space { needed, free: system.f_bavail.saturating_mul(system.f_frsize) }))
    }
}
