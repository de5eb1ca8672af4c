//! Signing and verifying the members of a tar archive as it streams by, for layers of OCI images and other trees that
//! never lie on a file system.
//!
//! A member's xattr is a record `SCHILY.xattr.security.ima` in a PAX extended header before it (POSIX.1-2024, pax,
//! "pax Extended Header"; the key is star's, and GNU tar, bsdtar, Go and container runtimes read it). Apart from those
//! records, the length of the headers that hold them, and their checksums, every byte of the archive stays as it is:
//! formats, other extensions, padding, order, and the zeros behind the end. An archive that is signed already comes out
//! identical.
//!
//! That is why the archive is read here and not by a library: those that decode members do not keep the headers'
//! bytes, and the raw mode of the `tar` crate takes no sizes from PAX records.

mod block;
mod data;
mod edit;
mod foreign;
mod member;
mod pax;
mod sparse;
mod stream;

use std::io;
use std::path::PathBuf;

pub use foreign::Foreign;
pub use stream::{sign, verify};

use self::block::Block;
use crate::tree::{Addressed, NoThread, Options};

/// Whether what begins so is an archive that is not compressed: its first block is the header of a member.
pub fn is_archive(start: &[u8]) -> bool {
    let block = start.first_chunk().map(|block| Block(*block));
    block.is_some_and(|block| !block.is_zero() && block.is_checksum_right())
}

/// What a file is compressed with that begins so.
pub fn compressor(start: &[u8]) -> Option<&'static str> {
    foreign::compressor(start)
}

/// How an archive is gone through.
#[derive(Debug, Clone, Default)]
pub struct TarOptions<'a> {
    /// The number of threads, and the caller's flag.
    pub run: Options<'a>,
    /// Where members of more than 4 MiB are kept until their signature, which comes before them, is made; the
    /// system's directory for temporary files if not given.
    pub spool: Option<PathBuf>,
}

/// Why an archive cannot be gone through to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum TarError {
    #[error("cannot read the archive: {0}")]
    Input(#[source] io::Error),
    #[error("cannot write the signed archive: {0}")]
    Output(#[source] io::Error),
    #[error(
        "cannot store a large member in the temporary directory: {0}; choose a directory with more space"
    )]
    Spool(#[source] io::Error),
    /// What the caller does with each member.
    #[error("cannot report the result of a member: {0}")]
    Observer(#[source] io::Error),
    #[error("the archive is compressed by {0}; decompress it first, and compress the result again")]
    Compressed(&'static str),
    #[error("it is not a tar archive, but {0}")]
    Foreign(Foreign),
    /// Its members are parts of something else, called by their digests, and no files of a tree.
    #[error("{member} is not a file of a tree: {store}")]
    Addressed { member: PathBuf, store: Addressed },
    /// The archive is not what the format says.
    #[error(
        "{}{what}{}",
        if what.starts_with("it is ") { String::new() } else { format!("the archive is damaged at byte {offset}: ") },
        if what.contains(';') { "" } else { "; copy or make it again" }
    )]
    Malformed { offset: u64, what: &'static str },
    #[error(
        "an archive's signatures are kept in its xattr records or returned, not in sidecars; choose one of those"
    )]
    Sidecar,
    /// There are no threads to do it.
    #[error(transparent)]
    Threads(#[from] NoThread),
    /// The caller raised the flag; the output is incomplete.
    #[error("interrupted; the signed archive is incomplete, delete it")]
    Interrupted,
}
