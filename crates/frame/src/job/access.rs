//! Who may do what with a result that takes the place of an earlier one: whoever set that one up decided it.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::path::Path;

use anyhow::Result;

use super::Refused;
use crate::text;

/// Gives what was written, before it has its name, owner, group and permission bits of what is in its place, if anything is. All
/// within a directory gets that owner and group as well, and keeps for group and others no bit that the directory lacks.
///
/// # Errors
///
/// As [`Refused`]: the system does not let this user do it.
pub fn keep_access(fresh: &Path, place: &Path) -> Result<()> {
    let told = |error: io::Error, remedy: &str| {
        Refused(format!(
            "{} would lose its owner, group or permissions: {error}; {remedy}",
            text::path(place)
        ))
    };
    let replaced = match fs::symlink_metadata(place) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(told(error, "make it accessible").into()),
    };
    let remedy = format!(
        "run this as root or as user {}, who is in group {}, or move it away",
        replaced.uid(),
        replaced.gid()
    );
    give(fresh, &replaced, true).map_err(|error| told(error, &remedy).into())
}

/// As [`keep_access`]. The outermost comes last: until then only the program can get in.
fn give(path: &Path, replaced: &Metadata, is_outermost: bool) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), replaced, false)?;
        }
    }
    own(path, &found, replaced)?;
    // A directory hands its group on, as where it was made in that directory (inode(7), at S_ISGID).
    let handed_on = if found.is_dir() { replaced.mode() & 0o2000 } else { 0 };
    match () {
        () if is_outermost => permit(path, replaced.mode() & 0o7777),
        // A link has no permissions of its own (symlink(7)).
        () if found.is_symlink() => Ok(()),
        () => permit(path, found.mode() & (0o700 | replaced.mode() & 0o077) | handed_on),
    }
}

/// Where the permissions are these already, nothing is asked of file systems that have none.
fn permit(path: &Path, mode: u32) -> io::Result<()> {
    match fs::symlink_metadata(path)?.mode() & 0o7777 == mode {
        true => Ok(()),
        false => fs::set_permissions(path, Permissions::from_mode(mode)),
    }
}

/// Before the permissions, since the system takes some of these away from what is given to others (chown(2)).
fn own(path: &Path, found: &Metadata, replaced: &Metadata) -> io::Result<()> {
    let wanted = (replaced.uid(), replaced.gid());
    match (found.uid(), found.gid()) == wanted {
        true => Ok(()),
        false => lchown(path, Some(wanted.0), Some(wanted.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn nothing_is_more_open_than_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let [fresh, place] = ["fresh", "place"].map(|name| folder.path().join(name));
        fs::create_dir_all(fresh.join("objects")).unwrap();
        for (name, bits) in [("HEAD", 0o644), ("objects/pack", 0o444), ("hook", 0o755)] {
            fs::write(fresh.join(name), "x").unwrap();
            fs::set_permissions(fresh.join(name), Permissions::from_mode(bits)).unwrap();
        }
        let before = mode(&fresh);
        keep_access(&fresh, &place).unwrap();
        assert_eq!(mode(&fresh), before, "nothing is in the place");
        fs::create_dir(&place).unwrap();
        fs::set_permissions(&place, Permissions::from_mode(0o2750)).unwrap();
        keep_access(&fresh, &place).unwrap();
        assert_eq!((mode(&fresh), mode(&fresh.join("objects"))), (0o2750, 0o2750));
        let within = ["HEAD", "objects/pack", "hook"].map(|name| mode(&fresh.join(name)));
        assert_eq!(within, [0o640, 0o440, 0o750]);
    }
}
