//! The TCP-AO option, kind 29 (RFC 5925, section 2.2): kind, length, KeyID, RNextKeyID, MAC.

mod edit;

use std::ops::Range;

pub use edit::{Inserted, append_unsummed, insert, strip, strip_md5, write_tcp_checksum};

use crate::ip::Malformed;
use crate::tcp::{FIXED_HEADER, MAX_OPTIONS, Segment, kind};

/// Bytes of the option before the MAC.
pub const HEAD: usize = 4;
/// The longest MAC that any segment has room for.
pub const MAX_MAC: usize = MAX_OPTIONS - HEAD;

/// The option as a segment carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AoOption<'a> {
    /// The sender's name for the key that made the MAC.
    pub key_id: u8,
    /// The sender's wish: the key that it would like to receive from now on.
    pub rnext_key_id: u8,
    /// The MAC; any length from 0 to 36 bytes.
    pub mac: &'a [u8],
    /// Where the option begins, counted from the start of the TCP header.
    pub place: usize,
}

impl<'a> AoOption<'a> {
    /// Where the MAC stands, counted from the start of the TCP header.
    #[inline]
    pub fn mac_range(&self) -> Range<usize> {
        self.place + HEAD..self.place + HEAD + self.mac.len()
    }
}

/// Why a segment's options cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum OptionError {
    /// The options are not a list.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// RFC 5925, section 2.2: more than one is an error.
    #[error("the segment has two TCP-AO options, at bytes {0} and {1} of its header; it must be discarded")]
    Duplicate(usize, usize),
    /// RFC 5925, section 2.2: the two exclude each other.
    #[error("the segment has a TCP-AO and a TCP-MD5 option; it must be discarded")]
    BesideMd5,
    #[error(
        "the TCP-AO option declares a length of {0} bytes, less than its own head of 4; the segment is damaged"
    )]
    Short(usize),
    #[error("the segment already has an option of kind {0}; give --replace to sign it again")]
    AlreadySigned(u8),
    /// Even without selective acknowledgements the options take more than 40 bytes.
    #[error(
        "the TCP-AO option needs {needed} bytes, but the other options leave {left} of 40; send fewer options (no \
         timestamps, say) or agree on a shorter MAC"
    )]
    NoRoom {
        /// Bytes that the option takes.
        needed: usize,
        /// Bytes that it could have.
        left: usize,
    },
    #[error("the packet would be {0} bytes long with the TCP-AO option; send smaller segments")]
    LongPacket(usize),
}

/// Finds the TCP-AO option, having looked at every option.
///
/// # Errors
/// [`OptionError`] where RFC 5925 wants the segment discarded: a damaged list, two TCP-AO options, one beside
/// TCP-MD5, or one shorter than its head.
#[inline(always)]
pub fn find<'a>(segment: &Segment<'a>) -> Result<Option<AoOption<'a>>, OptionError> {
    Ok(locate(segment)?.and_then(|place| place.option(segment)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it begins, counted from the start of the TCP header.
    pub(crate) start: usize,
    pub(crate) mac_len: usize,
}

impl Place {
    /// The option of a segment that is known to have one here; `None` only where the segment has not.
    #[inline(always)]
    pub(crate) fn option<'a>(self, segment: &Segment<'a>) -> Option<AoOption<'a>> {
        let option = segment.bytes().get(self.start..self.start + HEAD + self.mac_len)?;
        let &[_, _, key_id, rnext_key_id, ref mac @ ..] = option else { return None };
        Some(AoOption { key_id, rnext_key_id, mac, place: self.start })
    }
}

/// As [`find`], but says only where the option is.
#[inline(always)]
pub(crate) fn locate(segment: &Segment<'_>) -> Result<Option<Place>, OptionError> {
    match find_in_usual_place(segment) {
        None => find_by_walking(segment),
        usual => Ok(usual),
    }
}

/// The option of a data segment with timestamps and TCP-AO alone, in either order, or with TCP-AO alone: nearly every
/// segment of a connection. Every byte of the options is accounted for, so that nothing else can be among them.
#[inline(always)]
fn find_in_usual_place(segment: &Segment<'_>) -> Option<Place> {
    const TIMESTAMPS: u32 = u32::from_be_bytes([kind::NOP, kind::NOP, kind::TIMESTAMPS, 10]);
    const TIMESTAMPS_LEN: usize = 12;

    let options = segment.bytes().get(FIXED_HEADER..segment.header_len())?;
    let (&start, _) = options.split_first_chunk::<4>()?;
    let (place, len) = if u32::from_be_bytes(start) == TIMESTAMPS {
        (TIMESTAMPS_LEN, options.len().checked_sub(TIMESTAMPS_LEN)?)
    } else if start[0] == kind::AO && usize::from(start[1]) == options.len() {
        (0, options.len())
    } else {
        let len = usize::from(start[1]);
        let behind = options.get(len..)?.first_chunk::<4>()?;
        let timestamps = u32::from_be_bytes(*behind) == TIMESTAMPS && options.len() == len + TIMESTAMPS_LEN;
        (0, if timestamps { len } else { return None })
    };
    let &[kind, stated, ..] = options.get(place..place + HEAD)? else { return None };
    if kind != kind::AO || usize::from(stated) != len {
        return None;
    }
    Some(Place { start: FIXED_HEADER + place, mac_len: len.checked_sub(HEAD)? })
}

#[cold]
fn find_by_walking(segment: &Segment<'_>) -> Result<Option<Place>, OptionError> {
    let mut found: Option<Place> = None;
    let mut md5 = false;
    for option in segment.options() {
        let option = option?;
        match option.kind {
            kind::AO => {
                let length = option.bytes.len();
                let mac_len = length.checked_sub(HEAD).ok_or(OptionError::Short(length))?;
                if let Some(first) = found {
                    return Err(OptionError::Duplicate(first.start, option.place));
                }
                found = Some(Place { start: option.place, mac_len });
            }
            kind::MD5 => md5 = true,
            _ => {}
        }
    }
    if md5 && found.is_some() { Err(OptionError::BesideMd5) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts with one byte changed to each value that could matter: the short way and the long way must agree.
    #[test]
    fn the_usual_place_is_what_walking_finds() {
        const TIMESTAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let ao = [&[29, 16, 1, 2][..], &[7; 12]].concat();
        let layouts =
            [[&TIMESTAMPS[..], &ao].concat(), [&ao[..], &TIMESTAMPS].concat(), ao.clone(), vec![1, 1, 1, 1]];
        let mut found = 0;
        for layout in layouts {
            for (place, value) in
                (0..layout.len()).flat_map(|place| (0..=40).map(move |value| (place, value)))
            {
                let mut bytes = [&[0; FIXED_HEADER][..], &layout].concat();
                bytes[12] = ((bytes.len() / 4) << 4) as u8;
                bytes[FIXED_HEADER + place] = value;
                let segment = Segment::parse(&bytes).unwrap();
                if let Some(usual) = find_in_usual_place(&segment) {
                    assert_eq!(find_by_walking(&segment), Ok(Some(usual)), "{bytes:?}");
                    found += 1;
                }
            }
        }
        assert!(found > 1000, "{found} of the layouts are usual");
    }
}
