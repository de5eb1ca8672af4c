//! Hashed names on their way from the range that they are in to the range that their NSEC3 record stands in.
//!
//! A file of hashes has, for each range that records may stand in, where its entries end (eight octets, counted from behind
//! these), and then the entries by ascending hash: the hash, the bitmap's length in two octets, the bitmap. Numbers are
//! big endian. Owners of NSEC3 records have the order of their hashes, so the entries of a range stand together.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{SignError, Signer};
use crate::ReadError;
use crate::denial::nsec3::{self, HASH};
use crate::name;
use crate::ranges::{Part, cannot_read};

/// The longest bitmap: 256 windows of 34 octets (RFC 4034, section 4.1.2).
const LONGEST_BITMAP: usize = 256 * 34;

/// The NSEC3 records that stand in one range.
#[derive(Debug, Default)]
pub struct Links {
    entries: Vec<Entry>,
    bitmaps: Vec<u8>,
    /// The hash of the first record behind the range.
    behind: [u8; HASH],
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: [u8; HASH],
    /// Where the bitmap stands.
    at: u32,
    len: u16,
}

/// Writes the hashes of the names of one range, for all the ranges that their NSEC3 records stand in. With NSEC there are
/// none.
///
/// # Errors
///
/// [`SignError::Write`].
pub fn write_hashes(
    signer: &Signer<'_>,
    part: &Part,
    ranges: usize,
    out: &mut impl Write,
) -> Result<(), SignError> {
    let mut links = Links::default();
    signer.for_each_hash(|hash, bitmap| links.push(*hash, bitmap));
    links.sort();
    let apex = part.zone().apex().as_wire();
    let (mut wire, mut key) = (Vec::new(), Vec::new());
    let mut ends = vec![0u64; ranges];
    for entry in &links.entries {
        wire.clear();
        key.clear();
        nsec3::push_owner(&entry.hash, apex, &mut wire);
        name::push_order_key(&wire, &mut key);
        ends[part.bounds().range_of(&key)] += (HASH + 2 + usize::from(entry.len)) as u64;
    }
    let mut end = 0;
    for own in ends {
        end += own;
        out.write_all(&end.to_be_bytes())?;
    }
    for (at, entry) in links.entries.iter().enumerate() {
        out.write_all(&entry.hash)?;
        out.write_all(&entry.len.to_be_bytes())?;
        out.write_all(links.bitmap(at))?;
    }
    Ok(out.flush()?)
}

impl Links {
    /// Collects what stands in the range `at` from the files of hashes of all ranges.
    ///
    /// # Errors
    ///
    /// Files that cannot be read; [`SignError::HashTwice`].
    pub fn gather(files: &[PathBuf], at: usize) -> Result<Links, SignError> {
        let mut sources =
            files.iter().map(|path| Source::open(path, files.len())).collect::<Result<Vec<_>, _>>()?;
        let mut links = Links::default();
        for source in &mut sources {
            source.read(at, |hash, bitmap| links.push(hash, bitmap))?;
        }
        links.sort();
        if let Some(pair) = links.entries.windows(2).find(|pair| pair[0].hash == pair[1].hash) {
            return Err(SignError::HashTwice(nsec3::shown(&pair[0].hash)));
        }
        // The chain is a circle: behind the last range comes the first.
        for range in (at + 1..files.len()).chain(0..=at) {
            let firsts = sources.iter_mut().map(|source| source.first(range));
            let firsts = firsts.collect::<Result<Vec<_>, _>>()?;
            if let Some(first) = firsts.into_iter().flatten().min() {
                links.behind = first;
                break;
            }
        }
        Ok(links)
    }

    fn push(&mut self, hash: [u8; HASH], bitmap: &[u8]) {
        // A range has far fewer than 2³² octets of bitmaps, as its names are in memory.
        self.entries.push(Entry { hash, at: self.bitmaps.len() as u32, len: bitmap.len() as u16 });
        self.bitmaps.extend_from_slice(bitmap);
    }

    fn sort(&mut self) {
        self.entries.par_sort_unstable_by_key(|entry| entry.hash);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn hash(&self, at: usize) -> &[u8; HASH] {
        &self.entries[at].hash
    }

    /// The hash of the record behind this one.
    pub(crate) fn next(&self, at: usize) -> &[u8; HASH] {
        self.entries.get(at + 1).map_or(&self.behind, |next| &next.hash)
    }

    pub(crate) fn bitmap(&self, at: usize) -> &[u8] {
        let Entry { at, len, .. } = self.entries[at];
        &self.bitmaps[at as usize..][..usize::from(len)]
    }
}

/// A file of hashes.
struct Source<'p> {
    path: &'p Path,
    file: BufReader<File>,
    ends: Vec<u64>,
}

impl<'p> Source<'p> {
    fn open(path: &'p Path, ranges: usize) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(|source| cannot_read(path, source))?;
        let mut source = Source { path, file: BufReader::with_capacity(1 << 16, file), ends: Vec::new() };
        let mut end = [0; 8];
        for _ in 0..ranges {
            source.fill(&mut end)?;
            source.ends.push(u64::from_be_bytes(end));
        }
        Ok(source)
    }

    /// Where the entries of a range are.
    fn range(&self, at: usize) -> Range<u64> {
        at.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[at]
    }

    fn seek(&mut self, at: u64) -> Result<(), ReadError> {
        let at = SeekFrom::Start(8 * self.ends.len() as u64 + at);
        self.file.seek(at).map(|_| ()).map_err(|source| cannot_read(self.path, source))
    }

    fn read(&mut self, at: usize, mut take: impl FnMut([u8; HASH], &[u8])) -> Result<(), ReadError> {
        let Range { start: mut at, end } = self.range(at);
        self.seek(at)?;
        let (mut hash, mut len, mut bitmap) = ([0; HASH], [0; 2], Vec::new());
        while at < end {
            self.fill(&mut hash)?;
            self.fill(&mut len)?;
            let len = usize::from(u16::from_be_bytes(len));
            if len > LONGEST_BITMAP {
                return Err(self.damaged(at));
            }
            bitmap.resize(len, 0);
            self.fill(&mut bitmap)?;
            take(hash, &bitmap);
            at += (HASH + 2 + len) as u64;
        }
        Ok(())
    }

    /// The first hash of a range, if it has any.
    fn first(&mut self, range: usize) -> Result<Option<[u8; HASH]>, ReadError> {
        let range = self.range(range);
        if range.is_empty() {
            return Ok(None);
        }
        self.seek(range.start)?;
        let mut hash = [0; HASH];
        self.fill(&mut hash)?;
        Ok(Some(hash))
    }

    fn fill(&mut self, octets: &mut [u8]) -> Result<(), ReadError> {
        self.file.read_exact(octets).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(0),
            _ => cannot_read(self.path, error),
        })
    }

    fn damaged(&self, at: u64) -> ReadError {
        let what = "the file of hashes is damaged; remove it, and have it made again".to_owned();
        ReadError::Raw { path: self.path.to_path_buf(), at, what }
    }
}
