//! The plaintext of a container, at any offset.
//!
//! Whole sectors are encrypted where they lie, many with one call of the cipher. A sector that is written in part is
//! read, decrypted, changed and written again; while that goes on, nobody else reads or writes, since a cipher that
//! mixes whole sectors would give others the mixture of two versions.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use crate::error::{Error, Result};
use crate::file::{self, Access, Locked};
use crate::integrity::Place;
use crate::segment::{Content, SectorKey, Segment};
use crate::storage;

/// Bytes that are read or written and then processed at once: they stay in a core's own cache in between.
const BLOCK: usize = 256 << 10;

const LONGEST_SECTOR: usize = 4096;

/// The data of a container. Several threads may read and write at the same time; where their writes overlap, either
/// may win, as on any disk.
pub struct Volume {
    file: Locked,
    path: PathBuf,
    pieces: Vec<Piece>,
    size: u64,
    access: Access,
    /// Held shared by everyone but who changes a part of a sector.
    whole_sectors: RwLock<()>,
}

impl fmt::Debug for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Volume({}, {} bytes, {:?})", self.path.display(), self.size, self.access)
    }
}

struct Piece {
    start: u64,
    segment: Segment,
}

impl Volume {
    /// Segments of a file that is open and locked, one after the other.
    pub(crate) fn new(file: Locked, path: PathBuf, segments: Vec<Segment>, access: Access) -> Self {
        let mut size = 0;
        let pieces = segments.into_iter().map(|segment| {
            let start = size;
            size += segment.size;
            Piece { start, segment }
        });
        let pieces = pieces.collect();
        Volume { file, path, pieces, size, access, whole_sectors: RwLock::new(()) }
    }

