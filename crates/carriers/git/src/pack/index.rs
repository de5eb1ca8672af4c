//! The index of a pack: which object begins where (gitformat-pack(5), “pack-*.idx files have the following format”).

use std::path::Path;

use crate::Error;
use crate::mapped::Mapped;
use crate::trailer::Trailer;

const SIGNATURE: [u8; 4] = *b"\xfftOc";
pub(super) const REMEDY: &str = "remove it and make it again with `git index-pack` of its pack";

/// Entries of the table at the beginning, by the first byte of names.
const FAN_OUT: usize = 256;

/// An index of version 1 or 2.
pub struct Index {
    file: Mapped,
    id_len: usize,
    count: usize,
    layout: Layout,
}

/// Where the tables begin, in bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Offsets of 4 bytes, each before its name.
    One,
    /// Names, checksums, offsets of 4 bytes, and those of 8 bytes that the former refer to.
    Two { checksums: usize, offsets: usize, wide: usize, end: usize },
}

impl Index {
    /// Opens an index and checks that its tables are within the file.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::File`].
    pub fn open(path: &Path, id_len: usize) -> Result<Index, Error> {
        let file = Mapped::open(path)?;
        match parse(file.bytes(), id_len) {
            Ok((count, layout)) => Ok(Index { file, id_len, count, layout }),
            Err((offset, problem)) => {
                Err(Error::File { path: path.to_path_buf(), offset: offset as u64, problem, remedy: REMEDY })
            }
        }
    }

    /// How many objects it names.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it names none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The `at`-th ID in the order of IDs.
    pub fn id(&self, at: usize) -> Option<&[u8]> {
        let begin = match self.layout {
            _ if at >= self.count => return None,
            Layout::One => 4 * FAN_OUT + at * (4 + self.id_len) + 4,
            Layout::Two { .. } => 8 + 4 * FAN_OUT + at * self.id_len,
        };
        self.file.bytes().get(begin..begin + self.id_len)
    }

