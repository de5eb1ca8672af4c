//! Packs are written (gitformat-pack(5), "pack-*.pack files have the following format").

use std::io::{self, Write};

use libdeflater::Crc;

use super::index_write::IndexEntry;
use crate::trailer::Trailer;
use crate::{ObjectId, ObjectType};

/// The number of delta entries whose base stands before them in the same pack.
const OFS_DELTA: u8 = 6;

/// Writes a pack entry by entry.
pub struct PackWriter<W> {
    out: W,
    trailer: Trailer,
    offset: u64,
    declared: u32,
    entries: Vec<IndexEntry>,
    header: Vec<u8>,
}

/// A pack that is complete.
pub struct Packed<W> {
    /// Where it was written.
    pub out: W,
    /// The checksum at its end.
    pub trailer: ObjectId,
    /// What its index is made of.
    pub entries: Vec<IndexEntry>,
    /// Its length in bytes.
    pub len: u64,
}

impl<W: Write> PackWriter<W> {
    /// Begins a pack of `objects` entries; `id_len` decides which function its checksum is of.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, objects: u32, id_len: usize) -> io::Result<PackWriter<W>> {
        let mut pack = PackWriter {
            out,
            trailer: Trailer::new(id_len),
            offset: 0,
            declared: objects,
            entries: Vec::with_capacity(objects as usize),
            header: Vec::new(),
        };
        for field in [*b"PACK", 2_u32.to_be_bytes(), objects.to_be_bytes()] {
            pack.write(&field)?;
        }
        Ok(pack)
    }

    /// Writes an object with its content and returns its offset. `size` is that of the content, `deflated` a zlib stream
    /// of it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn object(&mut self, id: ObjectId, kind: ObjectType, size: u64, deflated: &[u8]) -> io::Result<u64> {
        self.header.clear();
        entry_header(kind.pack_number(), size, &mut self.header);
        self.entry(id, deflated)
    }

    /// Writes an object as a delta on the one at `base`. `size` is that of the instructions.
    ///
    /// # Errors
    /// Those of `out`; [`io::ErrorKind::InvalidInput`] if the base does not come before.
    pub fn delta(&mut self, id: ObjectId, base: u64, size: u64, deflated: &[u8]) -> io::Result<u64> {
        let distance = self.offset.checked_sub(base).filter(|&distance| distance > 0).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the base of a delta does not come before it")
        })?;
        self.header.clear();
        entry_header(OFS_DELTA, size, &mut self.header);
        base_distance(distance, &mut self.header);
        self.entry(id, deflated)
    }

    /// Ends the pack.
    ///
    /// # Errors
    /// Those of `out`; [`io::ErrorKind::InvalidInput`] if there are fewer or more entries than were announced.
    pub fn finish(mut self) -> io::Result<Packed<W>> {
        if self.entries.len() != self.declared as usize {
            let message = format!("{} objects were announced, {} written", self.declared, self.entries.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let trailer = self.trailer.finish().ok_or(io::ErrorKind::InvalidInput)?;
        self.out.write_all(trailer.as_bytes())?;
        self.out.flush()?;
        let len = self.offset + trailer.as_bytes().len() as u64;
        Ok(Packed { out: self.out, trailer, entries: self.entries, len })
    }

    fn entry(&mut self, id: ObjectId, deflated: &[u8]) -> io::Result<u64> {
        let offset = self.offset;
        let header = std::mem::take(&mut self.header);
        let mut crc = Crc::new();
        for part in [&header, deflated] {
            crc.update(part);
            self.write(part)?;
        }
        self.header = header;
        self.entries.push(IndexEntry { id, offset, crc: crc.sum() });
        Ok(offset)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.trailer.update(bytes);
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

/// The type and the inflated size: 4 bits of the size beside the type, then 7 in each byte, low ones first.
fn entry_header(kind: u8, size: u64, header: &mut Vec<u8>) {
    let mut byte = kind << 4 | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest != 0 {
        header.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    header.push(byte);
}

/// How far before an entry its base begins: 7 bits in each byte, high ones first, every continuation adding one.
fn base_distance(distance: u64, header: &mut Vec<u8>) {
    let mut bytes = [0; 10];
    let mut first = bytes.len() - 1;
    let mut rest = distance;
    bytes[first] = (rest & 0x7f) as u8;
    rest >>= 7;
    while rest != 0 {
        rest -= 1;
        first -= 1;
        bytes[first] = 0x80 | (rest & 0x7f) as u8;
        rest >>= 7;
    }
    header.extend_from_slice(&bytes[first..]);
}

#[cfg(test)]
mod tests {
    use super::{base_distance, entry_header};
    use crate::pack::entry::{Header, Kind};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_are_read_as_they_were_written(size in any::<u64>().prop_map(|bits| bits >> (bits % 60)), distance in 1_u64..1 << 40) {
            let mut header = Vec::new();
            entry_header(6, size >> 1, &mut header);
            base_distance(distance, &mut header);
            let read = Header::parse(&header, distance + 12, 32).expect("it is well formed");
            prop_assert_eq!(read.inflated_size, size >> 1);
            prop_assert_eq!(read.len, header.len());
            prop_assert_eq!(read.kind, Kind::OffsetDelta(12));
        }
    }
}
