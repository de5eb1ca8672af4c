//! Both copies of a header in a file: which one counts, and how they are written.
//!
//! The first copy lies at byte 0 and the second right behind it, so the second lies at one of nine offsets and is
//! found even if nothing of the first is left (LUKS2 On-Disk Format Specification 1.1.0, sections 2.2 and 2.3).
//! A change is written to the first copy, made durable, and then to the second: whenever it is interrupted, one of
//! them is whole. For it to be right as well, both have to say the same before anything is changed, so that the one that a
//! change before this left damaged or old is [mended](mend) first.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::binary::{self, BinaryHeader, Kind, Place, SIZES};
use super::{Header, Metadata};
use crate::error::{Error, Result};
use crate::store::Store;

/// How the two copies were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The copy at the beginning of the file.
    pub first: CopyState,
    /// The copy behind it.
    pub second: CopyState,
}

/// How one copy was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyState {
    /// Whole and up to date.
    Good,
    /// Whole, and older than the other copy.
    Old,
    /// Damaged; the sentence says how.
    Damaged(String),
}

impl Condition {
    pub(crate) const GOOD: Condition = Condition { first: CopyState::Good, second: CopyState::Good };

    /// Whether both copies are whole and up to date.
    pub fn is_good(&self) -> bool {
        self.first == CopyState::Good && self.second == CopyState::Good
    }
}

type Found = std::result::Result<Header, String>;

/// Reads both copies and takes the newer whole one.
pub(crate) fn read(file: &File, path: &Path) -> Result<(Header, Condition)> {
    let mut start = [0; 16];
    let length = read_up_to(file, &mut start, 0).map_err(Error::io_at(path, "read the header of", 0))?;
    let start = start.get(..length).unwrap_or_default();
    match binary::kind(start, Place::First) {
        Kind::Luks(version) if version != 2 => return Err(Error::Version { path: path.to_owned(), version }),
        Kind::Luks(_) | Kind::Other => {}
    }
    let first = binary::size(start).and_then(|size| copy(file, Place::First, 0, size));
    let second = find_second(file, &first);
    let same = |one: &Header, two: &Header| {
        one.binary.sequence == two.binary.sequence && one.metadata.to_json() == two.metadata.to_json()
    };
    let (header, first, second) = match (first, second) {
        (Ok(one), Ok(two)) if same(&one, &two) => (one, CopyState::Good, CopyState::Good),
        (Ok(one), Ok(two)) if one.binary.sequence >= two.binary.sequence => {
            (one, CopyState::Good, CopyState::Old)
        }
        (Ok(_), Ok(two)) => (two, CopyState::Old, CopyState::Good),
        (Ok(one), Err(reason)) => (one, CopyState::Good, CopyState::Damaged(reason)),
        (Err(reason), Ok(two)) => (two, CopyState::Damaged(reason), CopyState::Good),
        (Err(first), Err(second)) => {
            let nothing = matches!(binary::kind(start, Place::First), Kind::Other)
                && !SIZES.iter().any(|&offset| has_magic(file, offset));
            return Err(if nothing {
                Error::NotLuks(path.to_owned())
            } else {
                Error::BothHeadersDamaged { path: path.to_owned(), first, second }
            });
        }
    };
    Ok((header, Condition { first, second }))
}

/// Whether a file begins as a container does, of whatever version.
pub(crate) fn is_at_the_beginning(file: &File, path: &Path) -> Result<bool> {
    let mut start = [0; 16];
    let length = read_up_to(file, &mut start, 0).map_err(Error::io_at(path, "read the beginning of", 0))?;
    Ok(matches!(binary::kind(start.get(..length).unwrap_or_default(), Place::First), Kind::Luks(_)))
}

/// The second copy, which a whole first one says the place of; else the newest of all there are.
fn find_second(file: &File, first: &Found) -> Found {
    let known = first.as_ref().map(|header| [header.binary.header_size]);
    let places = known.as_ref().map_or(&SIZES[..], |place| &place[..]);
    let mut second: Found = Err("its magic bytes are missing".to_owned());
    for &offset in places.iter().filter(|&&offset| has_magic(file, offset)) {
        second = match (second, copy(file, Place::Second, offset, offset)) {
            (Ok(one), Ok(two)) if two.binary.sequence > one.binary.sequence => Ok(two),
            (Ok(one), _) => Ok(one),
            (Err(_), other) => other,
        };
    }
    second
}

fn has_magic(file: &File, offset: u64) -> bool {
    let mut start = [0; 16];
    let length = read_up_to(file, &mut start, offset).unwrap_or(0);
    matches!(binary::kind(start.get(..length).unwrap_or_default(), Place::Second), Kind::Luks(_))
}

fn copy(file: &File, place: Place, offset: u64, size: u64) -> Found {
    let mut copy = vec![0; usize::try_from(size).map_err(|_| "it is larger than memory".to_owned())?];
    let length = read_up_to(file, &mut copy, offset).map_err(|error| format!("cannot read it: {error}"))?;
    copy.truncate(length);
    let (binary, json) = binary::decode(&copy, place, offset)?;
    let metadata = Metadata::parse(json, binary.header_size).map_err(|error| error.to_string())?;
    Ok(Header { binary, metadata })
}

/// Writes both copies, one after the other, each made durable before the next.
pub(crate) fn write(file: &dyn Store, path: &Path, header: &Header) -> Result<()> {
    write_copy(file, path, header, Place::First)?;
    write_copy(file, path, header, Place::Second)
}

/// Writes the header over each copy that was found to be another one. What changes a container does this before all else: the
/// copy that is whole is about to be written over, and the other one speaks of what is about to go.
pub(crate) fn mend(file: &dyn Store, path: &Path, header: &Header, found: &Condition) -> Result<()> {
    for (state, place) in [(&found.first, Place::First), (&found.second, Place::Second)] {
        if *state != CopyState::Good {
            write_copy(file, path, header, place)?;
        }
    }
    Ok(())
}

/// Writes one copy and makes it durable.
fn write_copy(file: &dyn Store, path: &Path, header: &Header, place: Place) -> Result<()> {
    // The salt has no other purpose than to make the two copies different.
    let mut salt = header.binary.salt;
    getrandom::fill(&mut salt).map_err(Error::Randomness)?;
    let binary = BinaryHeader { salt, ..header.binary.clone() };
    let copy = binary::encode(&binary, place, &header.metadata.to_json())?;
    let offset = match place {
        Place::First => 0,
        Place::Second => binary.header_size,
    };
    file.write(&copy, offset).map_err(Error::io_at(path, "write a header of", offset))?;
    file.barrier().map_err(Error::io(path, "flush a header of"))
}

pub(super) fn read_up_to(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
