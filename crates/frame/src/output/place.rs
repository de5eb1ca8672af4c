//! What the name of an output leads to.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt};
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use rustix::fs::{Access, CWD, PROC_SUPER_MAGIC, RenameFlags, access, renameat_with, statfs};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::{STDOUT, cannot_write, protected_inputs};
use crate::outcome::{coded, usage};
use crate::text;

/// As many symbolic links as Linux follows (path_resolution(7)).
const LINKS: usize = 40;

/// What there is at the end of all symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// An open file of this process: `-`, `/dev/stdout`, `/dev/fd/3`.
    Descriptor(i32),
    /// A device or a FIFO: written through, never replaced. `holds` says whether there is content to be lost.
    Stream {
        /// Its name, to be opened.
        path: PathBuf,
        /// Whether it is a block device.
        holds: bool,
    },
    /// A regular file, or a name that is free.
    File {
        /// The name behind all links.
        path: PathBuf,
        exists: bool,
    },
}

impl Place {
    /// Follows the name. `named` is what the user typed.
    pub(super) fn find(named: &Path) -> Result<Place> {
        let shown = text::path(named);
        let cannot = |code: &str, why: &str| coded(code, anyhow!("cannot write {shown}: {why}"));
        if named == Path::new(STDOUT) {
            return Ok(Place::Descriptor(1));
        }
        if named.as_os_str().is_empty() {
            bail!(usage("the name of the file to write is empty; give one"));
        }
        let mut path = named.to_path_buf();
        for _ in 0..=LINKS {
            let found = match fs::symlink_metadata(&path) {
                Ok(found) => found.file_type(),
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound => return free(named, path),
                    io::ErrorKind::NotADirectory => {
                        bail!(cannot(
                            "not-a-directory",
                            "a part of its path is not a directory; choose another name"
                        ))
                    }
                    _ => return Err(cannot_write(named, error)),
                },
            };
            if found.is_symlink() {
                if on_proc(&path) {
                    return Ok(of_process(&path));
                }
                let target = fs::read_link(&path).map_err(|error| cannot_write(named, error))?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            } else if found.is_dir() {
                bail!(cannot("directory", "it is a directory; give a file"));
            } else if found.is_file() {
                return Ok(Place::File { path, exists: true });
            } else if found.is_socket() {
                bail!(cannot("socket", "it is a socket; give a file or a pipe"));
            } else {
                return Ok(Place::Stream { path, holds: found.is_block_device() });
            }
        }
        bail!(cannot("link-circle", "its symbolic links form a loop; remove them or choose another name"))
    }
}

/// A name that nothing has yet, in a directory that is there.
fn free(named: &Path, path: PathBuf) -> Result<Place> {
    let shown = text::path(named);
    if path.as_os_str().as_bytes().ends_with(b"/") || path.file_name().is_none() {
        bail!(coded(
            "no-directory",
            anyhow!(
                "cannot write {shown}: there is no such directory; create it first, and give a file in it"
            )
        ));
    }
    let parent = directory_of(&path);
    if !parent.is_dir() {
        let parent = text::path(parent);
        bail!(coded(
            "no-directory",
            anyhow!("cannot write {shown}: there is no directory {parent}; create it first")
        ));
    }
    Ok(Place::File { path, exists: false })
}

/// The directory in which a name stands.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a link is one of the proc file system, which lead to open files and not to names.
fn on_proc(link: &Path) -> bool {
    statfs(directory_of(link)).is_ok_and(|found| found.f_type == PROC_SUPER_MAGIC)
}

/// One of this process's own open files by its number, else whatever the link leads to.
fn of_process(link: &Path) -> Place {
    let own = ["/proc/self/fd", "/proc/thread-self/fd"];
    let directory = fs::canonicalize(directory_of(link)).ok();
    let is_own = directory.is_some_and(|directory| {
        own.iter().any(|own| fs::canonicalize(own).is_ok_and(|own| own == directory))
    });
    let number = link.file_name().and_then(|name| name.to_str()?.parse().ok());
    match number.filter(|_| is_own) {
        Some(number) => Place::Descriptor(number),
        None => {
            let holds =
                fs::metadata(link).is_ok_and(|found| found.is_file() || found.file_type().is_block_device());
            Place::Stream { path: link.to_path_buf(), holds }
        }
    }
}

