//! Files that are stored without their holes, in the forms of GNU tar ("Storing Sparse Files" in its manual), which
//! bsdtar writes and reads too: a header of type `S` with a map in it and in blocks after it; PAX records with the
//! map (versions 0.0 and 0.1); PAX records, and the map before the data (version 1.0). What is signed is the content with
//! its holes as zeros, since that is what the file has when it is unpacked.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use super::block::{BLOCK, Block, number};
use super::data::Data;

/// The longest file that is put together: what ext4 takes with blocks of 4 KiB. A map of a hundred bytes may claim more
/// zeros than anybody can hash.
const LONGEST_FILE: u64 = 1 << 44;
/// The longest map before the data.
const LONGEST_MAP: usize = 16 << 20;
/// Zeros that are passed on at once.
const ZEROS: &[u8] = &[0; 1 << 16];

/// Where the stored data belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Map {
    /// Bytes of the file.
    pub size: u64,
    /// Bytes before the data that are the map itself.
    pub skipped: u64,
    /// Offset and length of each piece of data, ascending.
    pieces: Vec<(u64, u64)>,
}

/// What PAX records say.
#[derive(Debug, Default)]
pub(super) struct Records {
    version: [Option<u64>; 2],
    size: Option<u64>,
    numbers: Vec<u64>,
    damaged: bool,
    pub any: bool,
}

impl Records {
    /// Takes a record whose key begins with `GNU.sparse.`; this is what follows.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.any = true;
        let one = decimal(value);
        match key {
            b"major" => self.version[0] = one,
            b"minor" => self.version[1] = one,
            b"size" | b"realsize" => self.size = one,
            // Version 0.0 repeats these two for each piece.
            b"offset" | b"numbytes" => self.numbers.extend(one),
            b"map" => self.numbers.extend(value.split(|byte| *byte == b',').filter_map(decimal)),
            _ => return,
        }
        self.damaged |= one.is_none() && key != b"map";
    }

    /// The map, for which version 1.0 needs the data.
    pub(super) fn map(self, data: &mut Data) -> io::Result<Option<Map>> {
        let Some(size) = self.size.filter(|_| !self.damaged) else { return Ok(None) };
        let map = match self.version {
            [None, None] | [Some(0), _] => Map::new(size, 0, &self.numbers),
            [Some(1), Some(0)] => match before_data(data)? {
                Some((skipped, numbers)) => Map::new(size, skipped, &numbers),
                None => None,
            },
            _ => None,
        };
        Ok(map.filter(|map| map.is_of(data.length())))
    }
}

impl Map {
    /// From a header of type `S` and the blocks after it (`struct sparse_header` and `struct sp_array`).
    pub(super) fn of_headers(header: &Block, maps: &[u8], data: u64) -> Option<Map> {
        let size = number(header.0.get(483..495)?)?;
        let mut numbers = Vec::new();
        let in_header = header.0.get(386..482)?.chunks_exact(24);
        let behind = maps.chunks_exact(BLOCK).flat_map(|block| block.chunks_exact(24));
        for piece in in_header.chain(behind) {
            let (offset, length) = piece.split_at_checked(12)?;
            // The last one is followed by empty ones.
            if length.first() == Some(&0) {
                break;
            }
            numbers.extend([number(offset)?, number(length)?]);
        }
        Map::new(size, 0, &numbers).filter(|map| map.is_of(data))
    }

    /// Of offsets and lengths in turn; nothing if they contradict each other. The last piece ends where the file does, an empty
    /// one if there is a hole before: of a map without that, GNU tar makes a shorter file than its records say, and bsdtar does
    /// not.
    fn new(size: u64, skipped: u64, numbers: &[u64]) -> Option<Map> {
        let (pairs, rest) = numbers.as_chunks::<2>();
        let pieces: Vec<(u64, u64)> = pairs.iter().map(|[offset, length]| (*offset, *length)).collect();
        let mut end = 0;
        for (offset, length) in &pieces {
            if *offset < end {
                return None;
            }
            end = offset.checked_add(*length)?;
        }
        (rest.is_empty() && end == size && size <= LONGEST_FILE).then_some(Map { size, skipped, pieces })
    }

    /// Whether it is of so many bytes of data.
    fn is_of(&self, data: u64) -> bool {
        self.pieces.iter().map(|(_, length)| length).sum::<u64>() + self.skipped == data
    }

