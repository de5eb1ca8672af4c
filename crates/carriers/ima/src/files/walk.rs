//! Walking a tree: every regular file once, in the order of the bytes of the paths.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, Dir, FileType, Stat};
use rustix::io::Errno;

use super::partial::whole;
use super::report::{Skip, Tally};
use super::root::Root;
use crate::evm::Owner;

#[derive(Debug, Clone, Default)]
pub(crate) struct Walk {
    /// Whether to enter other file systems, and subvolumes.
    pub cross_file_systems: bool,
    /// The suffixes of sidecars that lie in the tree, which are not files to be signed themselves.
    pub sidecars: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A regular file of so many bytes, or a further name of one that came by.
    File {
        size: u64,
        further_name: bool,
        owner: Owner,
        place: Place,
    },
    Skipped(Skip),
    /// A directory that could not be read, or an entry that could not be looked at.
    Failed(Errno),
}

/// Where a file stands in its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// Its device and inode.
    pub id: (u64, u64),
    /// How many names it has.
    pub names: u64,
    /// Bytes of storage that its data has.
    pub allocated: u64,
    /// When its inode was changed, by whatever, in seconds and nanoseconds.
    pub changed: (i64, u64),
}

struct Child {
    name: OsString,
    kind: Kind,
}

enum Kind {
    Folder,
    Found(Found),
    File { size: u64, owner: Owner, place: Place },
}

impl Child {
    /// The bytes that stand for this entry in the order of the paths beneath it: a directory's name goes on with a `/`.
    fn sort_key(&self) -> SortKey<'_> {
        let end: &[u8] = if matches!(self.kind, Kind::Folder) { b"/" } else { b"" };
        // Compares as the two parts put together would.
        SortKey(self.name.as_bytes(), end)
    }
}

struct SortKey<'a>(&'a [u8], &'a [u8]);

impl SortKey<'_> {
    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().chain(self.1).copied()
    }
}

impl PartialEq for SortKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortKey<'_> {}

impl PartialOrd for SortKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortKey<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl Walk {
    /// Calls `emit` for everything that is no directory, with its path from the root, in the order of the bytes of the
    /// paths, until it returns false. Memory: the names of one directory for each level, and the hard links of which
    /// further names may come.
    ///
    /// Returned are the files of which further names did not come, so that they have some where nobody looked: what is set on
    /// such a file is set outside of the tree too.
    pub(crate) fn run(&self, root: &Root, emit: &mut dyn FnMut(PathBuf, Found) -> bool) -> Tally {
        let mut names_left = HashMap::new();
        let (first, device) = match root.only {
            Some(ref name) => (vec![self.child(root.folder(), name.clone())], None),
            None => match root.open_folder(Path::new("")).and_then(|folder| self.list(&folder)) {
                Ok((children, device)) => (children, Some(device)),
                Err(error) => {
                    emit(PathBuf::new(), Found::Failed(error));
                    return Tally::default();
                }
            },
        };
        let mut folder = PathBuf::new();
        let mut levels = vec![first.into_iter()];
        while let Some(level) = levels.last_mut() {
            let Some(Child { name, kind }) = level.next() else {
                levels.pop();
                folder.pop();
                continue;
            };
            let path = folder.join(name);
            let found = match kind {
                Kind::Found(found) => found,
                Kind::File { size, owner, place } => {
                    let further_name = place.names > 1 && !is_first_name(&mut names_left, &path, &place);
                    Found::File { size, further_name, owner, place }
                }
                Kind::Folder => match root.open_folder(&path).and_then(|folder| self.list(&folder)) {
                    Ok((_, other))
                        if !self.cross_file_systems && device.is_some_and(|device| device != other) =>
                    {
                        Found::Skipped(Skip::OtherFileSystem)
                    }
                    Ok((children, _)) => {
                        levels.push(children.into_iter());
                        folder = path;
                        continue;
                    }
                    Err(error) => Found::Failed(error),
                },
            };
            if !emit(path, found) {
                return Tally::default();
            }
        }
        let mut elsewhere: Vec<PathBuf> = names_left.into_values().map(|(_, first)| first).collect();
        elsewhere.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        let mut tally = Tally::default();
        elsewhere.iter().for_each(|path| tally.add(path));
        tally
    }

