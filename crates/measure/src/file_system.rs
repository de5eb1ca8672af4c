//! Which file system holds a path, because it decides what reading and writing files cost.

use crate::sys;
use std::path::Path;

/// The name of the file system that holds `path`, as mount(8) calls it; a number in hex where it is not known here.
///
/// # Errors
/// The system's error: no such path, no permission, or no way to ask.
pub fn holding(path: &Path) -> std::io::Result<String> {
    sys::file_system_magic(path).map(name)
}

/// Magic numbers from the kernel's include/uapi/linux/magic.h and from the file systems' own sources.
fn name(magic: u32) -> String {
    let name = match magic {
        0x0000_ef53 => "ext4", // ext2 and ext3 have the same number.
        0x5846_5342 => "xfs",
        0x9123_683e => "btrfs",
        0x2fc1_2fc1 => "zfs",
        0xca45_1a4e => "bcachefs",
        0xf2f5_2010 => "f2fs",
        0x0102_1994 => "tmpfs",
        0x8584_58f6 => "ramfs",
        0x794c_7630 => "overlay",
        0x7371_7368 => "squashfs",
        0xe0f5_e1e2 => "erofs",
        0x0000_4d44 => "vfat",
        0x2011_bab0 => "exfat",
        0x7366_746e => "ntfs3",
        0x0000_6969 => "nfs",
        0xff53_4d42 => "cifs",
        0xfe53_4d42 => "smb2",
        0x0102_1997 => "9p",
        0x6573_5546 => "fuse", // virtiofs too.
        0x00c3_6400 => "ceph",
        0x0000_9fa0 => "proc",
        0x6265_6572 => "sysfs",
        _ => return format!("{magic:#x}"),
    };
    name.to_owned()
}

/// Whether files there live in memory: their results say nothing of a disk.
pub fn is_memory(name: &str) -> bool {
    matches!(name, "tmpfs" | "ramfs")
}

/// Whether files there come over a network or from another machine: their results measure that too.
pub fn is_remote(name: &str) -> bool {
    matches!(name, "nfs" | "cifs" | "smb2" | "9p" | "ceph" | "fuse")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_names() {
        assert_eq!(name(0xef53), "ext4");
        assert_eq!(name(0x1234), "0x1234");
        assert!(is_memory(&name(0x0102_1994)) && is_remote(&name(0x6969)));
        assert!(!is_memory("ext4") && !is_remote("ext4"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn proc_is_proc() {
        assert_eq!(holding(Path::new("/proc")).expect("mounted"), "proc");
        assert!(holding(Path::new("/does/not/exist")).is_err());
    }
}