    /// Passes the whole file on, with zeros in its holes.
    pub(super) fn expand(
        &self,
        data: &mut Data,
        buffer: &mut [u8],
        interrupted: &AtomicBool,
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = 0;
        let mut pieces = self.pieces.iter().copied().filter(|(_, length)| *length > 0);
        let mut piece = pieces.next();
        let mut skip = self.skipped;
        data.for_each(buffer, |mut bytes| {
            let skipped = skip.min(bytes.len() as u64);
            skip -= skipped;
            bytes = bytes.get(skipped as usize..).unwrap_or_default();
            while let (false, Some((offset, length))) = (bytes.is_empty(), piece) {
                zeros(offset.saturating_sub(at), interrupted, &mut each)?;
                at = at.max(offset);
                let left = offset + length - at;
                let (own, rest) = bytes.split_at(left.min(bytes.len() as u64) as usize);
                each(own)?;
                at += own.len() as u64;
                if at == offset + length {
                    piece = pieces.next();
                }
                bytes = rest;
            }
            Ok(())
        })?;
        zeros(self.size.saturating_sub(at), interrupted, &mut each)
    }
}

fn zeros(
    mut count: u64,
    interrupted: &AtomicBool,
    each: &mut impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    while count > 0 {
        let piece = ZEROS.get(..count.min(ZEROS.len() as u64) as usize).unwrap_or(ZEROS);
        each(piece)?;
        count -= piece.len() as u64;
        // Not `Interrupted`, which readers take as a request to go on.
        if interrupted.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Other.into());
        }
    }
    Ok(())
}

/// The map of version 1.0: numbers on lines of their own, how many pieces there are being the first, and zeros up to a
/// whole block.
fn before_data(data: &mut Data) -> io::Result<Option<(u64, Vec<u64>)>> {
    // Few maps are longer than this.
    for most in [1 << 16, LONGEST_MAP] {
        let start = data.start(most)?;
        let mut lines = start.split_inclusive(|byte| *byte == b'\n');
        let mut used = 0;
        let mut line = || {
            let line = lines.next()?;
            used += line.len();
            line.strip_suffix(b"\n").map(decimal)
        };
        let mut numbers = Vec::new();
        let complete = match line() {
            None => false,
            Some(None) => return Ok(None),
            Some(Some(pieces)) => loop {
                if numbers.len() as u64 == pieces.saturating_mul(2) {
                    break true;
                }
                match line() {
                    None => break false,
                    Some(None) => return Ok(None),
                    Some(Some(number)) => numbers.push(number),
                }
            },
        };
        if complete {
            return Ok(Some((used.next_multiple_of(BLOCK) as u64, numbers)));
        }
    }
    Ok(None)
}

fn decimal(text: &[u8]) -> Option<u64> {
    text.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(map: &Map, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut data = Data::Memory(data.to_vec());
        map.expand(&mut data, &mut [0; 16], &AtomicBool::new(false), |bytes| {
            out.extend(bytes);
            Ok(())
        })
        .unwrap();
        out
    }

    #[test]
    fn pieces_come_where_they_belong() {
        let map = Map::new(12, 0, &[2, 3, 8, 1, 12, 0]).unwrap();
        assert!(map.is_of(4) && !map.is_of(5));
        assert_eq!(expanded(&map, b"abcd"), b"\0\0abc\0\0\0d\0\0\0");
        assert_eq!(expanded(&Map::new(3, 0, &[3, 0]).unwrap(), b""), b"\0\0\0");
        assert_eq!(expanded(&Map::new(0, 0, &[0, 0]).unwrap(), b""), b"");
    }

    #[test]
    fn the_map_before_the_data() {
        let mut bytes = b"3\n0\n3\n5\n1\n7\n0\n".to_vec();
        bytes.resize(BLOCK, 0);
        bytes.extend(b"abcd");
        let mut records = Records::default();
        for (key, value) in
            [(&b"major"[..], &b"1"[..]), (b"minor", b"0"), (b"realsize", b"7"), (b"name", b"x")]
        {
            records.add(key, value);
        }
        let map = records.map(&mut Data::Memory(bytes.clone())).unwrap().unwrap();
        assert_eq!(expanded(&map, &bytes), b"abc\0\0d\0");
    }

    #[test]
    fn maps_that_contradict_themselves() {
        for (size, numbers) in [
            (10, &[5, 3, 4, 1][..]),
            (10, &[5, 6]),
            (10, &[1]),
            (10, &[]),
            (10, &[0, 2]),
            (10, &[0, 2, 9, 0]),
            (u64::MAX, &[]),
            (10, &[u64::MAX, 2]),
            (LONGEST_FILE + 1, &[0, 1]),
        ] {
            assert_eq!(Map::new(size, 0, numbers), None, "{size} {numbers:?}");
        }
        for text in ["", "x\n", "1\n0\n", "99999999999999999999\n", "2\n0\n1\n-1\n5\n"] {
            let mut records = Records::default();
            records.add(b"major", b"1");
            records.add(b"minor", b"0");
            records.add(b"realsize", b"7");
            let map = records.map(&mut Data::Memory(text.as_bytes().to_vec())).unwrap();
            assert_eq!(map, None, "{text}");
        }
    }
}