    /// A file without a header, as `cryptsetup open --type plain` maps it, from a byte offset to its last whole
    /// sector.
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::Attached`], [`Error::Truncated`], [`Error::Io`]
    pub fn open_plain(path: &Path, access: Access, offset: u64, key: SectorKey) -> Result<Self> {
        let file = file::open(path, access)?;
        let sector = key.sector_size() as u64;
        let found = file::size(&file, path)?;
        let needed = offset.saturating_add(sector);
        if found < needed {
            return Err(Error::Truncated { path: path.to_owned(), found, needed, header_only: false });
        }
        let size = (found - offset) - (found - offset) % sector;
        Ok(Self::new(
            file,
            path.to_owned(),
            vec![Segment { size, content: Content::Encrypted { offset, key } }],
            access,
        ))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it lies on the same storage as something else.
    pub(crate) fn lies_on(&self, other: &Metadata) -> Result<bool> {
        let own = self.file.metadata().map_err(Error::io(&self.path, "inspect"))?;
        Ok(storage::shared_by(&own, other))
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it was opened for writing.
    pub fn is_writable(&self) -> bool {
        self.access == Access::Write
    }

    /// The longest sector of its segments, in bytes: requests that keep to multiples of it are the cheapest.
    pub fn sector_size(&self) -> usize {
        self.pieces.iter().filter_map(|piece| piece.segment.content.sector_size()).max().unwrap_or(512)
    }

    /// Reads and decrypts; `data` is overwritten.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Io`], [`Error::Cipher`]; `data` may be anything then.
    pub fn read_at(&self, data: &mut [u8], offset: u64) -> Result<()> {
        self.in_range(data.len() as u64, offset)?;
        let _shared = self.whole_sectors.read().unwrap_or_else(PoisonError::into_inner);
        self.each_part(data, offset, |part, data| match part {
            Part::Plain { at } => self.pread(data, at),
            Part::Whole { sector, content } => self.read_sectors(content, sector, data),
            Part::Within { sector, skip, content, size } => {
                let mut whole = [0; LONGEST_SECTOR];
                let whole = whole.get_mut(..size).unwrap_or_default();
                self.read_sectors(content, sector, whole)?;
                let from = whole.get(skip..).unwrap_or_default();
                data.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                Ok(())
            }
        })
    }

    /// Encrypts and writes. On return the operating system has it; [`flush`](Self::flush) makes it durable.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::OutOfRange`], [`Error::Io`], [`Error::Cipher`]; a part may be written then.
    pub fn write_at(&self, data: &[u8], offset: u64) -> Result<()> {
        self.in_range(data.len() as u64, offset)?;
        let mut block = vec![0; data.len().min(BLOCK)];
        // Blocks end at multiples of their size, so that none but the first and the last cut a sector.
        let mut offset = offset;
        let mut data = data;
        while !data.is_empty() {
            let to_boundary = BLOCK - usize::try_from(offset % BLOCK as u64).unwrap_or(0);
            let (now, rest) = data.split_at(to_boundary.min(data.len()));
            let copy = block.get_mut(..now.len()).unwrap_or_default();
            copy.copy_from_slice(now);
            self.write_in_place(copy, offset)?;
            offset += now.len() as u64;
            data = rest;
        }
        Ok(())
    }

    /// The same without a copy: afterwards `data` is anything, mostly the ciphertext.
    ///
    /// # Errors
    /// As [`write_at`](Self::write_at).
    pub fn write_in_place(&self, data: &mut [u8], offset: u64) -> Result<()> {
        if !self.is_writable() {
            return Err(Error::ReadOnly);
        }
        self.in_range(data.len() as u64, offset)?;
        self.each_part(data, offset, |part, data| {
            if let Part::Within { sector, skip, content, size } = part {
                let _exclusive = self.whole_sectors.write().unwrap_or_else(PoisonError::into_inner);
                let mut whole = [0; LONGEST_SECTOR];
                let whole = whole.get_mut(..size).unwrap_or_default();
                self.read_sectors(content, sector, whole)?;
                let to = whole.get_mut(skip..).unwrap_or_default();
                to.iter_mut().zip(&*data).for_each(|(to, from)| *to = *from);
                return self.write_sectors(content, sector, whole);
            }
            let _shared = self.whole_sectors.read().unwrap_or_else(PoisonError::into_inner);
            match part {
                Part::Plain { at } => self.pwrite(data, at),
                Part::Whole { sector, content } => self.write_sectors(content, sector, data),
                Part::Within { .. } => Ok(()),
            }
        })
    }

    /// Writes encrypted zeros. A hole in the file would not read as zeros.
    ///
    /// # Errors
    /// As [`write_at`](Self::write_at).
    pub fn write_zeros(&self, mut offset: u64, mut length: u64) -> Result<()> {
        self.in_range(length, offset)?;
        let mut block = vec![0; BLOCK];
        while length > 0 {
            let to_boundary = BLOCK as u64 - offset % BLOCK as u64;
            let now = to_boundary.min(length);
            let zeros = block.get_mut(..usize::try_from(now).unwrap_or(0)).unwrap_or_default();
            zeros.fill(0);
            self.write_in_place(zeros, offset)?;
            offset += now;
            length -= now;
        }
        Ok(())
    }

    /// Gives up what is in a range: of the file or device, whole sectors become holes, which read as noise. Who reads the
    /// storage sees then where they are. What cannot have holes stays as it is, and what has tags too, for a hole has none.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::OutOfRange`], [`Error::Io`].
    pub fn discard(&self, offset: u64, length: u64) -> Result<()> {
        if !self.is_writable() {
            return Err(Error::ReadOnly);
        }
        self.in_range(length, offset)?;
        let _exclusive = self.whole_sectors.write().unwrap_or_else(PoisonError::into_inner);
        let end = offset + length;
        for Piece { start, segment } in &self.pieces {
            let (base, size) = match &segment.content {
                Content::Plain { offset } => (*offset, 1),
                Content::Encrypted { offset, key } => (*offset, key.sector_size() as u64),
                Content::Authenticated(_) => continue,
            };
            let first = offset.max(*start) - start;
            let last = end.min(start + segment.size).saturating_sub(*start);
            let (first, last) = (first.next_multiple_of(size), last - last % size);
            if first >= last {
                continue;
            }
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            match fallocate(&*self.file, flags, base + first, last - first) {
                Ok(()) | Err(Errno::OPNOTSUPP) => {}
                Err(error) => {
                    return Err(Error::io_at(&self.path, "punch a hole in", base + first)(error.into()));
                }
            }
        }
        Ok(())
    }

    /// Makes durable all that was written before (`fdatasync`).
    ///
    /// # Errors
    /// [`Error::Io`]; what was written since the last success may be lost then.
    pub fn flush(&self) -> Result<()> {
        self.hand_over()?;
        self.file.sync_data().map_err(Error::io(&self.path, "flush the data of"))
    }

    /// Writes what is held back of sectors with tags, since these go through a journal. What is only read may have some too,
    /// which a journal had, and leaves it there.
    fn hand_over(&self) -> Result<()> {
        for piece in self.pieces.iter().filter(|_| self.is_writable()) {
            if let Content::Authenticated(sealed) = &piece.segment.content {
                sealed.flush(self.place())?;
            }
        }
        Ok(())
    }

    fn in_range(&self, length: u64, offset: u64) -> Result<()> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::OutOfRange { offset, length, size: self.size }),
        }
    }

    /// Cuts the bytes at the borders of segments, of sectors that are not whole, and of blocks.
    fn each_part<'v>(
        &'v self,
        mut data: &mut [u8],
        mut offset: u64,
        mut process: impl FnMut(Part<'v>, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let first = self.pieces.partition_point(|piece| piece.start + piece.segment.size <= offset);
        for Piece { start, segment } in self.pieces.iter().skip(first) {
            while !data.is_empty() && offset < start + segment.size {
                let within = offset - start;
                let left = usize::try_from(segment.size - within).unwrap_or(usize::MAX).min(data.len());
                let (part, length) = Part::next(segment, within, left.min(BLOCK));
                let (now, rest) = data.split_at_mut(length);
                process(part, now)?;
                offset += length as u64;
                data = rest;
            }
        }
        Ok(())
    }

    fn place(&self) -> Place<'_> {
        Place { store: &*self.file, path: &self.path }
    }

    /// Whole sectors of a piece, the first of which has this number in it.
    fn read_sectors(&self, content: &Content, sector: u64, data: &mut [u8]) -> Result<()> {
        match content {
            Content::Plain { offset } => self.pread(data, offset + sector),
            Content::Encrypted { offset, key } => {
                self.pread(data, offset + sector * key.sector_size() as u64)?;
                key.decrypt(sector, data)
            }
            Content::Authenticated(sealed) => sealed.read(self.place(), sector, data),
        }
    }

    fn write_sectors(&self, content: &Content, sector: u64, data: &mut [u8]) -> Result<()> {
        match content {
            Content::Plain { offset } => self.pwrite(data, offset + sector),
            Content::Encrypted { offset, key } => {
                key.encrypt(sector, data)?;
                self.pwrite(data, offset + sector * key.sector_size() as u64)
            }
            Content::Authenticated(sealed) => sealed.write(self.place(), sector, data),
        }
    }

    fn pread(&self, data: &mut [u8], at: u64) -> Result<()> {
        self.file.read_exact_at(data, at).map_err(Error::io_at(&self.path, "read", at))
    }

    fn pwrite(&self, data: &[u8], at: u64) -> Result<()> {
        self.file.write_all_at(data, at).map_err(Error::io_at(&self.path, "write", at))
    }
}

