//! Files of chunks: a table of contents at the beginning, a checksum at the end (gitformat-chunk(5)).

use std::ops::Range;

/// A chunk's name.
pub(super) type Name = [u8; 4];

/// The chunks of a file.
pub(super) struct Chunks<'b> {
    bytes: &'b [u8],
    found: Vec<(Name, Range<usize>)>,
}

/// At which byte what is wrong.
pub(super) type Fault = (usize, String);

impl<'b> Chunks<'b> {
    /// Reads the table of contents that begins at `begin` and has so many lines, and one more at its end. Behind the chunks
    /// lies a checksum of `id_len` bytes.
    pub(super) fn read(
        bytes: &'b [u8],
        begin: usize,
        count: usize,
        id_len: usize,
    ) -> Result<Chunks<'b>, Fault> {
        const LINE: usize = 12;
        let data_end = bytes.len().saturating_sub(id_len);
        let mut data_begin = begin + LINE * (count + 1);
        let mut found: Vec<(Name, Range<usize>)> = Vec::with_capacity(count);
        for nth in 0..=count {
            let at = begin + LINE * nth;
            let line = bytes.get(at..at + LINE).filter(|_| at + LINE <= data_end);
            let cut_off = || (bytes.len(), "the table of chunks is cut off".to_owned());
            let (name, offset) = line.and_then(|line| line.split_first_chunk::<4>()).ok_or_else(cut_off)?;
            let offset = offset.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)).ok_or_else(cut_off)?;
            let offset =
                usize::try_from(offset).ok().filter(|offset| (data_begin..=data_end).contains(offset));
            let offset = offset.ok_or_else(|| (at, format!("chunk {nth} does not lie within the file")))?;
            if let Some((_, last)) = found.last_mut() {
                last.end = offset;
            }
            data_begin = offset;
            match (nth == count, *name == [0; 4]) {
                (true, true) => {}
                (false, false) if found.iter().all(|(known, _)| known != name) => {
                    found.push((*name, offset..offset));
                }
                (false, false) => return Err((at, "a chunk is there twice".to_owned())),
                _ => return Err((at, "the table of chunks does not end where it has to".to_owned())),
            }
        }
        Ok(Chunks { bytes, found })
    }

    /// The contents of a chunk, and where it begins in the file.
    pub(super) fn find(&self, name: &Name) -> Option<(&'b [u8], usize)> {
        let (_, range) = self.found.iter().find(|(found, _)| found == name)?;
        Some((self.bytes.get(range.clone())?, range.start))
    }

    /// The contents of a chunk that has to be there and so long.
    pub(super) fn sized(&self, name: &Name, len: usize) -> Result<(&'b [u8], usize), Fault> {
        let word = String::from_utf8_lossy(name);
        let (chunk, begin) = self.find(name).ok_or_else(|| (0, format!("the chunk {word} is missing")))?;
        match chunk.len() == len {
            true => Ok((chunk, begin)),
            false => Err((begin, format!("the chunk {word} has {} bytes and not {len}", chunk.len()))),
        }
    }
}

/// Names in order with a fan-out before them, as indexes have them.
pub(super) struct Names<'b> {
    ids: &'b [u8],
    id_len: usize,
}

impl<'b> Names<'b> {
    /// Reads both chunks. What contradicts itself is passed to `wrong`.
    pub(super) fn read(
        chunks: &Chunks<'b>,
        id_len: usize,
        wrong: &mut dyn FnMut(usize, String),
    ) -> Result<Names<'b>, Fault> {
        let (fan_out, begin) = chunks.sized(b"OIDF", 4 * 256)?;
        let count = word(fan_out, 255).unwrap_or(0) as usize;
        let (ids, ids_begin) = chunks.sized(b"OIDL", count * id_len)?;
        let names = Names { ids, id_len };
        let mut firsts = [0_u32; 256];
        let mut before: &[u8] = &[];
        for (at, id) in ids.chunks_exact(id_len).enumerate() {
            if id <= before {
                wrong(ids_begin + at * id_len, format!("ID {at} is not in order"));
            }
            before = id;
            if let Some(first) = id.first().and_then(|first| firsts.get_mut(usize::from(*first))) {
                *first += 1;
            }
        }
        let mut sum = 0;
        for (at, first) in firsts.into_iter().enumerate() {
            sum += first;
            if word(fan_out, at) != Some(sum) {
                wrong(begin + 4 * at, format!("the number of IDs up to {at:02x} is not {sum}"));
            }
        }
        Ok(names)
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len() / self.id_len
    }

    pub(super) fn get(&self, at: usize) -> Option<&'b [u8]> {
        self.ids.get(at * self.id_len..(at + 1) * self.id_len)
    }
}

/// The `at`-th number of 4 bytes.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(4 * at..)?.first_chunk()?))
}

/// The `at`-th number of 8 bytes.
pub(super) fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(*bytes.get(8 * at..)?.first_chunk()?))
}