    /// Where an object begins in the pack, by its ID.
    pub fn find(&self, id: &[u8]) -> Option<u64> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.id(middle)?.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return self.offset(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Where the `at`-th object begins in the pack. None if there is no such object or its offset is not in the file.
    pub fn offset(&self, at: usize) -> Option<u64> {
        let bytes = self.file.bytes();
        match self.layout {
            _ if at >= self.count => None,
            Layout::One => number(bytes, 4 * FAN_OUT + at * (4 + self.id_len)).map(u64::from),
            Layout::Two { offsets, wide, end, .. } => {
                let narrow = number(bytes, offsets + 4 * at)?;
                if narrow & 0x8000_0000 == 0 {
                    return Some(narrow.into());
                }
                let nth = ((narrow & 0x7fff_ffff) as usize).checked_mul(8)?;
                let wide = bytes.get(wide..end)?.get(nth..)?.first_chunk()?;
                Some(u64::from_be_bytes(*wide))
            }
        }
    }

    /// The CRC-32 of the `at`-th object's entry in the pack; none in version 1.
    pub fn checksum(&self, at: usize) -> Option<u32> {
        match self.layout {
            Layout::Two { checksums, .. } if at < self.count => number(self.file.bytes(), checksums + 4 * at),
            _ => None,
        }
    }

    /// The checksum that its pack ends with.
    pub fn pack_trailer(&self) -> &[u8] {
        let bytes = self.file.bytes();
        let end = bytes.len() - self.id_len;
        bytes.get(end - self.id_len..end).unwrap_or_default()
    }

    /// Checks what reading does not depend on: the order of the IDs, the table at the beginning, and the checksum at
    /// the end. All that is wrong is passed to `damaged`.
    pub fn verify(&self, mut damaged: impl FnMut(Error)) {
        let bytes = self.file.bytes();
        let mut wrong = |offset: usize, problem: String| {
            damaged(Error::File {
                path: self.file.path.clone(),
                offset: offset as u64,
                problem,
                remedy: REMEDY,
            });
        };
        let names = (0..self.count).filter_map(|at| Some((at, self.id(at)?)));
        let mut before: &[u8] = &[];
        let mut firsts = [0_u32; FAN_OUT];
        for (at, id) in names {
            if id < before {
                wrong(id.as_ptr().addr() - bytes.as_ptr().addr(), format!("ID {at} is not in order"));
            }
            before = id;
            if let Some(first) = id.first().and_then(|first| firsts.get_mut(usize::from(*first))) {
                *first += 1;
            }
        }
        let begin = if self.layout == Layout::One { 0 } else { 8 };
        let mut sum = 0;
        for (at, first) in firsts.into_iter().enumerate() {
            sum += first;
            let at_byte = begin + 4 * at;
            if number(bytes, at_byte) != Some(sum) {
                wrong(at_byte, format!("the number of IDs up to {at:02x} is not {sum}"));
            }
        }
        let end = bytes.len() - self.id_len;
        let mut trailer = Trailer::new(self.id_len);
        trailer.update(bytes.get(..end).unwrap_or_default());
        if trailer.finish().is_none_or(|sum| Some(sum.as_bytes()) != bytes.get(end..)) {
            wrong(end, "the checksum of the index is wrong".to_owned());
        }
    }
}

fn number(bytes: &[u8], begin: usize) -> Option<u32> {
    let bytes = bytes.get(begin..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}

/// The number of objects and where the tables are, or at which byte what is wrong.
fn parse(bytes: &[u8], id_len: usize) -> Result<(usize, Layout), (usize, String)> {
    let begin = if bytes.starts_with(&SIGNATURE) {
        match number(bytes, 4) {
            Some(2) => 8,
            Some(version) => return Err((4, format!("the version of this index is {version}, not 1 or 2"))),
            None => return Err((bytes.len(), "the index is cut off".to_owned())),
        }
    } else {
        0
    };
    let mut count = 0;
    for at in 0..FAN_OUT {
        let here = begin + 4 * at;
        let next = number(bytes, here).ok_or((bytes.len(), "the index is cut off".to_owned()))?;
        if next < count {
            return Err((here, format!("the number of IDs up to {at:02x} is less than before")));
        }
        count = next;
    }
    let count = count as usize;
    let tables = begin + 4 * FAN_OUT;
    let wrong_size = |wanted: usize| {
        (bytes.len(), format!("the index is {} bytes long and {wanted} for its {count} IDs", bytes.len()))
    };
    if begin == 0 {
        let wanted = tables + count * (4 + id_len) + 2 * id_len;
        return if bytes.len() == wanted { Ok((count, Layout::One)) } else { Err(wrong_size(wanted)) };
    }
    let checksums = tables + count * id_len;
    let offsets = checksums + 4 * count;
    let wide = offsets + 4 * count;
    let least = wide + 2 * id_len;
    match bytes.len().checked_sub(least) {
        Some(rest) if rest % 8 == 0 && rest / 8 <= count => {
            Ok((count, Layout::Two { checksums, offsets, wide, end: wide + rest }))
        }
        _ => Err(wrong_size(least)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open(bytes: &[u8]) -> Result<Index, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pack-x.idx");
        std::fs::write(&path, bytes).unwrap();
        Index::open(&path, 20)
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend([0xaa; 20]);
        let mut trailer = Trailer::new(20);
        trailer.update(&bytes);
        bytes.extend(trailer.finish().unwrap().as_bytes());
        bytes
    }

    /// Two objects: 01…, at byte 12, and 02…, at byte 2^32 + 12.
    fn version_2() -> Vec<u8> {
        let mut bytes = [&SIGNATURE[..], &[0, 0, 0, 2]].concat();
        bytes.extend((0..256_u32).flat_map(|first| first.min(2).to_be_bytes()));
        bytes.extend([[1; 20], [2; 20]].concat());
        bytes.extend([0, 0, 0, 7, 0, 0, 0, 8]);
        bytes.extend([0, 0, 0, 12, 0x80, 0, 0, 0]);
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 12]);
        sealed(bytes)
    }

    fn damages(index: &Index) -> usize {
        let mut count = 0;
        index.verify(|_| count += 1);
        count
    }

    #[test]
    fn version_2_with_an_offset_of_8_bytes() {
        let index = open(&version_2()).unwrap();
        assert_eq!(index.len(), 2);
        assert_eq!(index.id(1), Some(&[2; 20][..]));
        assert_eq!([0, 1, 2].map(|at| index.offset(at)), [Some(12), Some((1 << 32) + 12), None]);
        assert_eq!([0, 1, 2].map(|at| index.checksum(at)), [Some(7), Some(8), None]);
        assert_eq!(index.pack_trailer(), [0xaa; 20]);
        assert_eq!(damages(&index), 0);
    }

    #[test]
    fn version_1() {
        let mut bytes: Vec<u8> = (0..256_u32).flat_map(|first| first.min(2).to_be_bytes()).collect();
        for (id, offset) in [(1, 12), (2, 99)] {
            bytes.extend([0, 0, 0, offset]);
            bytes.extend([id; 20]);
        }
        let index = open(&sealed(bytes)).unwrap();
        assert_eq!([index.offset(0), index.offset(1)], [Some(12), Some(99)]);
        assert_eq!(index.id(1), Some(&[2; 20][..]));
        assert_eq!(index.checksum(0), None);
        assert_eq!(damages(&index), 0);
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let whole = version_2();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            if let Ok(index) = open(&bytes) {
                assert!(damages(&index) > 0, "byte {at}");
            }
        }
        for end in 0..whole.len() {
            match open(&whole[..end]) {
                Ok(index) => assert!(damages(&index) > 0, "cut at {end}"),
                Err(error) => assert!(matches!(error, Error::File { .. }), "cut at {end}: {error}"),
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(changes in prop::collection::vec((0_usize..1200, any::<u8>()), 0..8), cut in 0_usize..1300) {
            let mut bytes = version_2();
            for (at, byte) in changes {
                if let Some(old) = bytes.get_mut(at) { *old = byte }
            }
            bytes.truncate(cut);
            if let Ok(index) = open(&bytes) {
                for at in 0..index.len().min(4) {
                    let _ = (index.id(at), index.offset(at), index.checksum(at), index.pack_trailer());
                }
                damages(&index);
            }
        }
    }
}
