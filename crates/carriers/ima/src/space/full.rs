//! What `ENOSPC` says of an attribute that was to be set: the file system is full, or the file has no room for it.

use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::path::Path;

use rustix::fs::{fgetxattr, flistxattr, fstat};

use super::{Attribute, FileShape, FileSystem, detect};
use crate::xattr::LONGEST_VALUE;

/// Bytes that are free beside what a file needs on a file system that is not full: it keeps some for itself.
const SLACK: u64 = 16 << 20;

/// Whether the file system is full. ext4 says the same of a file whose own room is spent, and btrfs of what is too long for
/// its nodes; all others have `E2BIG` for that. How much `df` shows as free does not tell: btrfs runs out of metadata, XFS
/// keeps blocks for itself, and an overlay needs room for the whole file. So the rule is asked whether the file would take it
/// on an empty file system.
pub(crate) fn is_full(file: impl AsFd, name: &str, length: usize) -> bool {
    let file = file.as_fd();
    let none_left =
        |free: rustix::fs::StatVfs| free.f_bavail == 0 || (free.f_files > 0 && free.f_favail == 0);
    if rustix::fs::fstatvfs(file).is_ok_and(none_left) {
        return true;
    }
    let named = format!("/proc/self/fd/{}", file.as_raw_fd());
    let Ok(detected) = detect(Path::new(&named)) else { return false };
    let wanted = Attribute::new(name, length as u64);
    match detected.file_system {
        FileSystem::Btrfs(model) => model.refusal(&wanted).is_none(),
        FileSystem::Ext4(_) => {
            let before = attributes(file);
            let mut after: Vec<Attribute> = before.iter().filter(|own| own.name != name).cloned().collect();
            after.push(wanted);
            let size = fstat(file).map_or(0, |found| u64::try_from(found.st_size).unwrap_or(0));
            let fits = detected.file_system.cost(&FileShape::default(), &before, &after).is_ok();
            // What no list shows may take the file's room too; then there is plenty elsewhere.
            fits && detected.free_bytes < size.saturating_add(SLACK)
        }
        _ => true,
    }
}

fn attributes(file: BorrowedFd<'_>) -> Vec<Attribute> {
    let mut names = vec![0; LONGEST_VALUE];
    let length = flistxattr(file, &mut names[..]).unwrap_or(0);
    let names =
        names.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let of = |name: &[u8]| {
        let length = fgetxattr(file, name, &mut [0; 0][..]).ok()?;
        Some(Attribute::new(String::from_utf8_lossy(name), length as u64))
    };
    names.filter_map(of).collect()
}
