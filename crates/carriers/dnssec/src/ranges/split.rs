//! A zone file becomes ranges of owners, each in a file of its own.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use super::merge::{self, Group, Merge};
use super::sort::{Sorted, Sorter};
use super::{apex_file, around_file, bounds_file, cannot_write, range_file, room_file};
use crate::ReadError;
use crate::denial::survives_signing;
use crate::format::raw;
use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::{Cuts, Role, ZoneError};

/// How a zone is cut.
#[derive(Debug, Clone, Copy)]
pub struct Split<'p> {
    /// A folder for the ranges, which must be there and be empty.
    pub folder: &'p Path,
    /// How many ranges, one at least; the last ones are empty where the zone has fewer names.
    pub ranges: usize,
    /// Octets of memory that sorting may take, about.
    pub memory: usize,
}

/// Of the memory for sorting, the share that may be full of records: vectors double as they grow, and sorting takes room too.
const SHARE: usize = 4;

/// Sorts a zone in either form and cuts it into ranges of about the same size. `path` names the source in errors, and
/// `$INCLUDE` starts from there. Returns the files that were included.
///
/// # Errors
///
/// As [`read`](crate::read), but for what only a look at a whole range can tell; files that cannot be written.
pub fn split(
    source: impl Read,
    path: &Path,
    origin: Option<Name>,
    into: Split<'_>,
) -> Result<BTreeSet<PathBuf>, ReadError> {
    let mut sorter = Sorter::new(into.folder, into.memory / SHARE, path);
    crate::read_records(source, path, origin, &mut sorter)?;
    let Sorted { runs, octets, apex, opt_out, included } = sorter.finish()?;
    let apex = apex.ok_or_else(|| ReadError::Zone { path: path.to_path_buf(), source: ZoneError::NoSoa })?;
    let mut merge = Merge::new(&runs)?;
    let mut ranges = Ranges::new(into, apex, octets, opt_out);
    let mut group = Group::new();
    while merge.next_owner(&mut group)? {
        ranges.push(&group)?;
    }
    ranges.finish()?;
    merge::remove(&runs)?;
    Ok(included)
}

/// Ranges as they are written.
struct Ranges<'p> {
    into: Split<'p>,
    apex: Name,
    cuts: Cuts,
    /// Octets of all runs, and those of them that are written.
    octets: u64,
    done: u64,
    out: Option<BufWriter<File>>,
    /// The order key that each range but the first begins with.
    bounds: Vec<Vec<u8>>,
    /// Octets of memory that each range takes.
    room: Vec<u64>,
    /// What is around each range so far.
    around: Vec<Vec<u8>>,
    /// Ranges that have ended, and behind which no name of a chain has come yet.
    unfollowed: Vec<usize>,
    /// Names with all their records: the latest that hides others, the latest of a chain, the latest of one that leaves
    /// insecure delegations out.
    cut: Vec<u8>,
    before: Vec<u8>,
    before_opt_out: Vec<u8>,
    /// Records that go with every range.
    everywhere: Vec<u8>,
    encoded: Vec<u8>,
}

impl<'p> Ranges<'p> {
    fn new(into: Split<'p>, apex: Name, octets: u64, opt_out: Vec<u8>) -> Self {
        Ranges {
            into,
            apex,
            cuts: Cuts::new(&apex),
            octets,
            done: 0,
            out: None,
            bounds: Vec::new(),
            room: vec![0],
            around: vec![Vec::new()],
            unfollowed: Vec::new(),
            cut: Vec::new(),
            before: Vec::new(),
            before_opt_out: Vec::new(),
            everywhere: opt_out,
            encoded: Vec::new(),
        }
    }

    /// Adds an owner, in canonical order.
    fn push(&mut self, group: &Group) -> Result<(), ReadError> {
        self.encoded.clear();
        group.encode(&mut self.encoded);
        let at = self.bounds.len();
        let ended = self.octets * (at as u64 + 1) / self.into.ranges.max(1) as u64;
        if self.done >= ended && at + 1 < self.into.ranges {
            self.begin(group)?;
        }
        let role = self.cuts.role(&group.key, |rtype| group.has(rtype));
        let delegation = role == Role::Delegation;
        if delegation || (role == Role::Authoritative && group.has(Rtype::DNAME)) {
            self.cut.clone_from(&self.encoded);
        }
        if group.owner == self.apex {
            self.everywhere.extend_from_slice(&self.encoded);
        }
        let chained = delegation || role == Role::Authoritative;
        if chained && group.types().any(survives_signing) {
            for range in self.unfollowed.drain(..) {
                self.around[range].extend_from_slice(&self.encoded);
            }
            self.before.clone_from(&self.encoded);
            if !delegation || group.has(Rtype::DS) {
                self.before_opt_out.clone_from(&self.encoded);
            }
        }
        self.done += group.octets();
        if let Some(room) = self.room.last_mut() {
            *room += group.room();
        }
        self.write()
    }

    /// Ends a range and begins the next one, of which this owner is the first.
    fn begin(&mut self, first: &Group) -> Result<(), ReadError> {
        self.end()?;
        self.unfollowed.push(self.bounds.len());
        self.bounds.push(first.key.clone());
        self.room.push(0);
        let mut around = [&self.before[..], &self.before_opt_out].concat();
        if self.cuts.hides(&first.key) {
            around.extend_from_slice(&self.cut);
        }
        self.around.push(around);
        Ok(())
    }

    fn write(&mut self) -> Result<(), ReadError> {
        let path = range_file(self.into.folder, self.bounds.len());
        let out = match &mut self.out {
            Some(out) => out,
            None => self.out.insert(create(&path)?),
        };
        out.write_all(&self.encoded).map_err(|source| cannot_write(&path, source))?;
        Ok(())
    }

    /// Ends the file of the current range, which may be empty.
    fn end(&mut self) -> Result<(), ReadError> {
        let path = range_file(self.into.folder, self.bounds.len());
        let mut out = match self.out.take() {
            Some(out) => out,
            None => create(&path)?,
        };
        out.flush().map_err(|source| cannot_write(&path, source))
    }

    fn finish(mut self) -> Result<(), ReadError> {
        self.end()?;
        let folder = self.into.folder;
        write(&apex_file(folder), &self.everywhere)?;
        for at in self.around.len()..self.into.ranges {
            write(&range_file(folder, at), &[])?;
        }
        self.around.resize(self.into.ranges, Vec::new());
        for (at, around) in self.around.iter().enumerate() {
            write(&around_file(folder, at), around)?;
        }
        self.room.resize(self.into.ranges, 0);
        lines(&room_file(folder), self.room.iter().map(u64::to_string))?;
        lines(&bounds_file(folder), self.bounds.iter().map(|key| HEXLOWER.encode(key)))
    }
}

fn lines(path: &Path, lines: impl Iterator<Item = String>) -> Result<(), ReadError> {
    let text: String = lines.map(|line| line + "\n").collect();
    std::fs::write(path, text).map_err(|source| cannot_write(path, source))
}

fn create(path: &Path) -> Result<BufWriter<File>, ReadError> {
    let begun = || -> io::Result<BufWriter<File>> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create_new(path)?);
        let mut header = Vec::new();
        raw::push_header(0, &mut header);
        out.write_all(&header)?;
        Ok(out)
    };
    begun().map_err(|source| cannot_write(path, source))
}

fn write(path: &Path, records: &[u8]) -> Result<(), ReadError> {
    let mut out = create(path)?;
    out.write_all(records).and_then(|()| out.flush()).map_err(|source| cannot_write(path, source))
}
