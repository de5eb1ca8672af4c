//! Who may read and write a file that takes another one's place.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};

/// Gives a file the permission bits of the one that it replaces, or those of a new one; `secret` files are their
/// owner's alone. The owner and the group are kept as far as the system lets us.
pub(super) fn settle(file: &File, replaced: Option<&Metadata>, secret: bool) -> io::Result<()> {
    let mut mode = replaced.map_or(0o666 & !umask(), |replaced| replaced.mode() & 0o777);
    if let Some(replaced) = replaced
        && !group_kept(file, replaced)?
    {
        // What was the one group's right is not another group's.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    if secret {
        mode &= 0o600;
        mode |= 0o400;
    }
    Ok(fchmod(file, Mode::from_raw_mode(mode))?)
}

/// Gives the file its predecessor's owner and group, and says whether it has at least the group.
fn group_kept(file: &File, replaced: &Metadata) -> io::Result<bool> {
    let now = file.metadata()?;
    let (owner, group) = (Uid::from_raw(replaced.uid()), Gid::from_raw(replaced.gid()));
    if (now.uid(), now.gid()) == (replaced.uid(), replaced.gid()) {
        return Ok(true);
    }
    // Only root can give a file away; its owner can give it to another group that he is in.
    Ok(fchown(file, Some(owner), Some(group)).is_ok()
        || now.gid() == replaced.gid()
        || fchown(file, None, Some(group)).is_ok())
}

/// The process's mask for new files, without changing it even for a moment, which other threads would notice
/// (proc(5), `Umask`).
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}