/// What is held back is written as it would be without tags. Nobody can be told of an error any more, who does not `flush`.
impl Drop for Volume {
    fn drop(&mut self) {
        let _ = self.hand_over();
    }
}

/// Bytes that are processed in one way.
#[derive(Clone, Copy)]
enum Part<'v> {
    /// Not encrypted; `at` is where they begin in the file.
    Plain { at: u64 },
    /// Whole sectors, the first of which has this number in its piece.
    Whole { sector: u64, content: &'v Content },
    /// Some bytes of one sector of `size`, behind `skip` others.
    Within { sector: u64, skip: usize, content: &'v Content, size: usize },
}

impl<'v> Part<'v> {
    /// The part that begins `within` bytes into a segment, and how many of `left` bytes it has.
    fn next(segment: &'v Segment, within: u64, left: usize) -> (Self, usize) {
        let content = &segment.content;
        let size = match content {
            Content::Plain { offset } => return (Part::Plain { at: offset + within }, left),
            Content::Encrypted { key, .. } => key.sector_size(),
            Content::Authenticated(sealed) => sealed.sector_size(),
        };
        let sector = within / size as u64;
        let skip = usize::try_from(within % size as u64).unwrap_or(0);
        if skip == 0 && left >= size {
            return (Part::Whole { sector, content }, left - left % size);
        }
        (Part::Within { sector, skip, content, size }, left.min(size - skip))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    /// Linux gives `EIO` for memory that is not there (proc(5)), as a disk does for a sector that cannot be read.
    #[test]
    fn a_medium_that_fails_is_named_with_the_place_and_the_remedy() {
        let file = Locked::from(File::open("/proc/self/mem").unwrap());
        let segment = Segment { size: 1 << 20, content: Content::Plain { offset: 512 } };
        let volume = Volume::new(file, "container".into(), vec![segment], Access::Read);
        let error = volume.read_at(&mut [0; 512], 1024).unwrap_err();
        assert!(matches!(error, Error::Medium { offset: Some(1536), .. }), "{error:?}");
        let told = error.to_string();
        for words in ["container at", " 1536: ", "Input/output error", "dmesg", "ddrescue"] {
            assert!(told.contains(words), "{told}");
        }
    }
}
