//! Zones larger than memory: sorted on disk, and cut into ranges of owners that are signed one by one.
//!
//! [`split`] sorts a zone file by canonical order in runs of bounded size, merges them, and writes one file for each range of
//! owners. With each range go the few names around it on which its records depend: the apex, the delegation or DNAME
//! that hides its first names, the names that come before and behind it in a chain. So a [`Part`] is read as any zone, and
//! [`Signer::of_part`](crate::sign::Signer::of_part) signs it as it would stand in the whole.
//!
//! An NSEC3 chain goes by hashes, and its records stand all over the zone. [`write_hashes`](crate::sign::write_hashes) hashes the names of one range,
//! for whichever range their records stand in, and [`Links::gather`](crate::sign::Links::gather) collects what stands in one range from all of them.
//!
//! All files but those of hashes are zones in BIND's raw format.

mod merge;
mod part;
mod sort;
mod split;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::ReadError;

pub use part::Part;
pub use split::{Split, split};

/// The apex's records, which every range needs.
fn apex_file(folder: &Path) -> PathBuf {
    folder.join("apex")
}

/// The order keys that ranges begin with.
fn bounds_file(folder: &Path) -> PathBuf {
    folder.join("bounds")
}

/// Octets of memory that each range takes.
fn room_file(folder: &Path) -> PathBuf {
    folder.join("room")
}

/// A range's own records.
fn range_file(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("range-{at}"))
}

/// The records around a range.
fn around_file(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("around-{at}"))
}

/// Whether a file in the folder of ranges has a name that [`split`] gives one.
pub fn is_own(name: &OsStr) -> bool {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|octet| octet.is_ascii_digit());
    let name = name.to_str().unwrap_or_default();
    let mut numbered = ["range-", "around-", "run-"].iter().filter_map(|kind| name.strip_prefix(kind));
    ["apex", "bounds", "room"].contains(&name) || numbered.any(is_number)
}

pub(crate) fn cannot_read(path: &Path, source: io::Error) -> ReadError {
    ReadError::Io { path: path.to_path_buf(), source }
}

fn cannot_write(path: &Path, source: io::Error) -> ReadError {
    ReadError::Write { path: path.to_path_buf(), source }
}