/// Refuses two names of one file: what is written there first would be gone.
///
/// # Errors
///
/// Both lead to the same file or descriptor, or one of them to nothing.
pub fn check_apart(one: &Path, other: &Path) -> Result<()> {
    let resolved = |path: &Path| {
        let directory = fs::canonicalize(directory_of(path)).ok()?;
        Some(directory.join(path.file_name()?))
    };
    let are_one = match (Place::find(one)?, Place::find(other)?) {
        (Place::File { path: one, .. }, Place::File { path: other, .. }) => {
            resolved(&one) == resolved(&other)
        }
        (one, other) => one == other && matches!(one, Place::Descriptor(_)),
    };
    match are_one {
        true => Err(coded(
            "same-place",
            usage(format!(
                "{} and {} are one file, so one would replace the other; choose another name for one of them",
                text::path(one),
                text::path(other)
            )),
        )),
        false => Ok(()),
    }
}

/// Refuses places of which one would lie in the other, each with what it is.
///
/// # Errors
///
/// A usage error.
pub fn check_beside(one: (&str, &Path), other: (&str, &Path)) -> Result<()> {
    let [of_one, of_other] = [resolved(one.1)?, resolved(other.1)?];
    let (code, fault) = if of_one == of_other {
        ("same-place", "are one place; choose another name for one of them")
    } else if of_one.starts_with(&of_other) || of_other.starts_with(&of_one) {
        ("nested-places", "contain each other; choose a separate place")
    } else {
        return Ok(());
    };
    let [shown, shown_other] = [one, other].map(|(what, path)| format!("{what} {}", text::path(path)));
    Err(coded(code, usage(format!("{shown} and {shown_other} {fault}"))))
}

/// As [`check_beside`], of any two of these.
///
/// # Errors
///
/// A usage error.
pub fn check_all_beside(places: &[(&str, &Path)]) -> Result<()> {
    let two =
        places.iter().enumerate().flat_map(|(at, one)| places[..at].iter().map(move |other| (one, other)));
    two.into_iter().try_for_each(|(one, other)| check_beside(*one, *other))
}

/// Where a path leads, or would if all that is missing were made.
fn resolved(path: &Path) -> Result<PathBuf> {
    resolved_through(path, LINKS)
}

fn resolved_through(path: &Path, links: usize) -> Result<PathBuf> {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            // No links are left above, so this is the directory itself. Comparing words instead would take
            // `link/../x` for a sibling of `link`, which is elsewhere if it leads elsewhere.
            Component::ParentDir => drop(place.pop()),
            part => {
                place.push(part);
                if let Ok(found) = fs::canonicalize(&place) {
                    place = found;
                } else if let (Ok(target), true) = (fs::read_link(&place), links > 0) {
                    // What it leads to is missing, and made by whoever writes to the link.
                    place = resolved_through(&directory_of(&place).join(target), links - 1)?;
                }
            }
        }
    }
    Ok(place)
}

/// `f_type` of /proc and /sys (`linux/magic.h`).
const FIXED: [rustix::fs::FsWord; 2] = [rustix::fs::PROC_SUPER_MAGIC, 0x6265_6572];

