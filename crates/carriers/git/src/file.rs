//! Opening the files of a repository, none of which has to be what its name says.
//!
//! Whoever gave us a repository may have put a FIFO where a reference should be, and opening that waits for a writer for
//! ever; opening a device may rewind a tape. So nothing is opened before it is known to be a file, and then without
//! waiting, in case it has become something else meanwhile (open(2), `O_NONBLOCK`).

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::Error;

/// Opens a regular file, or one that a symbolic link leads to.
///
/// # Errors
/// [`Error::Repository`] if it is something else; [`Error::Io`].
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    sized(path).map(|(file, _)| file)
}

/// The same with its length in bytes.
pub(crate) fn sized(path: &Path) -> Result<(File, u64), Error> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    regular(path, fs::metadata(path).map_err(io)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(io)?;
    let found = file.metadata().map_err(io)?;
    regular(path, found.file_type())?;
    Ok((file, found.len()))
}

/// The most bytes of a file that is read at once: of ten million packed references. A sparse file may have any length.
const LONGEST: u64 = 1 << 30;

/// All bytes of a regular file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let (file, length) = sized(path)?;
    if length > LONGEST {
        return Err(Error::Repository {
            path: path.to_path_buf(),
            problem: format!("this has {length} bytes, more than such a file can have"),
            remedy: "restore it from another copy of the repository",
        });
    }
    let mut bytes = Vec::new();
    let read = file.take(LONGEST).read_to_end(&mut bytes);
    read.map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    Ok(bytes)
}

/// The same of a file that need not be there.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read(path) {
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

fn regular(path: &Path, found: FileType) -> Result<(), Error> {
    if found.is_file() {
        return Ok(());
    }
    Err(Error::Repository {
        path: path.to_path_buf(),
        problem: format!("this is {} and no file", kind(found)),
        remedy: "remove it; if a file was there before, restore that from another copy of the repository",
    })
}

#[cfg(unix)]
pub(crate) fn kind(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if found.is_dir() => "a directory",
        () if found.is_fifo() => "a FIFO",
        () if found.is_socket() => "a socket",
        () if found.is_block_device() || found.is_char_device() => "a device",
        () => "something else",
    }
}

#[cfg(not(unix))]
pub(crate) fn kind(found: FileType) -> &'static str {
    if found.is_dir() { "a directory" } else { "something else" }
}
