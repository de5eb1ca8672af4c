//! The binary header: 4096 bytes before each copy of the metadata.
//!
//! The layout is that of the LUKS2 On-Disk Format Specification 1.1.0, section 2.1, big-endian:
//!
//! | at | bytes | |
//! |---|---|---|
//! | 0 | 6 | magic, `LUKS\xba\xbe` for the first copy and `SKUL\xba\xbe` for the second |
//! | 6 | 2 | version, 2 |
//! | 8 | 8 | size of this copy, binary header and JSON area together |
//! | 16 | 8 | sequence number, which grows with every change |
//! | 24 | 48 | label |
//! | 72 | 32 | hash function of the checksum |
//! | 104 | 64 | salt, different in the two copies |
//! | 168 | 40 | UUID |
//! | 208 | 48 | subsystem |
//! | 256 | 8 | offset of this copy in the file |
//! | 448 | 64 | checksum of the whole copy with this field zeroed |

use fieldtest_cpu::constant_time_eq;

use crate::error::{Error, Result};
use crate::hash::Hash;

/// Bytes of a binary header.
pub const LENGTH: usize = 4096;

/// Bytes for a label or a subsystem, of which the last is zero.
pub(crate) const LABEL: usize = 48;

/// The sizes that a copy can have, which are also the offsets where the second copy can be (section 2.2).
pub const SIZES: [u64; 9] =
    [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000];

const CHECKSUM: std::ops::Range<usize> = 448..512;

/// Which of the two copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At the beginning of the file.
    First,
    /// Behind the first.
    Second,
}

impl Place {
    fn magic(self) -> &'static [u8; 6] {
        match self {
            Place::First => b"LUKS\xba\xbe",
            Place::Second => b"SKUL\xba\xbe",
        }
    }
}

/// What a binary header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryHeader {
    /// Bytes of one copy, one of [`SIZES`].
    pub header_size: u64,
    /// Grows with every change; the copy with the higher one is the newer.
    pub sequence: u64,
    /// At most 47 bytes, mostly UTF-8.
    pub label: Vec<u8>,
    /// Of the checksum.
    pub checksum: Hash,
    /// Makes the two copies' bytes different.
    pub salt: [u8; 64],
    /// In its textual form.
    pub uuid: Vec<u8>,
    /// At most 47 bytes, mostly UTF-8.
    pub subsystem: Vec<u8>,
}

/// What the first bytes of a file say it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Luks(u16),
    /// No magic.
    Other,
}

/// Looks at the magic and the version only.
pub(crate) fn kind(bytes: &[u8], place: Place) -> Kind {
    match (bytes.get(..6), field::<2>(bytes, 6)) {
        (Some(magic), Some(version)) if magic == place.magic() => Kind::Luks(u16::from_be_bytes(version)),
        _ => Kind::Other,
    }
}

/// The size of a copy, if it is one that the format allows.
pub(crate) fn size(bytes: &[u8]) -> std::result::Result<u64, String> {
    let size = u64::from_be_bytes(field(bytes, 8).ok_or("it is cut off")?);
    if !SIZES.contains(&size) {
        return Err(format!("it claims a size of {size} bytes, which the format does not allow"));
    }
    Ok(size)
}

/// Reads a whole copy: the binary header and the JSON behind it, up to its first zero byte.
///
/// `offset` is where the copy was found. Nothing is believed before the checksum is verified.
pub(crate) fn decode(
    copy: &[u8],
    place: Place,
    offset: u64,
) -> std::result::Result<(BinaryHeader, &[u8]), String> {
    let cut_off = || "it is cut off".to_owned();
    match kind(copy, place) {
        Kind::Luks(2) => {}
        Kind::Luks(version) => return Err(format!("its version is {version}")),
        Kind::Other => return Err("its magic bytes are missing".to_owned()),
    }
    let header_size = size(copy)?;
    if copy.len() as u64 != header_size {
        return Err(format!("it is cut off after {} of {header_size} bytes", copy.len()));
    }
    let name = text(copy, 72, 32)?;
    let name = String::from_utf8_lossy(&name);
    // Capitals are for the names in the JSON alone: cryptsetup refuses them here.
    let checksum = Hash::from_name(&name)
        .ok()
        .filter(|hash| hash.name() == name)
        .ok_or_else(|| format!("its checksum algorithm '{name}' is not supported"))?;
    let stored = copy.get(CHECKSUM).ok_or_else(cut_off)?;
    let (before, after) = copy.get(..CHECKSUM.start).zip(copy.get(CHECKSUM.end..)).ok_or_else(cut_off)?;
    let zeroed = [0; 64];
    let same = checksum.digest(&[before, &zeroed, after], |digest| {
        stored.get(..digest.len()).is_some_and(|stored| constant_time_eq(stored, digest))
    });
    if !same {
        return Err("its checksum is wrong".to_owned());
    }
    let claimed = u64::from_be_bytes(field(copy, 256).ok_or_else(cut_off)?);
    if claimed != offset {
        return Err(format!("it claims to be at byte {claimed}, but it is at byte {offset}"));
    }
    let header = BinaryHeader {
        header_size,
        sequence: u64::from_be_bytes(field(copy, 16).ok_or_else(cut_off)?),
        label: text(copy, 24, LABEL)?,
        checksum,
        salt: field(copy, 104).ok_or_else(cut_off)?,
        uuid: text(copy, 168, 40)?,
        subsystem: text(copy, 208, LABEL)?,
    };
    let area = copy.get(LENGTH..).ok_or_else(cut_off)?;
    let end = area.iter().position(|&byte| byte == 0).ok_or("its JSON area has no end")?;
    let (json, rest) = area.split_at(end);
    if rest.iter().any(|&byte| byte != 0) {
        return Err("there is data after the JSON".to_owned());
    }
    Ok((header, json))
}

