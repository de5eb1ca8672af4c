//! Opening files beneath a directory, without following links and without a race over paths.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// A tree that cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {error}")]
pub struct CannotOpen {
    /// As it was given.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// The directory that all paths of a run begin at.
pub(crate) struct Root {
    folder: OwnedFd,
    /// The one file beneath it that is meant, where the caller named a file and not a directory.
    pub only: Option<OsString>,
    /// Whether something cannot be opened without a trace of it in its access time: that is for owners and root.
    leaves_traces: AtomicBool,
}

impl Root {
    /// Opens a directory, or the directory of a file. A link to a directory is followed, as the caller named it; a link to a
    /// file is not, as a link has no signature.
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        let folder =
            |path: &Path| fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        match folder(path) {
            Err(Errno::NOTDIR) => {
                let name = path.file_name().ok_or(Errno::NOTDIR)?;
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let folder = folder(parent.unwrap_or(Path::new(".")))?;
                let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => Ok(Root::at(folder, Some(name.to_owned()))),
                    _ => Err(Errno::NOTDIR),
                }
            }
            folder => Ok(Root::at(folder?, None)),
        }
    }

    /// [`open`](Self::open)s what the caller named as the tree of a run.
    pub(crate) fn of_tree(path: &Path) -> Result<Self, CannotOpen> {
        const NEITHER: &str = "it is a device, a FIFO or a link; give a directory or a regular file";
        Root::open(path).map_err(|error| CannotOpen {
            path: path.to_path_buf(),
            error: if error == Errno::NOTDIR && path.exists() {
                io::Error::other(NEITHER)
            } else {
                error.into()
            },
        })
    }

    fn at(folder: OwnedFd, only: Option<OsString>) -> Root {
        Root { folder, only, leaves_traces: AtomicBool::new(false) }
    }

    pub(crate) fn folder(&self) -> impl AsFd + '_ {
        &self.folder
    }

    /// Opens a file for reading. A fifo that took its place does not block.
    pub(crate) fn open_file(&self, path: &Path) -> Result<OwnedFd, Errno> {
        self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)
    }

    pub(crate) fn open_folder(&self, path: &Path) -> Result<OwnedFd, Errno> {
        self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Access times stay as they are where that is allowed (open(2), `O_NOATIME`): on btrfs each one that changes may cost a
    /// leaf, also those of directories that are only read.
    fn open_beneath(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        if !self.leaves_traces.load(Ordering::Relaxed) {
            match self.open_with(path, flags | OFlags::NOATIME) {
                Err(Errno::PERM) => self.leaves_traces.store(true, Ordering::Relaxed),
                opened => return opened,
            }
        }
        self.open_with(path, flags)
    }

    fn open_with(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match fs::openat2(&self.folder, path, flags, Mode::empty(), resolve) {
            // Linux before 5.6, a filter of system calls that does not know openat2, a path longer than PATH_MAX.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NAMETOOLONG) => {
                self.open_stepwise(path, flags)
            }
            opened => opened,
        }
    }

    fn open_stepwise(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut components = path.components().peekable();
        let mut folder: Option<OwnedFd> = None;
        loop {
            let name = match components.next() {
                Some(Component::Normal(name)) => name,
                Some(Component::CurDir) => OsStr::new("."),
                Some(_) => return Err(Errno::XDEV),
                None => return Err(Errno::NOENT),
            };
            let at = folder.as_ref().unwrap_or(&self.folder);
            if components.peek().is_none() {
                return fs::openat(at, name, flags, Mode::empty());
            }
            folder = Some(fs::openat(at, name, step, Mode::empty())?);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn both_ways_stay_beneath_and_follow_no_link() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        std::fs::create_dir_all(at("root/a/b")).unwrap();
        std::fs::write(at("root/a/b/file"), "x").unwrap();
        std::fs::write(at("outside"), "x").unwrap();
        symlink("a", at("root/link")).unwrap();
        symlink("../outside", at("root/escape")).unwrap();
        let root = Root::open(&at("root")).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for open in [
            &(|path: &str| root.open_file(Path::new(path))) as &dyn Fn(&str) -> Result<OwnedFd, Errno>,
            &|path| root.open_stepwise(Path::new(path), flags),
        ] {
            assert!(open("a/b/file").is_ok());
            assert!(open("./a/b/file").is_ok());
            assert_eq!(open("a/none").err(), Some(Errno::NOENT));
            assert_eq!(open("escape").err(), Some(Errno::LOOP));
            assert!(open("link/b/file").is_err());
            assert_eq!(open("../outside").err(), Some(Errno::XDEV));
            assert_eq!(open("/etc/passwd").err(), Some(Errno::XDEV));
        }
    }

    /// Whoever is neither root nor their owner may not leave their access times alone.
    #[test]
    fn what_others_own_can_be_read() {
        let root = Root::open(Path::new("/")).unwrap();
        for _ in 0..2 {
            assert!(root.open_folder(Path::new("etc")).is_ok());
            assert!(root.open_file(Path::new("etc/passwd")).is_ok());
        }
    }

    #[test]
    fn a_file_is_a_tree_of_one() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("file");
        std::fs::write(&path, "x").unwrap();
        assert_eq!(Root::open(&path).unwrap().only, Some("file".into()));
        symlink("file", temporary.path().join("link")).unwrap();
        assert_eq!(Root::open(&temporary.path().join("link")).err(), Some(Errno::NOTDIR));
        assert_eq!(Root::open(&temporary.path().join("none")).err(), Some(Errno::NOENT));
    }
}
