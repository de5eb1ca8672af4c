//! `/proc/self/mountinfo` (proc_pid_mountinfo(5)): which mount a path is on.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// `major:minor` of the device.
    pub(super) device: String,
    /// What of the file system is mounted: `/` for all of it.
    pub(super) root: PathBuf,
    pub(super) point: PathBuf,
    /// The file system's type: `ext4`.
    pub(super) kind: String,
    /// The device or whatever stands for it.
    pub(super) source: PathBuf,
    /// Options of the file system (not of the mount).
    pub(super) options: Vec<String>,
}

impl Mount {
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

/// The mount that an absolute path without links is on: the longest mount point above it, the last one mounted there.
pub(super) fn mount_of(table: &[u8], path: &Path) -> Option<Mount> {
    let mounts = table.split(|byte| *byte == b'\n').filter_map(parse);
    mounts.filter(|mount| path.starts_with(&mount.point)).max_by_key(|mount| mount.point.as_os_str().len())
}

/// `ID parent major:minor root point options [optional …] - type source super-options`
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let device = text(fields.nth(2)?);
    let root = path(fields.next()?);
    let point = path(fields.next()?);
    let mut behind = fields.skip_while(|field| *field != b"-").skip(1);
    let kind = text(behind.next()?);
    let source = path(behind.next()?);
    // A mount whose option contains a space is written with `\040`, so what is left is one field.
    let options = path(behind.next().unwrap_or_default());
    let options = text(options.as_os_str().as_bytes()).split(',').map(str::to_owned).collect();
    Some(Mount { device, root, point, kind, source, options })
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).into_owned()
}

/// Undoes the octal escapes for space, tab, newline and backslash.
fn path(field: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        let escape =
            tail.get(..3).filter(|digits| byte == b'\\' && digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        match escape {
            Some(digits) => {
                out.push(digits.iter().fold(0u8, |n, d| n.wrapping_mul(8).wrapping_add(d - b'0')));
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

#[cfg(test)]
mod tests {
    use super::mount_of;
    use std::path::Path;

    const TABLE: &[u8] = b"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro\n\
        30 22 0:26 / /data rw - tmpfs tmpfs rw,size=64k,nr_inodes=16\n\
        31 22 7:3 /sub /data rw,nosuid master:2 propagate_from:1 - btrfs /dev/loop3 rw,subvol=/sub\n\
        32 22 0:40 / /with\\040space rw - overlay overlay rw,lowerdir=/a,upperdir=/b\\040c,workdir=/w\n\
        garbage\n";

    #[test]
    fn the_deepest_and_last_mount_counts() {
        let at = |path: &str| mount_of(TABLE, Path::new(path)).unwrap();
        assert_eq!(at("/usr/bin").kind, "ext4");
        assert_eq!(at("/data/x").kind, "btrfs");
        assert_eq!(at("/data/x").device, "7:3");
        assert_eq!(at("/database").kind, "ext4");
        assert_eq!(at("/with space/f").option("upperdir"), Some("/b c"));
    }
}
