//! Totals of a run: how many files of each kind, and the first paths of each.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use fieldtest_text::words;
use rustix::io::Errno;

/// Paths that a [`Tally`] keeps.
pub const FIRST_PATHS: usize = 10;

/// How many, and which came first. Files come in the order of their paths, so that equal trees have equal tallies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first [`FIRST_PATHS`] of them.
    pub first: Vec<PathBuf>,
}

impl Tally {
    pub(crate) fn add(&mut self, path: &Path) {
        self.count += 1;
        if self.first.len() < FIRST_PATHS {
            self.first.push(path.to_path_buf());
        }
    }
}

/// Tallies by reason; a reason without files is absent.
pub type Tallies<K> = BTreeMap<K, Tally>;

pub(crate) fn tally<K: Ord>(tallies: &mut Tallies<K>, key: K, path: &Path) {
    tallies.entry(key).or_default().add(path);
}

pub(crate) fn total<K>(tallies: &Tallies<K>) -> u64 {
    tallies.values().map(|tally| tally.count).sum()
}

words! {
    /// Why something in a tree is passed over.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Skip {
        /// A further name of a file that was taken under its first one.
        FurtherName = "extra hard link of a file",
        /// A symbolic link; what it leads to is taken where it lies.
        SymbolicLink = "symbolic link",
        /// A block or character device.
        Device = "device",
        /// A fifo.
        Fifo = "fifo",
        /// A socket.
        Socket = "socket",
        /// A directory on another file system, or another subvolume, with all beneath it.
        OtherFileSystem = "on another file system",
        /// The signature of another file.
        Sidecar = "signature of another file",
        /// A further record of a list about a file, good too.
        FurtherRecord = "further record of a file",
        /// A mark in a layer of an OCI image that a file of a lower layer is gone.
        Whiteout = "whiteout of a file in a lower layer",
        /// Something that the system gives no name to.
        UnknownKind = "of an unknown kind",
    }
}

/// Why a file could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReadFailure {
    /// It was there, and then it was not.
    Vanished,
    /// It was a regular file, and then it was something else.
    Replaced,
    /// A list names what is no regular file, or is reached by a symbolic link.
    Link,
    /// A list names what is outside of the tree.
    Outside,
    /// Its signature should be in a file that is no regular file.
    Sidecar,
    /// It was written to while it was read, so that no digest stands for it.
    Changing,
    /// It is the file to which the signatures are to be written.
    IsOutput,
    /// It is a member of a tar archive without its holes, and where those are is not said in a way that could be.
    StoredWithHoles,
    /// The system's error number.
    System(i32),
}

impl From<Errno> for ReadFailure {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT => ReadFailure::Vanished,
            Errno::LOOP | Errno::NOTDIR | Errno::NXIO => ReadFailure::Replaced,
            other => ReadFailure::System(other.raw_os_error()),
        }
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadFailure::Vanished => f.write_str("vanished during the run; if it should exist, run again"),
            ReadFailure::Replaced => f.write_str("replaced by something else during the run; run again"),
            ReadFailure::Link => {
                f.write_str("not a regular file, or reached through a symbolic link, which is not followed; list the file itself")
            }
            ReadFailure::Outside => f.write_str("not in the tree; list paths from the tree's root"),
            ReadFailure::Sidecar => {
                f.write_str("its sidecar is not a regular file; replace it by the signature")
            }
            ReadFailure::Changing => {
                f.write_str("it was written to while it was read; stop the writer and run again")
            }
            ReadFailure::IsOutput => {
                f.write_str("it is the output file; write to another file outside the tree")
            }
            ReadFailure::StoredWithHoles => {
                f.write_str(
                    "stored without its holes, and their map is damaged, not in GNU tar's format, or larger than \
                     16 TiB; pack it without --sparse",
                )
            }
            ReadFailure::System(number) => {
                write!(f, "not readable: {}", std::io::Error::from_raw_os_error(*number))
            }
        }
    }
}

/// Why a signature could not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// `ENOSPC`, and the file system has no free blocks, no free inodes, or on btrfs no room for metadata.
    FileSystemFull,
    /// `ENOSPC`, although the file system has room: the file's own room for xattrs is spent.
    NoRoomInFile,
    /// `EDQUOT`.
    Quota,
    /// `E2BIG`, `ERANGE`: longer than any value of an xattr may be there.
    TooBig,
    /// `EPERM`, `EACCES`.
    NotPermitted,
    /// `ENOTSUP`: no xattrs, or none in this namespace.
    NotSupported,
    /// `EROFS`.
    ReadOnly,
    /// What has the sidecar's name is no signature of IMA, but somebody else's file.
    SidecarTaken,
    /// The xattr has a value that is none of IMA's, but somebody else's.
    AttributeTaken,
    /// Its EVM signature could not be stored, and the pair is written whole or not at all: the file has what it had.
    WithoutEvm,
    /// Another error number.
    System(i32),
}

impl Refusal {
    /// Of an error; `full` is asked whether the file system has room left.
    pub(crate) fn of(error: Errno, full: impl FnOnce() -> bool) -> Self {
        match error {
            Errno::NOSPC if full() => Refusal::FileSystemFull,
            Errno::NOSPC => Refusal::NoRoomInFile,
            Errno::DQUOT => Refusal::Quota,
            Errno::TOOBIG | Errno::RANGE => Refusal::TooBig,
            Errno::PERM | Errno::ACCESS => Refusal::NotPermitted,
            Errno::OPNOTSUPP => Refusal::NotSupported,
            Errno::ROFS => Refusal::ReadOnly,
            other => Refusal::System(other.raw_os_error()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::FileSystemFull => "the file system is full (btrfs: its metadata); free some space and run again",
            Refusal::NoRoomInFile => {
                "the file has no space for a value of this length; choose a shorter signature, or lift the limit of the file \
                 system"
            }
            Refusal::Quota => "the quota is exhausted; raise it and run again",
            Refusal::TooBig => "the file system does not accept a value of this length; choose a shorter signature",
            Refusal::NotPermitted => {
                "not permitted; security.* needs CAP_SYS_ADMIN, user.* write permission on the file, a sidecar on \
                 its directory, and neither may be immutable"
            }
            Refusal::NotSupported => "the file system does not support such xattrs; write sidecars or a manifest",
            Refusal::ReadOnly => "the file system is read-only; remount it, or write a manifest",
            Refusal::SidecarTaken => {
                "its NAME.sig is not an IMA signature and is kept; move it away, or write a manifest"
            }
            Refusal::AttributeTaken => {
                "the xattr has a value that does not belong to IMA, and is kept; choose another name, or replace \
                 it"
            }
            Refusal::WithoutEvm => {
                "unchanged, since its EVM signature was not stored, for the reason given there, and both are written \
                 or neither; fix that, or sign without EVM"
            }
            Refusal::System(number) => {
                return write!(f, "not stored: {}", std::io::Error::from_raw_os_error(*number));
            }
        })
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub files_done: u64,
    /// Files that were found so far.
    pub files_found: u64,
    /// Bytes of files that are done.
    pub bytes_read: u64,
}
