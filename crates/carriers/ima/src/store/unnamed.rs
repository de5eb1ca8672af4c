//! A file that has no name until it is whole.
//!
//! Its content is written to a file without a name (`O_TMPFILE`, open(2)), of which a killed process leaves nothing.
//! Where the file system has none (vfat, NFS) or `/proc` is missing, it has a name of its own from the start, and that
//! is one that nobody has.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{self, AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::files::partial::PARTIAL;

/// The longest name is 255 bytes on every file system of Linux (limits.h, `NAME_MAX`).
const ROOM: usize = 200;

/// A file in a directory, whole and without its name. Without a call of [`name`](Unnamed::name) or
/// [`replace`](Unnamed::replace) that succeeds, nothing is left of it.
pub(crate) struct Unnamed<'a> {
    folder: BorrowedFd<'a>,
    file: OwnedFd,
    /// The name that it has in the meantime, if it has one.
    partial: Option<OsString>,
}

impl<'a> Unnamed<'a> {
    /// Writes this content to a file that is to be named `name`.
    pub(crate) fn write(
        folder: &'a impl std::os::fd::AsFd,
        name: &OsStr,
        content: &[u8],
    ) -> Result<Self, Errno> {
        let folder = folder.as_fd();
        let mode = Mode::from_raw_mode(0o644);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let unnamed = fs::openat(folder, ".", flags | OFlags::TMPFILE, mode).ok();
        // Without /proc it could never be given a name.
        let unnamed = unnamed.filter(|file| fs::stat(of_descriptor(file)).is_ok());
        let made = match unnamed {
            Some(file) => Unnamed { folder, file, partial: None },
            None => loop {
                let partial = partial_name(name);
                let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
                match fs::openat(folder, &partial, flags, mode) {
                    Ok(file) => break Unnamed { folder, file, partial: Some(partial) },
                    Err(Errno::EXIST) => {}
                    Err(error) => return Err(error),
                }
            },
        };
        let mut content = content;
        while !content.is_empty() {
            match rustix::io::write(&made.file, content) {
                Ok(written) => content = content.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// Gives it a name that nothing has.
    ///
    /// # Errors
    /// `EXIST` where something has it.
    pub(crate) fn name(mut self, name: &OsStr) -> Result<(), Errno> {
        let Some(partial) = &self.partial else { return self.link(name) };
        match fs::renameat_with(self.folder, partial, self.folder, name, RenameFlags::NOREPLACE) {
            // Some file systems cannot refuse by themselves.
            Err(Errno::INVAL) => match fs::statat(self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => return Err(Errno::EXIST),
                Err(_) => fs::renameat(self.folder, partial, self.folder, name)?,
            },
            named => named?,
        }
        self.partial = None;
        Ok(())
    }

    /// Gives it a name in the place of what has it.
    pub(crate) fn replace(mut self, name: &OsStr) -> Result<(), Errno> {
        while self.partial.is_none() {
            let partial = partial_name(name);
            match self.link(&partial) {
                Ok(()) => self.partial = Some(partial),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(partial) = &self.partial {
            fs::renameat(self.folder, partial, self.folder, name)?;
        }
        self.partial = None;
        Ok(())
    }

    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        fs::linkat(CWD, of_descriptor(&self.file), self.folder, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Unnamed<'_> {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // The error that led here says more than one of removing the rest would.
            let _ = fs::unlinkat(self.folder, partial, AtFlags::empty());
        }
    }
}

fn of_descriptor(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A name that no other process and no other thread of this one chooses.
fn partial_name(name: &OsStr) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = name.as_bytes();
    let mut partial = name.get(..ROOM).unwrap_or(name).to_vec();
    partial.extend(PARTIAL);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    partial.extend(format!("{}-{next}", std::process::id()).bytes());
    OsString::from_vec(partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::partial::is_partial;

    fn names(folder: &std::path::Path) -> Vec<OsString> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    /// As on a file system where every file has a name.
    fn named<'a>(folder: &'a OwnedFd, content: &[u8]) -> Unnamed<'a> {
        let mut made = Unnamed::write(folder, OsStr::new("file"), content).unwrap();
        if made.partial.is_none() {
            let partial = partial_name(OsStr::new("file"));
            made.link(&partial).unwrap();
            made.partial = Some(partial);
        }
        made
    }

    #[test]
    fn a_name_is_taken_once_and_nothing_else_is_left() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = fs::open(temporary.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let file = OsStr::new("file");
        for make in
            [|folder, content: &_| Unnamed::write(folder, OsStr::new("file"), content).unwrap(), named]
        {
            make(&folder, b"first").name(file).unwrap();
            assert_eq!(make(&folder, b"second").name(file), Err(Errno::EXIST));
            assert_eq!(std::fs::read(temporary.path().join(file)).unwrap(), b"first");
            drop(make(&folder, b"third"));
            make(&folder, b"fourth").replace(file).unwrap();
            assert_eq!(std::fs::read(temporary.path().join(file)).unwrap(), b"fourth");
            assert_eq!(names(temporary.path()), [file]);
            std::fs::remove_file(temporary.path().join(file)).unwrap();
        }
    }

    #[test]
    fn names_of_unfinished_files() {
        assert!(is_partial(&partial_name(OsStr::new("x.sig"))));
        assert!(partial_name(OsStr::new(&"x".repeat(255))).len() <= 255);
        for name in ["x.sig", "x.sig.part", "x.partial-", "x.partial-y", ".partial"] {
            assert!(!is_partial(OsStr::new(name)), "{name}");
        }
    }
}
