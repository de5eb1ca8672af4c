//! What `ENOSPC` says of an attribute that was to be set: the file system is full, or the file has no room for it.

use std::os::fd::{AsFd, AsRawFd as _};
use std::path::Path;

use super::{Attribute, FileSystem, detect};

/// Whether the file system is full. ext4 says the same of a file whose own room is spent, and btrfs of what is too long for
/// its nodes; all others have `E2BIG` for that. How much `df` shows as free does not tell: btrfs runs out of metadata, and
/// XFS keeps blocks for itself.
pub(crate) fn is_full(file: impl AsFd, name: &str, length: usize) -> bool {
    let file = file.as_fd();
    let none_left =
        |free: rustix::fs::StatVfs| free.f_bavail == 0 || (free.f_files > 0 && free.f_favail == 0);
    if rustix::fs::fstatvfs(file).is_ok_and(none_left) {
        return true;
    }
    let named = format!("/proc/self/fd/{}", file.as_raw_fd());
    match detect(Path::new(&named)).map(|detected| detected.file_system) {
        Ok(FileSystem::Btrfs(model)) => model.refusal(&Attribute::new(name, length as u64)).is_none(),
        Ok(FileSystem::Ext4(_)) | Err(_) => false,
        Ok(_) => true,
    }
}
