//! The second half of an external sort: sorted runs become owners in canonical order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::BufReader;
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::cannot_read;
use super::sort::covered;
use crate::ReadError;
use crate::format::{Records, raw};
use crate::name::{self, Name};
use crate::rtype::Rtype;
use crate::zone::ZoneBuilder;

/// Octets that are read of a run at once.
const BUFFER: usize = 1 << 17;

/// Runs, and the owner that each of them has next.
pub(super) struct Merge<'p> {
    runs: Vec<Run<'p>>,
    /// The order key of each run's next owner. Of equal ones the first run comes first, so that the records of an owner
    /// come in the order of the zone's file.
    next: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

struct Run<'p> {
    rrsets: raw::Rrsets<'p, BufReader<File>>,
    ahead: Group,
}

/// Records of one owner.
pub(super) struct Group {
    pub(super) owner: Name,
    /// The owner's order key.
    pub(super) key: Vec<u8>,
    records: Vec<(Rtype, u32, Range<usize>)>,
    rdata: Vec<u8>,
}

impl<'p> Merge<'p> {
    pub(super) fn new(runs: &'p [PathBuf]) -> Result<Self, ReadError> {
        let mut merge = Merge { runs: Vec::new(), next: BinaryHeap::new() };
        for (at, path) in runs.iter().enumerate() {
            let file = File::open(path).map_err(|source| cannot_read(path, source))?;
            let rrsets = raw::Rrsets::new(BufReader::with_capacity(BUFFER, file), path)?;
            merge.runs.push(Run { rrsets, ahead: Group::new() });
            merge.advance(at)?;
        }
        Ok(merge)
    }

    /// All records of the next owner; says whether there is one.
    pub(super) fn next_owner(&mut self, group: &mut Group) -> Result<bool, ReadError> {
        group.clear();
        let Some(Reverse((key, at))) = self.next.pop() else { return Ok(false) };
        group.owner = self.runs[at].ahead.owner;
        group.key = key;
        let mut at = at;
        loop {
            group.append(&mut self.runs[at].ahead);
            self.advance(at)?;
            match self.next.peek() {
                Some(Reverse((key, other))) if *key == group.key => at = *other,
                _ => return Ok(true),
            }
            self.next.pop();
        }
    }

    fn advance(&mut self, at: usize) -> Result<(), ReadError> {
        let Run { rrsets, ahead } = &mut self.runs[at];
        ahead.clear();
        if rrsets.next(ahead)? {
            self.next.push(Reverse((mem::take(&mut ahead.key), at)));
        }
        Ok(())
    }
}

impl Group {
    pub(super) fn new() -> Group {
        Group { owner: Name::ROOT, key: Vec::new(), records: Vec::new(), rdata: Vec::new() }
    }

    fn clear(&mut self) {
        self.key.clear();
        self.records.clear();
        self.rdata.clear();
    }

    fn append(&mut self, other: &mut Group) {
        let before = self.rdata.len();
        self.rdata.append(&mut other.rdata);
        let moved = |range: Range<usize>| before + range.start..before + range.end;
        self.records.extend(other.records.drain(..).map(|(rtype, ttl, range)| (rtype, ttl, moved(range))));
    }

    /// The types that the owner has, some of them more than once.
    pub(super) fn types(&self) -> impl Iterator<Item = Rtype> {
        self.records.iter().map(|(rtype, ..)| *rtype)
    }

    pub(super) fn has(&self, rtype: Rtype) -> bool {
        self.types().any(|other| other == rtype)
    }

    /// Octets that the records had in their runs, where each stands by itself.
    pub(super) fn octets(&self) -> u64 {
        let around = raw::RRSET_HEADER + 2 + self.owner.as_wire().len() + 2;
        (self.records.len() * around + self.rdata.len()) as u64
    }

    /// Octets of memory that the owner takes in a [`Part`](super::Part).
    pub(super) fn room(&self) -> u64 {
        let name = self.owner.as_wire().len() + self.key.len();
        ZoneBuilder::room(name, self.records.len(), self.rdata.len()) as u64
    }

    /// Appends all records in raw format, neighbours of one type, TTL and covered type together.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let rdata = |range: &Range<usize>| &self.rdata[range.clone()];
        let sort =
            |(rtype, ttl, range): &(Rtype, u32, Range<usize>)| (*rtype, *ttl, covered(*rtype, rdata(range)));
        for alike in self.records.chunk_by(|a, b| sort(a) == sort(b)) {
            let (rtype, ttl, covered) = sort(&alike[0]);
            let all = alike.iter().map(|(_, _, range)| rdata(range));
            raw::push_rrset(self.owner.as_wire(), ttl, rtype, covered, all, out);
        }
    }
}

impl Records for Group {
    fn add(&mut self, owner: &Name, rtype: Rtype, ttl: u32, rdata: &[u8]) {
        if self.records.is_empty() {
            self.owner = *owner;
            name::push_order_key(owner.as_wire(), &mut self.key);
        }
        let start = self.rdata.len();
        self.rdata.extend_from_slice(rdata);
        self.records.push((rtype, ttl, start..self.rdata.len()));
    }
}

/// Removes files that are not needed any more.
pub(super) fn remove(runs: &[PathBuf]) -> Result<(), ReadError> {
    let gone = |path: &Path| std::fs::remove_file(path).map_err(|source| super::cannot_write(path, source));
    runs.iter().try_for_each(|path| gone(path))
}
