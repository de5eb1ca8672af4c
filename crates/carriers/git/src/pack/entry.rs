//! The headers of a pack's entries (gitformat-pack(5), “pack-*.pack files have the following format”).

use crate::{ObjectId, ObjectType, Problem};

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The content itself.
    Whole(ObjectType),
    /// Instructions for the object that begins at this place of the same pack.
    OffsetDelta(u64),
    /// Instructions for an object that is named.
    NameDelta(ObjectId),
}

/// What stands before an entry's deflated bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What follows it.
    pub kind: Kind,
    /// Bytes of what follows, inflated.
    pub inflated_size: u64,
    /// Bytes of the header itself.
    pub len: usize,
}

impl Header {
    /// Reads the header at the beginning of `entry`, which begins at byte `offset` of its pack.
    ///
    /// # Errors
    /// [`Problem::Truncated`], [`Problem::PackType`], [`Problem::Header`], [`Problem::BaseOffset`].
    pub fn parse(entry: &[u8], offset: u64, id_len: usize) -> Result<Header, Problem> {
        let mut rest = entry.iter();
        let mut next = || rest.next().copied().ok_or(Problem::Truncated);
        let first = next()?;
        let mut inflated_size = u64::from(first & 0x0f);
        let mut shift = 4;
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = next()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || (bits << shift) >> shift != bits {
                return Err(Problem::Header("its size has more than 64 bits"));
            }
            inflated_size |= bits << shift;
            shift += 7;
        }
        let kind = match (first >> 4) & 7 {
            number @ 1..=4 => {
                let whole = ObjectType::ALL.into_iter().find(|kind| kind.pack_number() == number);
                Kind::Whole(whole.ok_or(Problem::PackType(number))?)
            }
            6 => {
                let mut byte = next()?;
                let mut distance = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    // Each further byte implies one more, so that no distance can be written in two ways.
                    distance = distance
                        .checked_add(1)
                        .and_then(|distance| distance.checked_mul(128))
                        .ok_or(Problem::Header("the distance to its base has more than 64 bits"))?
                        | u64::from(byte & 0x7f);
                }
                match offset.checked_sub(distance) {
                    Some(base) if distance > 0 => Kind::OffsetDelta(base),
                    _ => return Err(Problem::Header("its base is outside the pack")),
                }
            }
            7 => {
                let at = entry.len() - rest.as_slice().len();
                let name = rest.as_slice().get(..id_len).and_then(ObjectId::from_bytes);
                let name = name.ok_or(Problem::Truncated)?;
                return Ok(Header { kind: Kind::NameDelta(name), inflated_size, len: at + id_len });
            }
            number => return Err(Problem::PackType(number)),
        };
        Ok(Header { kind, inflated_size, len: entry.len() - rest.as_slice().len() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_formats_own_cases() {
        // A blob of 5 bytes; a tree of 0x1f3 = 3 + 16 * 31 bytes.
        let blob = Header::parse(&[0x35, 0x78], 12, 20);
        assert_eq!(blob, Ok(Header { kind: Kind::Whole(ObjectType::Blob), inflated_size: 5, len: 1 }));
        let tree = Header::parse(&[0xa3, 0x1f], 12, 20);
        assert_eq!(tree, Ok(Header { kind: Kind::Whole(ObjectType::Tree), inflated_size: 0x1f3, len: 2 }));
        // Distances: one byte goes to 127, two begin at 128.
        let near = Header::parse(&[0x61, 0x7f], 1000, 20);
        assert_eq!(near, Ok(Header { kind: Kind::OffsetDelta(873), inflated_size: 1, len: 2 }));
        let far = Header::parse(&[0x61, 0x80, 0x00], 1000, 20);
        assert_eq!(far, Ok(Header { kind: Kind::OffsetDelta(872), inflated_size: 1, len: 3 }));
        let named = Header::parse(&[&[0x71][..], &[7; 20]].concat(), 12, 20);
        let kind = Kind::NameDelta(ObjectId::from_bytes(&[7; 20]).unwrap());
        assert_eq!(named, Ok(Header { kind, inflated_size: 1, len: 21 }));
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(Header::parse(&[], 12, 20), Err(Problem::Truncated));
        assert_eq!(Header::parse(&[0x85], 12, 20), Err(Problem::Truncated));
        assert_eq!(Header::parse(&[0x05], 12, 20), Err(Problem::PackType(0)));
        assert_eq!(Header::parse(&[0x55], 12, 20), Err(Problem::PackType(5)));
        assert_eq!(Header::parse(&[0x71, 1, 2], 12, 20), Err(Problem::Truncated));
        for bytes in [&[0x61, 0x00][..], &[0x61, 0x0d]] {
            assert!(matches!(Header::parse(bytes, 12, 20), Err(Problem::Header(_))), "{bytes:x?}");
        }
        let mut endless = vec![0xb5];
        endless.extend([0xff; 20]);
        assert!(matches!(Header::parse(&endless, 12, 20), Err(Problem::Header(_))));
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..40), offset: u64) {
            if let Ok(header) = Header::parse(&bytes, offset, 20) {
                prop_assert!(header.len <= bytes.len());
            }
        }
    }
}