/// Says early what would only be found out at the end. Whoever works long before writing asks this first.
///
/// # Errors
///
/// There is no such directory, it may not be written to, the name is a directory's, the file is protected, or is one that this
/// process [`reads`](super::reads), …
pub fn check_place(path: &Path) -> Result<()> {
    protected_inputs::check_read(path)?;
    let Place::File { path: target, exists } = Place::find(path)? else { return Ok(()) };
    let cannot = |why: String| anyhow!("cannot write {}: {why}", text::path(path));
    let directory = directory_of(&target);
    let shown = text::path(directory);
    let within = fs::metadata(directory).map_err(|error| cannot_write(path, error))?;
    // A file is not written where it lies: another one takes its place, which is the directory's business.
    access(directory, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        let remedy = match error {
            Errno::ACCESS if Who::this().is(within.uid()) => {
                format!("; choose another directory, or allow it with chmod u+wx {shown}")
            }
            Errno::ACCESS => "; choose another directory, or ask its owner for write access".to_owned(),
            _ => String::new(),
        };
        let why = io::Error::from(error);
        coded("no-access", cannot(format!("cannot create files in the directory {shown}: {why}{remedy}")))
    })?;
    if !exists {
        // They grant access and have no new files. A trial file would change the directory, and stay where the program is killed.
        let refuses = rustix::fs::statfs(directory).is_ok_and(|it| FIXED.contains(&it.f_type));
        let why = || format!("no file can be created in {shown}; choose another directory");
        return if refuses { Err(coded("no-access", cannot(why()))) } else { Ok(()) };
    }
    let found = fs::metadata(&target).map_err(|error| cannot_write(path, error))?;
    if !Who::this().may_replace(&found, &within) {
        return Err(cannot(format!(
            "it belongs to another user, and in the sticky directory {shown} only its owner can replace it; choose \
             another name"
        )));
    }
    match access(&target, Access::WRITE_OK) {
        Err(Errno::ACCESS) if Who::this().is(found.uid()) => Err(cannot(
            "the file is write-protected; choose another name, or allow it with chmod u+w".to_owned(),
        )),
        Err(Errno::ACCESS) => Err(cannot(
            "the file belongs to another user and is write-protected; choose another name, or remove it first"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Whose rights this process has.
#[derive(Debug, Clone, Copy)]
struct Who {
    user: u32,
    /// Has the rights of every file's owner (capabilities(7), `CAP_FOWNER`).
    every_owner: bool,
}

impl Who {
    fn this() -> Who {
        /// Its bit in the mask (linux/capability.h).
        const FOWNER: u64 = 1 << 3;
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        Who { user: geteuid().as_raw(), every_owner: mask & FOWNER != 0 }
    }

    fn is(self, owner: u32) -> bool {
        self.user == owner
    }

    /// Whether another file can take the place of this one, as far as a sticky directory has a say in it (rename(2),
    /// at `EPERM`).
    fn may_replace(self, file: &impl MetadataExt, directory: &impl MetadataExt) -> bool {
        const STICKY: u32 = 0o1000;
        directory.mode() & STICKY == 0 || self.every_owner || self.is(file.uid()) || self.is(directory.uid())
    }
}

/// Whether a name leads to something that is written through from its beginning to its end, so that nothing in it can
/// be written out of order or read again: standard output, an open file of this process, a device, a FIFO.
///
/// # Errors
///
/// As [`check_place`].
pub fn is_stream(path: &Path) -> Result<bool> {
    Ok(!matches!(Place::find(path)?, Place::File { .. }))
}

/// Whether a name leads to standard output: `-`, `/dev/stdout`. Two things cannot both go there.
///
/// # Errors
///
/// As [`check_place`].
pub fn is_standard(path: &Path) -> Result<bool> {
    Ok(Place::find(path)? == Place::Descriptor(1))
}

/// The directory in which files belong that go with an output, such as new keys: where its name stands.
///
/// # Errors
///
/// A [`usage`] error for outputs that are no file: nobody wants keys in `/dev`, or wherever he happens to be. `option`
/// is how the user names a directory: `--keys DIRECTORY`. And as [`check_place`].
pub fn folder_beside(path: &Path, option: &str) -> Result<PathBuf> {
    match is_stream(path)? {
        false => Ok(directory_of(path).to_path_buf()),
        true => Err(usage(format!(
            "cannot store new keys next to {}; give their place with {option}",
            text::path(path)
        ))),
    }
}

/// Renames, unless something has the new name.
pub(crate) fn rename_to_nothing(from: &Path, to: &Path) -> rustix::io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems, and kernels, cannot refuse by themselves.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => match to.symlink_metadata() {
            Ok(_) => Err(Errno::EXIST),
            Err(_) => renameat_with(CWD, from, CWD, to, RenameFlags::empty()),
        },
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_in_each_other_also_behind_what_is_not_there() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("r")).expect("a directory");
        fs::create_dir_all(at("far/near")).expect("a directory");
        std::os::unix::fs::symlink(at("far/near"), at("link")).expect("a link");
        std::os::unix::fs::symlink("nothing", at("dangling")).expect("a link");
        std::os::unix::fs::symlink("e/../r/n", at("into")).expect("a link");
        std::os::unix::fs::symlink("circle", at("circle")).expect("a link");
        let source = at("r");
        for (place, is_beside) in [
            ("new", true),
            ("e/../r/n", false),
            ("e/f/../../r", false),
            ("r/../new", true),
            ("r/e/../..", false),
            ("dangling", true),
            ("into", false),
            ("circle", true),
            // `..` is what is above the link's target.
            ("link/../r", true),
            ("e/../link/../../r/n", false),
        ] {
            let told = check_beside(("the destination", &at(place)), ("the directory", &source));
            assert_eq!(told.is_ok(), is_beside, "{place}: {told:?}");
        }
    }

    #[test]
    fn who_may_replace_what_in_a_sticky_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        let set = |mode| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(directory.path(), mode).expect("permissions");
            fs::metadata(directory.path()).expect("a directory")
        };
        fs::write(directory.path().join("file"), "").expect("a file");
        let file = fs::metadata(directory.path().join("file")).expect("a file");
        let (owner, other) = (file.uid(), file.uid() + 1);
        let who = |user, every_owner| Who { user, every_owner };
        let sticky = set(0o1777);
        assert!(who(owner, false).may_replace(&file, &sticky));
        assert!(who(other, true).may_replace(&file, &sticky));
        assert!(!who(other, false).may_replace(&file, &sticky));
        assert!(who(other, false).may_replace(&file, &set(0o777)));
        set(0o700);
    }
}
