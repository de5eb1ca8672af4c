//! Opening files so that nobody else writes to them, and making new ones beside the old.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom};
use std::ops::Deref;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock, fstatfs, statfs};
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::storage;

/// Whether a container may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Others may read it at the same time.
    Read,
    /// Nobody else may have it open.
    Write,
}

#[derive(Debug)]
pub(crate) struct Locked {
    file: File,
    /// Other devices with the same bytes, which nobody can mount or map as long as they are held.
    _claimed: Vec<File>,
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

/// A file that nobody else knows yet.
impl From<File> for Locked {
    fn from(file: File) -> Self {
        Locked { file, _claimed: Vec::new() }
    }
}

/// Opens a file and locks it, shared or exclusively.
///
/// cryptsetup takes the same locks (`flock`) on regular files while it works with a header, and waits for them: it
/// stands still as long as a container is open for writing here. What is written to must not be mounted or mapped
/// either, be it a block device, or a file or device that is the storage of a loop device.
pub(crate) fn open(path: &Path, access: Access) -> Result<Locked> {
    let mut options = OpenOptions::new();
    options.read(true).write(access == Access::Write);
    let kind = std::fs::metadata(path).map(|found| found.file_type());
    // Opening a pipe would wait for somebody else, and none of the others can be read at any offset.
    if kind.as_ref().is_ok_and(|kind| !kind.is_file() && !kind.is_block_device()) {
        return Err(Error::NoStorage(path.to_owned()));
    }
    let device = kind.is_ok_and(|kind| kind.is_block_device());
    if device && access == Access::Write {
        // For block devices this asks for exclusive use.
        options.custom_flags(OFlags::EXCL.bits().cast_signed());
    }
    let mut attempts = 1;
    loop {
        match open_and_lock(path, &options, access) {
            Err(Error::InUse(_) | Error::Attached { .. }) if attempts < ATTEMPTS => thread::sleep(PAUSE),
            result => return result,
        }
        attempts += 1;
    }
}

/// A program that another thread is just starting holds copies of all our descriptors for a moment, and with them
/// locks that were given up already. So what is in use is tried again for a fifth of a second.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

fn open_and_lock(path: &Path, options: &OpenOptions, access: Access) -> Result<Locked> {
    let file = options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::ResourceBusy => Error::InUse(path.to_owned()),
        _ => Error::io(path, "open")(error),
    })?;
    let operation = match access {
        Access::Read => FlockOperation::NonBlockingLockShared,
        Access::Write => FlockOperation::NonBlockingLockExclusive,
    };
    match flock(&file, operation) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(Error::InUse(path.to_owned())),
        Err(error) => return Err(Error::io(path, "lock")(error.into())),
    }
    let claimed = match access {
        Access::Read => Vec::new(),
        Access::Write => claim(&file, path)?,
    };
    Ok(Locked { file, _claimed: claimed })
}

/// Takes the other devices that have the bytes of a file or device for exclusive use, which fails where they are mounted,
/// mapped, swap space, or part of an array.
fn claim(file: &File, path: &Path) -> Result<Vec<File>> {
    let found = file.metadata().map_err(Error::io(path, "inspect"))?;
    let mut claimed = Vec::new();
    let system = fstatfs(file).ok().map(|system| system.f_type);
    for device in storage::other_devices(&found, system) {
        let opened =
            OpenOptions::new().read(true).custom_flags(OFlags::EXCL.bits().cast_signed()).open(&device);
        // Who may not open it cannot find out whether somebody uses it.
        claimed.push(opened.map_err(|_| Error::Attached { path: path.to_owned(), device })?);
    }
    Ok(claimed)
}

/// Takes the lock on a file that another one is to take the place of, for as long as the result lives: whoever serves,
/// copies or has attached it would go on with a file that has no name any more.
///
/// # Errors
/// [`Error::InUse`] if another process has it open as a container; [`Error::Attached`] if it is the storage of a loop
/// device; [`Error::Io`].
pub fn hold(path: &Path) -> Result<Option<File>> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(None) };
    if !found.is_file() {
        return Ok(None);
    }
    let file = match open(path, Access::Write) {
        Ok(locked) => Some(locked.file),
        // Its name can be given to another one all the same.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::PermissionDenied => None,
        Err(error) => return Err(error),
    };
    let system = statfs(path).ok().map(|system| system.f_type);
    match storage::other_devices(&found, system).pop() {
        Some(device) => Err(Error::Attached { path: path.to_owned(), device }),
        None => Ok(file),
    }
}

pub(crate) fn size(mut file: &File, path: &Path) -> Result<u64> {
    file.seek(SeekFrom::End(0)).map_err(Error::io(path, "find the size of"))
}

/// A new file in the same directory, which becomes `path` when it is kept and vanishes when it is not.
pub(crate) fn beside(path: &Path) -> Result<NamedTempFile> {
    NamedTempFile::with_prefix_in(".fieldtest-", folder_of(path))
        .map_err(Error::io(path, "create a temporary file next to"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the new file durable and gives it its name.
pub(crate) fn keep(new: NamedTempFile, path: &Path, overwrite: bool) -> Result<File> {
    new.as_file().sync_all().map_err(Error::io(path, "flush"))?;
    let _replaced = if overwrite { hold(path)? } else { None };
    let kept = if overwrite { new.persist(path) } else { new.persist_noclobber(path) };
    let file = kept.map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::Exists(path.to_owned()),
        _ => Error::io(path, "rename the finished file to")(error.error),
    })?;
    let folder = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    folder.map_err(Error::io(path, "flush the directory entry of"))?;
    Ok(file)
}