    /// A directory's entries, sorted, and its device.
    fn list(&self, folder: &OwnedFd) -> Result<(Vec<Child>, u64), Errno> {
        let mut children = Vec::new();
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsString::from_vec(name.to_vec());
            children.push(match entry.file_type() {
                FileType::RegularFile | FileType::Unknown => self.child(folder, name),
                known => Child { name, kind: kind_of(known) },
            });
        }
        children.sort_unstable_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        self.pass_over_sidecars(&mut children);
        Ok((children, fs::fstat(folder)?.st_dev))
    }

    fn child(&self, folder: impl std::os::fd::AsFd, name: OsString) -> Child {
        let kind = match fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(error) => Kind::Found(Found::Failed(error)),
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => {
                    let size = u64::try_from(stat.st_size).unwrap_or(0);
                    #[allow(clippy::useless_conversion)] // It is a u32 on some architectures.
                    let names = u64::from(stat.st_nlink);
                    // In units of 512 bytes on every file system.
                    let allocated = u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512);
                    #[allow(clippy::useless_conversion)] // Their width depends on the architecture.
                    let changed = (i64::from(stat.st_ctime), u64::from(stat.st_ctime_nsec));
                    let place = Place { id: (stat.st_dev, stat.st_ino), names, allocated, changed };
                    Kind::File { size, owner: owner(&stat), place }
                }
                other => kind_of(other),
            },
        };
        Child { name, kind }
    }

    /// A file whose name is another file's with a suffix of sidecars, or will be when the process that replaces a sidecar is done:
    /// read before that, it was signed as a file, and its own sidecar stayed.
    fn pass_over_sidecars(&self, children: &mut [Child]) {
        for suffix in &self.sidecars {
            for at in 0..children.len() {
                let is_sidecar = children.get(at).is_some_and(|child| {
                    let name = whole(&child.name).unwrap_or(&child.name).as_bytes();
                    let stem = name.strip_suffix(suffix.as_bytes());
                    !matches!(child.kind, Kind::Folder)
                        && stem.is_some_and(|stem| is_among(children, OsStr::from_bytes(stem)))
                });
                if let (true, Some(child)) = (is_sidecar, children.get_mut(at)) {
                    child.kind = Kind::Found(Found::Skipped(Skip::Sidecar));
                }
            }
        }
    }
}

fn is_among(children: &[Child], file: &OsStr) -> bool {
    let key = SortKey(file.as_bytes(), b"");
    children.binary_search_by(|child| child.sort_key().cmp(&key)).is_ok()
}

/// Whether this is the first of a file's names to come by. What is remembered is forgotten with the last one.
fn is_first_name(left: &mut HashMap<(u64, u64), (u64, PathBuf)>, path: &Path, place: &Place) -> bool {
    match left.get_mut(&place.id) {
        None => {
            left.insert(place.id, (place.names.saturating_sub(1), path.to_path_buf()));
            true
        }
        Some((more, _)) => {
            *more = more.saturating_sub(1);
            if *more == 0 {
                left.remove(&place.id);
            }
            false
        }
    }
}

fn kind_of(file_type: FileType) -> Kind {
    Kind::Found(match file_type {
        FileType::Directory => return Kind::Folder,
        FileType::Symlink => Found::Skipped(Skip::SymbolicLink),
        FileType::Fifo => Found::Skipped(Skip::Fifo),
        FileType::Socket => Found::Skipped(Skip::Socket),
        FileType::BlockDevice | FileType::CharacterDevice => Found::Skipped(Skip::Device),
        FileType::RegularFile | FileType::Unknown => Found::Skipped(Skip::UnknownKind),
    })
}

/// What EVM protects of a file's inode.
pub(crate) fn owner(stat: &Stat) -> Owner {
    // A mode has 16 bits: four for the type and twelve for the permissions.
    Owner { uid: stat.st_uid, gid: stat.st_gid, mode: (stat.st_mode & 0xffff) as u16 }
}
