//! Sectors with tags (`cryptsetup luksFormat --integrity`): dm-crypt over dm-integrity, in user space.
//!
//! Every sector that is read is verified. What is written is held back until there is much of it or somebody asks for it to
//! be durable; then it goes to the journal, and when that is on the disk, to where it belongs. Whenever the power fails,
//! a sector has what it had or what was written, with its own tag; what was made durable is there. Tags
//! without a journal would not do: data and tag lie apart, and a sector with one of both is lost.

mod journal;
mod layout;
mod seal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use journal::{Entry, Position};
use layout::{Layout, SUPERBLOCK};
pub use seal::Integrity;
use seal::Seal;
pub(crate) use seal::Sealer;

use crate::error::{Error, Result};
use crate::file::Access;
use crate::store::Store;

/// Bytes that are held back at most, unless the journal is smaller.
const HELD_BACK: usize = 8 << 20;

/// The data of a segment with tags.
pub(crate) struct Authenticated {
    /// Where the superblock lies in the file.
    at: u64,
    layout: Layout,
    seal: Seal,
    state: RwLock<State>,
}

struct State {
    /// What is not where it belongs, by sector.
    pending: BTreeMap<u64, Entry>,
    /// Where the journal's next section goes, or how it has to be made anew.
    next: std::result::Result<Position, u8>,
    /// Whether something was written where it belongs that may not be durable.
    unsynced: bool,
}

/// Where it lies, for errors.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) path: &'a Path,
}

impl Place<'_> {
    fn read(&self, data: &mut [u8], offset: u64) -> Result<()> {
        self.store.read(data, offset).map_err(Error::io_at(self.path, "read", offset))
    }

    fn write(&self, data: &[u8], offset: u64) -> Result<()> {
        self.store.write(data, offset).map_err(Error::io_at(self.path, "write", offset))
    }

    fn barrier(&self) -> Result<()> {
        self.store.barrier().map_err(Error::io(self.path, "flush the data of"))
    }

    fn damaged(&self, reason: String) -> Error {
        Error::Integrity { path: self.path.to_owned(), reason }
    }
}

/// Bytes from the superblock to the end of `data` bytes.
pub(crate) fn space(sector: usize, tag: usize, data: u64) -> Result<u64> {
    let layout = Layout::new(sector, tag, Extent::Data(data)).map_err(Error::Parameters)?;
    layout.end().ok_or_else(|| Error::Parameters(format!("{data} bytes are too many")))
}

/// How much data there is to be, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    Data(u64),
    /// As much as goes into so many bytes with its tags and the journal.
    Within(u64),
}

/// Makes superblock and journal. No sector can be read before it is written.
pub(crate) fn format(place: Place<'_>, at: u64, sector: usize, tag: usize, extent: Extent) -> Result<()> {
    let layout = Layout::new(sector, tag, extent).map_err(Error::Parameters)?;
    journal::clear(place.store, at, &layout, 0).map_err(Error::io(place.path, "write the journal of"))?;
    place.write(&layout.superblock(), at)
}

impl Authenticated {
    /// Reads superblock and journal of a segment that begins at a byte of the file. What the journal has is where it
    /// belongs afterwards if it may be written; else it is read from there.
    ///
    /// # Errors
    /// [`Error::Integrity`], [`Error::Truncated`], [`Error::Io`]
    pub(crate) fn open(
        place: Place<'_>,
        file_size: u64,
        at: u64,
        sector: usize,
        tag: usize,
        seal: Seal,
        access: Access,
    ) -> Result<Self> {
        let truncated = |needed| Error::Truncated {
            path: place.path.to_owned(),
            found: file_size,
            needed,
            header_only: file_size <= at,
        };
        let first = at.saturating_add(SUPERBLOCK as u64);
        if file_size < first {
            return Err(truncated(first));
        }
        let mut bytes = [0; SUPERBLOCK];
        place.read(&mut bytes, at)?;
        let layout = Layout::read(&bytes).map_err(|reason| place.damaged(reason))?;
        if (layout.sector(), layout.tag) != (sector, tag) {
            return Err(place.damaged(format!(
                "its dm-integrity superblock has sectors of {} bytes with tags of {}, but its header has {sector} and {tag}",
                layout.sector(),
                layout.tag
            )));
        }
        match layout.end().and_then(|end| end.checked_add(at)) {
            Some(end) if end <= file_size => {}
            end => return Err(truncated(end.unwrap_or(u64::MAX))),
        }
        let found =
            journal::read(place.store, at, &layout).map_err(Error::io(place.path, "read the journal of"))?;
        let found = found
            .map_err(|reason| place.damaged(format!("the dm-integrity journal is damaged: {reason}")))?;
        let pending = found.entries.into_iter().map(|entry| (entry.sector, entry));
        let state = State { pending: pending.collect(), next: found.next, unsynced: false };
        let opened = Authenticated { at, layout, seal, state: RwLock::new(state) };
        if access == Access::Write {
            opened.replay(place)?;
        }
        Ok(opened)
    }

