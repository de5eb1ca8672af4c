//! What lies in a job's directory: regular files and directories, and nothing else. Opening a FIFO waits for ever, and what a link
//! leads to is nobody's here to read, write or remove.

use std::fs::{self, FileType};
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::JobError;
use crate::error::failed;

/// Whether a regular file is there.
///
/// # Errors
///
/// Something else is there, also a link to a file.
pub fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(found) => Err(other(found.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The whole of a regular file.
///
/// # Errors
///
/// As [`is_there`]; `NotFound` if nothing is.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    is_there(path)?;
    fs::read(path)
}

/// Makes a directory and those above it.
///
/// # Errors
///
/// Something else is there, also a link to a directory.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    match fs::symlink_metadata(path)?.file_type() {
        found if found.is_dir() => Ok(()),
        found => Err(other(found)),
    }
}

fn other(found: FileType) -> io::Error {
    io::Error::other(format!("it is {}, not a regular file or directory; move it away", kind(found)))
}

fn kind(found: FileType) -> &'static str {
    match () {
        () if found.is_file() => "a file",
        () if found.is_dir() => "a directory",
        () if found.is_symlink() => "a symbolic link",
        () if found.is_fifo() => "a FIFO",
        () if found.is_socket() => "a socket",
        () => "a device",
    }
}

/// Refuses a directory in which there is what no job makes. A directory that is missing has nothing.
pub(crate) fn check(folder: &Path) -> Result<(), JobError> {
    let mut waiting: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(failed("read", &folder, source)),
        };
        for entry in entries {
            let entry = entry.map_err(|source| failed("read", &folder, source))?;
            match entry.file_type() {
                Ok(found) if found.is_file() => {}
                Ok(found) if found.is_dir() => waiting.push(entry.path()),
                Ok(found) => return Err(JobError::Foreign { path: entry.path(), what: kind(found) }),
                Err(source) => return Err(failed("read", &entry.path(), source)),
            }
        }
    }
    Ok(())
}
