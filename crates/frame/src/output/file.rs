//! One file that a command writes, until it is whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use rustix::fs::{AtFlags, CWD, OFlags, RenameFlags, linkat, renameat_with};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

use super::earlier::{Earlier, tell_kept};
use super::place::{Place, check_place, directory_of, rename_to_nothing};
use super::terminal::Terminal;
use super::{cannot_write, closed, permissions, protected_inputs};
use crate::interrupt::{self, Partial};
use crate::message::noticed;
use crate::outcome::coded;
use crate::text;

/// What becomes of a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It keeps its content under a second name, as [`Earlier`] gives it, unless the new content is the same.
    Keep,
    /// The new file takes its place.
    Replace,
    /// It stays, and nothing is written.
    Refuse,
}

/// A file that a command writes. **What its name leads to decides how**, after all symbolic links, which are followed
/// also where they lead into other directories or to nothing yet:
///
/// * *a regular file, or nothing*: the content has no name until [`commit`](Output::commit), where the file system can
///   do that (`O_TMPFILE`, open(2)), so that even SIGKILL leaves nothing. Elsewhere it is a file beside the target that
///   only its owner can read and that is removed on every end but SIGKILL. It then takes its name at once. The links
///   stay and lead to it.
/// * *a device, a FIFO, `/dev/stdout`, `/dev/fd/3`*: written through and never replaced. `-` is standard output. A
///   terminal takes text alone, without anything that could steer it.
///
/// A file that takes another one's place has its permission bits, and its owner and group as far as the system allows.
/// **Hard links**: the new content is under the name that was given, and what has the old content under another name
/// keeps it, so that a copy that was made with links (`cp -l`) is not written over.
///
/// Nothing is synchronised to the disk; who needs that does so through [`file`](Output::file).
#[derive(Debug)]
pub struct Output {
    file: File,
    /// As the user typed it.
    named: PathBuf,
    kind: Kind,
    existing: Existing,
    secret: bool,
    /// What is written goes to one.
    terminal: Option<Terminal>,
}

#[derive(Debug)]
enum Kind {
    Standard,
    Stream,
    Unnamed { target: PathBuf },
    Named { target: PathBuf, partial: Partial },
}

impl Output {
    /// Begins to write. A regular file can be written and read at any offset through [`file`](Output::file).
    ///
    /// Opening a FIFO waits for its reader; a signal ends that.
    ///
    /// # Errors
    ///
    /// Something has the name and is to be kept, such as what this process [`reads`](super::reads); no file can be made there;
    /// the system refuses.
    pub fn create(path: &Path, existing: Existing) -> Result<Output> {
        interrupt::handle();
        protected_inputs::check_read(path)?;
        let place = Place::find(path)?;
        let there = matches!(place, Place::File { exists: true, .. } | Place::Stream { holds: true, .. });
        if there && existing == Existing::Refuse {
            return Err(exists(path));
        }
        let (file, kind) = match place {
            Place::Descriptor(number) => {
                let file = descriptor(number);
                let shown = text::path(path);
                let kind = if number == 1 { Kind::Standard } else { Kind::Stream };
                (file.with_context(|| format!("cannot write {shown}"))?, kind)
            }
            Place::Stream { path: stream, .. } => {
                (open_stream(&stream).map_err(|error| cannot_write(path, error))?, Kind::Stream)
            }
            Place::File { path: target, .. } => {
                check_place(path)?;
                beside(target).map_err(|error| cannot_write(path, error))?
            }
        };
        Ok(Output::new(file, path, kind, existing))
    }

    /// Says early that [`Output::create`] would refuse a name that has to be new.
    ///
    /// # Errors
    ///
    /// It is taken; as [`check_place`].
    pub fn check_new(path: &Path) -> Result<()> {
        match Place::find(path)? {
            Place::File { exists: true, .. } | Place::Stream { holds: true, .. } => Err(exists(path)),
            _ => check_place(path),
        }
    }

    fn new(file: File, named: &Path, kind: Kind, existing: Existing) -> Output {
        let terminal = if matches!(kind, Kind::Standard | Kind::Stream) { Terminal::of(&file) } else { None };
        let named = named.to_path_buf();
        Output { file, named, kind, existing, secret: false, terminal }
    }

    /// Only its owner shall be able to read the file, whatever holds for others in its place.
    #[must_use]
    pub fn secret(self) -> Output {
        Output { secret: true, ..self }
    }