/// Writes a whole copy for its place.
///
/// # Errors
/// [`Error::Parameters`] if a text is longer than its field, [`Error::Metadata`] if the JSON does not fit.
pub(crate) fn encode(header: &BinaryHeader, place: Place, json: &[u8]) -> Result<Vec<u8>> {
    let size = usize::try_from(header.header_size).unwrap_or(usize::MAX);
    // At least one zero byte ends the JSON.
    if json.len() + LENGTH >= size {
        return Err(Error::Metadata(format!(
            "its JSON of {} bytes does not fit into the {} bytes of the header; remove a keyslot or \
             a token, or make a container with a larger header",
            json.len(),
            size.saturating_sub(LENGTH + 1)
        )));
    }
    let offset = match place {
        Place::First => 0,
        Place::Second => header.header_size,
    };
    let mut copy = Vec::with_capacity(size);
    copy.extend_from_slice(place.magic());
    copy.extend_from_slice(&2_u16.to_be_bytes());
    copy.extend_from_slice(&header.header_size.to_be_bytes());
    copy.extend_from_slice(&header.sequence.to_be_bytes());
    put(&mut copy, "label", &header.label, LABEL)?;
    put(&mut copy, "checksum", header.checksum.name().as_bytes(), 32)?;
    copy.extend_from_slice(&header.salt);
    put(&mut copy, "UUID", &header.uuid, 40)?;
    put(&mut copy, "subsystem", &header.subsystem, LABEL)?;
    copy.extend_from_slice(&offset.to_be_bytes());
    copy.resize(LENGTH, 0);
    copy.extend_from_slice(json);
    copy.resize(size, 0);
    let digest = header.checksum.digest(&[&copy], <[u8]>::to_vec);
    copy.iter_mut().skip(CHECKSUM.start).zip(digest).for_each(|(to, from)| *to = from);
    Ok(copy)
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// A text up to its first zero byte; one that fills its field loses its last byte, as it does in cryptsetup.
pub(super) fn text(bytes: &[u8], at: usize, length: usize) -> std::result::Result<Vec<u8>, String> {
    let field = bytes.get(at..at + length - 1).ok_or("it is cut off")?;
    Ok(field.iter().copied().take_while(|&byte| byte != 0).collect())
}

pub(super) fn put(copy: &mut Vec<u8>, name: &str, text: &[u8], length: usize) -> Result<()> {
    if text.len() >= length || text.contains(&0) {
        return Err(Error::Parameters(format!(
            "the {name} has {} bytes, but the header has space for {} without a zero byte",
            text.len(),
            length - 1
        )));
    }
    let end = copy.len() + length;
    copy.extend_from_slice(text);
    copy.resize(end, 0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> BinaryHeader {
        BinaryHeader {
            header_size: 0x4000,
            sequence: 7,
            label: "label".into(),
            checksum: Hash::Sha256,
            salt: [9; 64],
            uuid: "11111111-2222-4333-8444-555555555555".into(),
            subsystem: vec![0xff],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for (place, offset) in [(Place::First, 0), (Place::Second, 0x4000)] {
            let copy = encode(&sample(), place, b"{}").unwrap();
            assert_eq!(copy.len(), 0x4000);
            assert_eq!(decode(&copy, place, offset), Ok((sample(), &b"{}"[..])));
            assert!(decode(&copy, place, offset + 4096).unwrap_err().contains("claims to be"));
        }
    }

    #[test]
    fn texts_and_json_must_fit() {
        let long = BinaryHeader { label: vec![b'x'; 48], ..sample() };
        assert!(encode(&long, Place::First, b"{}").is_err());
        assert!(encode(&sample(), Place::First, &[b' '; 0x3000]).is_err());
        assert!(encode(&sample(), Place::First, &[b' '; 0x2fff]).is_ok());
    }

    proptest! {
        #[test]
        fn a_changed_byte_is_noticed(at in 0..0x4000_usize, change in 1..=255_u8) {
            let mut copy = encode(&sample(), Place::First, b"{}").unwrap();
            copy[at] ^= change;
            // Behind the 32 bytes of the digest the checksum's field is not used.
            prop_assert_eq!(decode(&copy, Place::First, 0).is_ok(), (480..512).contains(&at));
        }

        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..600), luks in any::<bool>()) {
            let mut bytes = bytes;
            if luks {
                let head = b"LUKS\xba\xbe\0\x02\0\0\0\0\0\0\x40\0";
                bytes.splice(..head.len().min(bytes.len()), head.iter().copied());
                bytes.resize(0x4000, 0);
            }
            let _ = decode(&bytes, Place::First, 0);
            let _ = size(&bytes);
        }
    }
}
