//! Names and NSEC3 records of one range on their way to where the whole chain is seen.
//!
//! A file of either has one entry after another, of chain after chain in the order of the hashes: the chain's number, the hash,
//! a flag (of a name whether it is required, of a record whether it has opt-out), then of a name the name and of a record
//! the next hash, then the bitmap; both behind their lengths in two octets. Numbers are big endian, a chain's has four octets.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::nsec3::{Due, Link};
use crate::ReadError;
use crate::denial::nsec3::HASH;
use crate::ranges::cannot_read;

/// Octets that are read of a file at once.
const BUFFER: usize = 1 << 16;

/// An entry, whatever it is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    hash: [u8; HASH],
    /// Of equal hashes those come first whose flag is set.
    unset: bool,
    first: Vec<u8>,
    second: Vec<u8>,
}

pub(super) fn write_due(chain: usize, due: &Due<'_>, out: &mut impl Write) -> io::Result<()> {
    write(chain, &due.hash, due.required, &due.name, &due.bitmap, out)
}

pub(super) fn write_link(chain: usize, link: &Link<'_>, out: &mut impl Write) -> io::Result<()> {
    write(chain, &link.hash, link.opt_out, &link.next, &link.bitmap, out)
}

fn write(
    chain: usize,
    hash: &[u8; HASH],
    flag: bool,
    first: &[u8],
    second: &[u8],
    out: &mut impl Write,
) -> io::Result<()> {
    // A name has no more than 255 octets, RDATA with a bitmap no more than 65,535; chains are records, of which a zone has
    // fewer than 2³².
    out.write_all(&(chain as u32).to_be_bytes())?;
    out.write_all(hash)?;
    out.write_all(&[u8::from(flag)])?;
    for part in [first, second] {
        out.write_all(&(part.len() as u16).to_be_bytes())?;
        out.write_all(part)?;
    }
    Ok(())
}

/// The records of one chain, of all files in turn: ranges have the order of the hashes.
pub(super) fn links(
    files: &[PathBuf],
    chain: usize,
) -> impl Iterator<Item = Result<Link<'static>, ReadError>> {
    files.iter().flat_map(move |path| Entries::of(path, chain)).map(|entry| {
        let (path, Entry { hash, unset, first, second }) = entry?;
        let next = first.try_into().map_err(|_| damaged(path))?;
        Ok(Link { hash, opt_out: !unset, next, bitmap: Cow::Owned(second) })
    })
}

/// The names of one chain, of all files together, in the order of their hashes. A name that several ranges have, as an empty
/// non-terminal at a seam may be, is there once.
pub(super) fn names(
    files: &[PathBuf],
    chain: usize,
) -> impl Iterator<Item = Result<Due<'static>, ReadError>> {
    let mut sources: Vec<Entries<'_>> = files.iter().map(|path| Entries::of(path, chain)).collect();
    let mut next: BinaryHeap<Reverse<(Entry, usize)>> = BinaryHeap::new();
    let mut begun = false;
    let mut before: Option<Entry> = None;
    std::iter::from_fn(move || {
        let mut advance = |at: usize, next: &mut BinaryHeap<_>| match sources[at].next() {
            Some(Ok((_, entry))) => {
                next.push(Reverse((entry, at)));
                Ok(())
            }
            Some(Err(error)) => Err(error),
            None => Ok(()),
        };
        if !begun {
            begun = true;
            if let Err(error) = (0..files.len()).try_for_each(|at| advance(at, &mut next)) {
                return Some(Err(error));
            }
        }
        loop {
            let Reverse((entry, at)) = next.pop()?;
            if let Err(error) = advance(at, &mut next) {
                return Some(Err(error));
            }
            let is_same = |before: &Entry| (before.hash, &before.first) == (entry.hash, &entry.first);
            if before.as_ref().is_some_and(is_same) {
                continue;
            }
            before = Some(entry.clone());
            let Entry { hash, unset, first, second } = entry;
            return Some(Ok(Due {
                hash,
                required: !unset,
                name: Cow::Owned(first),
                bitmap: Cow::Owned(second),
            }));
        }
    })
}

/// The entries of one chain in one file.
struct Entries<'p> {
    path: &'p Path,
    chain: u32,
    /// `None` before the first entry and behind the last.
    file: Option<BufReader<File>>,
    begun: bool,
}

impl<'p> Entries<'p> {
    fn of(path: &'p Path, chain: usize) -> Entries<'p> {
        Entries { path, chain: chain as u32, file: None, begun: false }
    }

    fn read(&mut self) -> io::Result<Option<Entry>> {
        if !self.begun {
            self.begun = true;
            self.file = Some(BufReader::with_capacity(BUFFER, File::open(self.path)?));
        }
        let Some(file) = &mut self.file else { return Ok(None) };
        loop {
            let mut chain = [0; 4];
            if file.read(&mut chain[..1])? == 0 {
                self.file = None;
                return Ok(None);
            }
            file.read_exact(&mut chain[1..])?;
            let (mut hash, mut flag) = ([0; HASH], [0]);
            file.read_exact(&mut hash)?;
            file.read_exact(&mut flag)?;
            let mut part = || -> io::Result<Vec<u8>> {
                let mut len = [0; 2];
                file.read_exact(&mut len)?;
                let mut part = vec![0; usize::from(u16::from_be_bytes(len))];
                file.read_exact(&mut part)?;
                Ok(part)
            };
            let entry = Entry { hash, unset: flag == [0], first: part()?, second: part()? };
            if u32::from_be_bytes(chain) == self.chain {
                return Ok(Some(entry));
            }
        }
    }
}

impl<'p> Iterator for Entries<'p> {
    type Item = Result<(&'p Path, Entry), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read();
        if read.is_err() {
            self.file = None;
        }
        let read = read.map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => damaged(self.path),
            _ => cannot_read(self.path, source),
        });
        read.transpose().map(|entry| entry.map(|entry| (self.path, entry)))
    }
}

fn damaged(path: &Path) -> ReadError {
    let what = "this is no file of names or records of a chain; is it cut off?".to_owned();
    ReadError::Syntax { path: path.to_owned(), line: 1, what }
}