    pub(super) fn is_secret(&self) -> bool {
        self.secret
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether this is written through, so that nothing can be written out of order; see [`super::is_stream`].
    pub fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Standard | Kind::Stream)
    }

    /// As [`commit`](Self::commit), and brings all to the disk: the content before it has its name, and then the name.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn commit_durably(self) -> Result<()> {
        let named = self.named.clone();
        let failed = |error| cannot_write(&named, error);
        let folder = match &self.kind {
            Kind::Standard | Kind::Stream => None,
            Kind::Unnamed { target } | Kind::Named { target, .. } => {
                self.file.sync_all().map_err(failed)?;
                Some(File::open(directory_of(target)).map_err(failed)?)
            }
        };
        self.commit()?;
        folder.map_or(Ok(()), |folder| folder.sync_all()).map_err(failed)
    }

    /// All is written: the file takes its name. Without this it vanishes.
    ///
    /// # Errors
    ///
    /// Something else took the name in the meantime and is to be kept; the system refuses.
    pub fn commit(self) -> Result<()> {
        let Output { file, named, kind, existing, secret, terminal, .. } = self;
        let failed = |error| match error {
            Errno::EXIST => exists(&named),
            error => cannot_write(&named, io::Error::from(error)),
        };
        let settled = |target: &Path| {
            let replaced = fs::symlink_metadata(target).ok().filter(|found| found.is_file());
            permissions::settle(&file, replaced.as_ref(), secret).map_err(|error| cannot_write(&named, error))
        };
        let take_place = |partial: Partial, target: &Path| {
            settled(target)?;
            let earlier = secured(&file, target, existing)?;
            rename(partial, target, existing).map_err(failed)?;
            tell_kept(&earlier.keep());
            Ok(())
        };
        match kind {
            Kind::Standard | Kind::Stream => {
                terminal.map_or(Ok(()), Terminal::end).map_err(|error| cannot_write(&named, error))
            }
            Kind::Named { target, partial } => take_place(partial, &target),
            Kind::Unnamed { target } => {
                if fs::symlink_metadata(&target).is_err() || existing == Existing::Refuse {
                    settled(&target)?;
                    match link(&file, &target) {
                        Err(Errno::EXIST) if existing != Existing::Refuse => {}
                        result => return result.map_err(failed),
                    }
                }
                take_place(linked_beside(&file, &target).map_err(failed)?, &target)
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whoever reads may take his time.
        let _waiting = self.is_stream().then(interrupt::waiting);
        let written = match &mut self.terminal {
            Some(terminal) => terminal.write(&self.file, bytes),
            None => self.file.write(bytes),
        };
        match written {
            // A reader that leaves (`| head`) neither fails nor ends the run, since summary and exit code
            // still count: `ima sign --store tar | true` once ended with 0 though files were not signed. Long
            // commands run to their end.
            Err(error)
                if matches!(self.kind, Kind::Standard) && error.kind() == io::ErrorKind::BrokenPipe =>
            {
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn exists(path: &Path) -> anyhow::Error {
    coded("exists", anyhow::anyhow!("{} already exists and is kept; choose another name", text::path(path)))
}

/// Another handle on an open file of this process: with the same offset, and also where it is a socket, which has no
/// name to be opened by.
fn descriptor(number: i32) -> Result<File> {
    if closed::at_start(number) {
        return Err(closed::error().into());
    }
    let same = match number {
        0 => io::stdin().as_fd().try_clone_to_owned(),
        1 => io::stdout().lock().flush().and_then(|()| io::stdout().as_fd().try_clone_to_owned()),
        2 => io::stderr().as_fd().try_clone_to_owned(),
        number => pidfd_open(getpid(), PidfdFlags::empty())
            .and_then(|process| pidfd_getfd(process, number, PidfdGetfdFlags::empty()))
            .map_err(io::Error::from),
    };
    match same {
        Ok(same) => Ok(File::from(same)),
        Err(error) if error.raw_os_error() == Some(Errno::BADF.raw_os_error()) => {
            bail!("the program was started without an open file of this number; give a file name")
        }
        Err(error) => Err(error.into()),
    }
}

fn open_stream(path: &Path) -> io::Result<File> {
    let _waiting = interrupt::waiting();
    let mut options = OpenOptions::new();
    options.write(true);
    if interrupt::asked() {
        // A reader that is not there yet is not waited for any more (fifo(7): ENXIO).
        let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
        drop(options.clone().custom_flags(flags.bits().cast_signed()).open(path)?);
    }
    noticed(path, |path| options.custom_flags(OFlags::NOCTTY.bits().cast_signed()).open(path))
}

/// A new file in the target's directory, without a name where that is possible.
fn beside(target: PathBuf) -> io::Result<(File, Kind)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    let mut unnamed = options.clone();
    unnamed.custom_flags(OFlags::TMPFILE.bits().cast_signed());
    if let Ok(file) = unnamed.open(directory_of(&target))
        // Without /proc it could never get a name.
        && fs::metadata(of_descriptor(&file)).is_ok()
    {
        return Ok((file, Kind::Unnamed { target }));
    }
    named_beside(target, &mut options)
}

/// Next to the target and not in a temporary directory: a rename works only within one file system.
fn named_beside(target: PathBuf, options: &mut OpenOptions) -> io::Result<(File, Kind)> {
    loop {
        let partial = Partial::new(partial_name(&target));
        match options.create_new(true).open(partial.path()) {
            Ok(file) => return Ok((file, Kind::Named { target, partial })),
            Err(error) => {
                // Not removed, since it is not ours: a directory NAME.partial-PID of another process was once
                // deleted here.
                partial.forget();
                if error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(error);
                }
            }
        }
    }
}

/// Gives what the target holds its second name, if it is to be kept.
fn secured(new: &File, target: &Path, existing: Existing) -> Result<Earlier> {
    let changes = existing == Existing::Keep && !has_content_of(new, target).unwrap_or(false);
    let paths: &[&Path] = if changes { &[target] } else { &[] };
    Earlier::secure(paths)
}

/// Whether the target holds the same bytes already: then a second run leaves no `NAME.1` that is only a copy.
fn has_content_of(new: &File, target: &Path) -> io::Result<bool> {
    let old = File::open(target)?;
    let length = new.metadata()?.len();
    if old.metadata()?.len() != length {
        return Ok(false);
    }
    let mut buffers = [vec![0; 1 << 16], vec![0; 1 << 16]];
    let mut at = 0;
    while at < length {
        let [one, other] = &mut buffers;
        let part = usize::try_from(length - at).unwrap_or(usize::MAX).min(one.len());
        new.read_exact_at(&mut one[..part], at)?;
        old.read_exact_at(&mut other[..part], at)?;
        if one[..part] != other[..part] {
            return Ok(false);
        }
        at += part as u64;
    }
    Ok(true)
}

/// Gives a file without a name one beside its target.
fn linked_beside(file: &File, target: &Path) -> rustix::io::Result<Partial> {
    loop {
        let partial = Partial::new(partial_name(target));
        match link(file, partial.path()) {
            Ok(()) => return Ok(partial),
            Err(error) => {
                partial.forget();
                if error != Errno::EXIST {
                    return Err(error);
                }
            }
        }
    }
}

/// Gives a file without a name this one (open(2), at `O_TMPFILE`).
fn link(file: &File, path: &Path) -> rustix::io::Result<()> {
    linkat(CWD, of_descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)
}

fn of_descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A name beside the target that nobody else uses, and that is not too long where the target's is as long as can be.
fn partial_name(target: &Path) -> PathBuf {
    /// The longest name is 255 bytes on every file system of Linux (limits.h, `NAME_MAX`).
    const ROOM: usize = 200;
    // The process ID is not enough: in containers the program is always process 1, so names of a killed run
    // return.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = target.file_name().unwrap_or_default().as_bytes();
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let end = format!(".partial-{}-{next}", std::process::id());
    target.with_file_name(OsString::from_vec([name.get(..ROOM).unwrap_or(name), end.as_bytes()].concat()))
}

fn rename(partial: Partial, target: &Path, existing: Existing) -> rustix::io::Result<()> {
    match existing {
        Existing::Keep | Existing::Replace => {
            renameat_with(CWD, partial.path(), CWD, target, RenameFlags::empty())?;
        }
        Existing::Refuse => rename_to_nothing(partial.path(), target)?,
    }
    partial.forget();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    /// As on a file system where every file has a name.
    fn begun(path: &Path, existing: Existing) -> Output {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o600);
        let (file, kind) = named_beside(path.to_path_buf(), &mut options).expect("a file beside");
        Output::new(file, path, kind, existing)
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("a directory");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn where_every_file_has_a_name() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        let mut out = begun(&path, Existing::Refuse);
        out.write_all(b"first").expect("written");
        assert_eq!(out.file().metadata().expect("a file").mode() & 0o777, 0o600);
        let [name] = names(directory.path()).try_into().expect("one file");
        assert!(name.starts_with("file.partial-"), "{name}");
        out.commit().expect("it takes its name");
        assert_eq!(names(directory.path()), ["file"]);
        let plain = File::create(directory.path().join("plain")).expect("a file");
        let mode = |file: &File| file.metadata().expect("a file").mode();
        assert_eq!(mode(&File::open(&path).expect("a file")), mode(&plain));
        fs::remove_file(directory.path().join("plain")).expect("gone");

        begun(&path, Existing::Refuse).commit().expect_err("something has the name");
        assert_eq!(names(directory.path()), ["file"]);
        drop(begun(&path, Existing::Replace));
        assert_eq!(fs::read(&path).expect("a file"), b"first");
        begun(&path, Existing::Replace).commit().expect("it takes its place");
        assert_eq!((fs::read(&path).expect("a file"), names(directory.path()).len()), (Vec::new(), 1));
    }
}
