//! Indexes of packs are written in version 2 (gitformat-pack(5), "Version 2 pack-*.idx files").

use std::io::{self, Write};

use crate::ObjectId;
use crate::trailer::Trailer;

/// What an index says of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its name.
    pub id: ObjectId,
    /// Where its entry begins in the pack.
    pub offset: u64,
    /// CRC-32 of the entry as it lies in the pack.
    pub crc: u32,
}

/// Offsets from here on stand in a table of their own.
const LARGE: u64 = 1 << 31;

/// Writes the index of a pack, given its entries in any order and the checksum at its end. Returns its length in bytes.
///
/// # Errors
/// Those of `out`.
pub fn write_index(
    entries: &mut [IndexEntry],
    pack_trailer: &ObjectId,
    mut out: impl Write,
) -> io::Result<u64> {
    entries.sort_unstable_by_key(|entry| entry.id);
    let mut index = Vec::with_capacity(8 + 1024 + entries.len() * (pack_trailer.as_bytes().len() + 8));
    index.extend_from_slice(b"\xfftOc");
    index.extend_from_slice(&2_u32.to_be_bytes());
    let mut up_to = 0;
    for first_byte in 0..=u8::MAX {
        up_to += entries
            .get(up_to..)
            .unwrap_or_default()
            .partition_point(|entry| entry.id.as_bytes().first().is_some_and(|&byte| byte <= first_byte));
        index.extend_from_slice(&(up_to as u32).to_be_bytes());
    }
    for entry in entries.iter() {
        index.extend_from_slice(entry.id.as_bytes());
    }
    for entry in entries.iter() {
        index.extend_from_slice(&entry.crc.to_be_bytes());
    }
    let mut large = Vec::new();
    for entry in entries.iter() {
        let offset = if entry.offset < LARGE {
            entry.offset
        } else {
            large.push(entry.offset);
            LARGE | (large.len() as u64 - 1)
        };
        index.extend_from_slice(&(offset as u32).to_be_bytes());
    }
    for offset in large {
        index.extend_from_slice(&offset.to_be_bytes());
    }
    index.extend_from_slice(pack_trailer.as_bytes());
    let mut checksum = Trailer::new(pack_trailer.as_bytes().len());
    checksum.update(&index);
    index.extend(checksum.finish().iter().flat_map(|checksum| checksum.as_bytes()));
    out.write_all(&index)?;
    out.flush()?;
    Ok(index.len() as u64)
}
