//! The first half of an external sort: records in any order become sorted runs of bounded size.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::mem;
use std::path::{Path, PathBuf};

use super::cannot_write;
use crate::ReadError;
use crate::denial::nsec3::OPT_OUT;
use crate::format::{Records, raw};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::{ZoneBuilder, ZoneError};

/// Takes records and writes a run whenever enough of them are in memory.
pub(super) struct Sorter<'p> {
    folder: &'p Path,
    /// Octets of records that may be in memory.
    room: usize,
    /// The zone's file, for errors.
    path: &'p Path,
    pending: ZoneBuilder,
    failure: Option<ReadError>,
    sorted: Sorted,
}

/// What was sorted.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) runs: Vec<PathBuf>,
    /// Octets of all runs.
    pub(super) octets: u64,
    pub(super) apex: Option<Name>,
    /// An NSEC3 record with the opt-out flag, in raw format, if the zone has any.
    pub(super) opt_out: Vec<u8>,
    /// Files that the zone's file includes.
    pub(super) included: BTreeSet<PathBuf>,
}

impl<'p> Sorter<'p> {
    pub(super) fn new(folder: &'p Path, room: usize, path: &'p Path) -> Self {
        let (pending, sorted) = (ZoneBuilder::new(), Sorted::default());
        Sorter { folder, room, path, pending, failure: None, sorted }
    }

    /// Writes the last run.
    pub(super) fn finish(mut self) -> Result<Sorted, ReadError> {
        if self.pending.used() > 0 {
            self.write_run()?;
        }
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.sorted),
        }
    }

    fn write_run(&mut self) -> Result<(), ReadError> {
        let path = self.folder.join(format!("run-{}", self.sorted.runs.len()));
        let written = File::create_new(&path).and_then(|file| self.write_records(file));
        self.sorted.octets += written.map_err(|source| cannot_write(&path, source))?;
        self.sorted.runs.push(path);
        Ok(())
    }

    fn write_records(&mut self, file: File) -> io::Result<u64> {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        let mut encoded = Vec::new();
        raw::push_header(0, &mut encoded);
        let mut octets = 0;
        self.pending.drain(|owner, rtype, ttl, rdata| {
            push_record(owner, rtype, ttl, rdata, &mut encoded);
            octets += encoded.len() as u64;
            out.write_all(&encoded)?;
            encoded.clear();
            Ok(())
        })?;
        // A zone without a record has a header all the same.
        out.write_all(&encoded)?;
        out.flush()?;
        Ok(octets)
    }

    /// A zone has one SOA record; where it is, is the apex.
    fn note_apex(&mut self, owner: &Name) {
        match self.sorted.apex {
            Some(apex) if apex != *owner => {
                let source = ZoneError::SecondSoa(Box::new((*owner).max(apex)));
                self.failure = Some(ReadError::Zone { path: self.path.to_path_buf(), source });
            }
            _ => self.sorted.apex = Some(*owner),
        }
    }
}

impl Records for Sorter<'_> {
    fn include(&mut self, path: &Path) {
        self.sorted.included.insert(path.to_owned());
    }

    fn add(&mut self, owner: &Name, rtype: Rtype, ttl: u32, rdata: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        match rtype {
            Rtype::SOA => self.note_apex(owner),
            Rtype::NSEC3
                if self.sorted.opt_out.is_empty()
                    && rdata.get(1).is_some_and(|flags| flags & OPT_OUT != 0) =>
            {
                push_record(owner.as_wire(), rtype, ttl, rdata, &mut self.sorted.opt_out);
            }
            _ => {}
        }
        self.pending.push_checked(owner, rtype, ttl, rdata);
        if self.pending.used() >= self.room {
            self.failure = self.write_run().err();
        }
    }

    fn failure(&mut self) -> Option<ReadError> {
        mem::take(&mut self.failure)
    }
}

/// Appends a record in raw format.
fn push_record(owner: &[u8], rtype: Rtype, ttl: u32, rdata: &[u8], out: &mut Vec<u8>) {
    raw::push_rrset(owner, ttl, rtype, covered(rtype, rdata), std::iter::once(rdata), out);
}

/// What the raw format says apart of signatures.
pub(super) fn covered(rtype: Rtype, rdata: &[u8]) -> u16 {
    match (rtype, rdata) {
        (Rtype::RRSIG | Rtype::SIG, [high, low, ..]) => u16::from_be_bytes([*high, *low]),
        _ => 0,
    }
}