    /// Brings what the journal has to where it belongs. It stays there until it is written over, and bringing it once
    /// more does no harm.
    fn replay(&self, place: Place<'_>) -> Result<()> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let entries: Vec<Entry> = std::mem::take(&mut state.pending).into_values().collect();
        self.bring(place, &entries)?;
        if state.next.is_err() || !entries.is_empty() {
            place.barrier()?;
        }
        if let Err(turn) = state.next {
            state.next = Ok(self.cleared(place, turn)?);
        }
        Ok(())
    }

    fn cleared(&self, place: Place<'_>, turn: u8) -> Result<Position> {
        let cleared = journal::clear(place.store, self.at, &self.layout, turn);
        cleared.map_err(Error::io(place.path, "write the journal of"))
    }

    fn bring(&self, place: Place<'_>, entries: &[Entry]) -> Result<()> {
        for Entry { sector, data, tag } in entries {
            place.write(data, self.at + self.layout.data_at(*sector))?;
            place.write(tag, self.at + self.layout.tag_at(*sector))?;
        }
        Ok(())
    }

    pub(crate) fn sector_size(&self) -> usize {
        self.layout.sector()
    }

    /// Bytes of data.
    pub(crate) fn size(&self) -> u64 {
        self.layout.size()
    }

    /// Reads whole sectors, each of which is verified.
    ///
    /// # Errors
    /// [`Error::Altered`] for the first sector whose tag is wrong; [`Error::Io`], [`Error::Cipher`]
    pub(crate) fn read(&self, place: Place<'_>, first: u64, data: &mut [u8]) -> Result<()> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let (size, tag) = (self.layout.sector(), self.layout.tag);
        let mut first = first;
        let mut data = data;
        while !data.is_empty() {
            // Sectors and tags of an area each lie one behind the other.
            let left = usize::try_from(self.layout.area() - first % self.layout.area()).unwrap_or(usize::MAX);
            let length = left.saturating_mul(size).min(data.len());
            let (now, rest) = std::mem::take(&mut data).split_at_mut(length);
            let mut tags = vec![0; length / size * tag];
            place.read(now, self.at + self.layout.data_at(first))?;
            place.read(&mut tags, self.at + self.layout.tag_at(first))?;
            for (number, (data, mut tag)) in (first..).zip(now.chunks_mut(size).zip(tags.chunks(tag))) {
                if let Some(newer) = state.pending.get(&number) {
                    data.copy_from_slice(&newer.data);
                    tag = &newer.tag;
                }
                if !self.seal.open(number, data, tag)? {
                    data.fill(0);
                    return Err(Error::Altered {
                        path: place.path.to_owned(),
                        sector: number,
                        offset: number * size as u64,
                        length: size,
                    });
                }
            }
            first += (length / size) as u64;
            data = rest;
        }
        Ok(())
    }

    /// Encrypts whole sectors where they lie and takes them over.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Cipher`], [`Error::Randomness`]; any of them may be written then.
    pub(crate) fn write(&self, place: Place<'_>, first: u64, data: &mut [u8]) -> Result<()> {
        let tags = self.seal.seal(first, data, self.layout.tag)?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for (number, (data, tag)) in (first..).zip(data.chunks(self.layout.sector()).zip(tags)) {
            state.pending.insert(number, Entry { sector: number, data: data.to_vec(), tag });
        }
        let held = state.pending.len();
        let journal = self.layout.sections as usize * self.layout.section_sectors();
        if held >= journal.min(HELD_BACK / self.layout.sector()) {
            self.commit(place, &mut state)?;
        }
        Ok(())
    }

    /// Makes durable all that was taken over.
    ///
    /// # Errors
    /// [`Error::Io`]; what was written since the last success may be lost then.
    pub(crate) fn flush(&self, place: Place<'_>) -> Result<()> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        self.commit(place, &mut state)
    }

    /// What was held back goes to the journal, and from there to where it belongs.
    fn commit(&self, place: Place<'_>, state: &mut State) -> Result<()> {
        while !state.pending.is_empty() {
            let next = match state.next {
                Ok(next) => next,
                Err(turn) => self.cleared(place, turn)?,
            };
            // The sections that are written over may be the only place where something is durable.
            if state.unsynced {
                place.barrier()?;
                state.unsynced = false;
            }
            let room = journal::room(&self.layout, next);
            let behind = state.pending.keys().nth(room).copied();
            let later = behind.map_or_else(BTreeMap::new, |behind| state.pending.split_off(&behind));
            let now = std::mem::replace(&mut state.pending, later);
            let entries: Vec<Entry> = now.into_values().collect();
            let written = journal::write(place.store, self.at, &self.layout, next, &entries)
                .map_err(Error::io(place.path, "write the journal of"))
                .and_then(|next| {
                    state.next = Ok(next);
                    state.unsynced = true;
                    self.bring(place, &entries)
                });
            if let Err(error) = written {
                // They are tried again, and read from here meanwhile. What was written later stays.
                for entry in entries {
                    state.pending.entry(entry.sector).or_insert(entry);
                }
                return Err(error);
            }
        }
        Ok(())
    }
}
