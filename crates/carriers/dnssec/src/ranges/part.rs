//! One range of a zone, in memory.

use std::fs;
use std::ops::Range;
use std::path::Path;

use data_encoding::HEXLOWER;

use super::{apex_file, around_file, bounds_file, cannot_read, range_file, room_file};
use crate::ReadError;
use crate::zone::{Zone, ZoneBuilder};

/// A range of a zone, as [`split`](super::split()) left it.
#[derive(Debug)]
pub struct Part {
    /// The range's own records and those around it.
    zone: Zone,
    own: Range<usize>,
    bounds: Bounds,
}

/// Where ranges begin.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// The order key that each range but the first begins with; empty ranges at the end have none.
    keys: Vec<Vec<u8>>,
}

impl Part {
    /// Reads one range from the folder of all of them, the first being 0.
    ///
    /// # Errors
    ///
    /// As [`load`](crate::load).
    pub fn load(folder: &Path, at: usize) -> Result<Part, ReadError> {
        let files = [apex_file(folder), around_file(folder, at), range_file(folder, at)];
        let bounds = Bounds::read(folder)?;
        let zone = load(&files.each_ref().map(|path| &**path))?;
        let find = |key: Option<&[u8]>| match key {
            Some(key) => zone.position(key),
            None => zone.owner_count(),
        };
        let own = find(bounds.begin(at))..find(bounds.begin(at + 1));
        Ok(Part { zone, own, bounds })
    }

    /// The apex alone, with none of the names that are signed.
    ///
    /// # Errors
    ///
    /// As [`load`](crate::load).
    pub fn apex(folder: &Path) -> Result<Part, ReadError> {
        let zone = load(&[&apex_file(folder)])?;
        Ok(Part { zone, own: 0..0, bounds: Bounds::read(folder)? })
    }

    /// About how many octets of memory a range takes while it is read and signed.
    ///
    /// # Errors
    ///
    /// The file system refuses; the folder is no zone's.
    pub fn room(folder: &Path, at: usize) -> Result<u64, ReadError> {
        let path = room_file(folder);
        let text = fs::read_to_string(&path).map_err(|source| cannot_read(&path, source))?;
        let room = text.lines().nth(at).and_then(|line| line.parse().ok());
        let what = "this is not how much memory a range takes; is the file cut off?".to_owned();
        room.ok_or(ReadError::Syntax { path, line: at as u64 + 1, what })
    }

    /// The range with the names around it.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The positions of the range's own names in [`zone`](Self::zone).
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }
}

impl Bounds {
    fn read(folder: &Path) -> Result<Bounds, ReadError> {
        let path = bounds_file(folder);
        let text = fs::read(&path).map_err(|source| cannot_read(&path, source))?;
        let lines = text.split_inclusive(|octet| *octet == b'\n').enumerate();
        let keys = lines.map(|(at, line)| {
            let key = line.strip_suffix(b"\n").and_then(|line| HEXLOWER.decode(line).ok());
            let what = "this is no bound of a range; is the file cut off?".to_owned();
            key.ok_or_else(|| ReadError::Syntax { path: path.clone(), line: at as u64 + 1, what })
        });
        Ok(Bounds { keys: keys.collect::<Result<_, _>>()? })
    }

    /// The order key that a range begins with; `None` behind the last name.
    fn begin(&self, at: usize) -> Option<&[u8]> {
        match at.checked_sub(1) {
            None => Some(&[]),
            Some(at) => self.keys.get(at).map(Vec::as_slice),
        }
    }

    /// The range that a name of this order key stands in.
    pub(crate) fn range_of(&self, key: &[u8]) -> usize {
        self.keys.partition_point(|begin| begin.as_slice() <= key)
    }
}

fn load(files: &[&Path]) -> Result<Zone, ReadError> {
    let mut builder = ZoneBuilder::new();
    for path in files {
        crate::load_into(path, None, &mut builder)?;
    }
    let path = files.last().copied().unwrap_or(Path::new(""));
    builder.finish().map_err(|source| ReadError::Zone { path: path.to_path_buf(), source })
}
