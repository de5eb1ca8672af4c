//! Files in memory.
#![allow(unsafe_code)] // mapping a file; the caveat stands at the call

use std::io::Read as _;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};

use crate::{Error, file};

/// A file whose bytes are in memory: read where it is small, which costs less than a mapping of its own, else mapped.
pub(crate) struct Mapped {
    pub(crate) path: PathBuf,
    bytes: Bytes,
}

enum Bytes {
    Read(Vec<u8>),
    Mapped(Mmap),
}

/// Bytes of the largest file that is read.
const SMALL: u64 = 64 << 10;

impl Mapped {
    /// # Errors
    /// [`Error::Io`]; [`Error::Repository`] if it is no regular file.
    pub(crate) fn open(path: &Path) -> Result<Mapped, Error> {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let (mut file, len) = file::sized(path)?;
        if len <= SMALL {
            let mut bytes = vec![0; len as usize];
            file.read_exact(&mut bytes).map_err(io)?;
            return Ok(Mapped { path: path.to_path_buf(), bytes: Bytes::Read(bytes) });
        }
        // SAFETY: Git writes packs, indexes and loose objects under other names and never changes them once they
        // have their own. Whoever truncates one while it is read ends the program by a signal, as with Git itself.
        let map = unsafe { MmapOptions::new().len(len as usize).map(&file) }.map_err(io)?;
        Ok(Mapped { path: path.to_path_buf(), bytes: Bytes::Mapped(map) })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Read(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}
