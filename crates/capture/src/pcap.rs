//! The pcap format (draft-ietf-opsawg-pcap): a file header of 24 bytes, then records of 16 bytes and a packet.

use std::io::{self, Read};

use super::{
    ByteOrder, CaptureError, Fault, Found, LARGEST_RECORD, LinkType, Medium, OtherKind, Shape, Source,
};

/// Magic numbers as big-endian bytes: timestamps in microseconds and in nanoseconds.
pub(super) const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub(super) const NANOSECONDS: u32 = 0xa1b2_3c4d;

/// Bytes of the file header, and the places of its fields.
pub(super) const FILE_HEADER: usize = 24;
const MAJOR_VERSION: usize = 4;
const MINOR_VERSION: usize = 6;
const SNAPSHOT_LENGTH: usize = 16;
const LINK_TYPE: usize = 20;

/// Bytes of a record's header: seconds, their fraction, length captured, length on the wire.
pub(super) const RECORD_HEADER: usize = 16;

/// In the field of the link type: whether the length of a frame check sequence is known, and this in pairs of bytes.
const FCS_KNOWN: u32 = 1 << 26;
const FCS_PAIRS: u32 = 28;

pub(super) struct File {
    order: ByteOrder,
    nanoseconds_per_unit: u64,
    medium: Medium,
    lengths: Lengths,
    /// Whether the file header was handed out.
    begun: bool,
}

/// The order of a record's two lengths. Version 2.3 changed it, and some files say 2.3 and have the old one; libpcap
/// (sf-pcap.c) tells them by a captured length above the original one. DG/UX wrote version 543.0, with the old order.
#[derive(Debug, Clone, Copy)]
enum Lengths {
    CapturedFirst,
    OriginalFirst,
    Either,
}

impl File {
    /// The byte order of a file that begins with `magic`, if that is one of pcap's.
    pub(super) fn order(magic: [u8; 4]) -> Option<ByteOrder> {
        let is_pcap = |order: &ByteOrder| matches!(order.u32(magic), MICROSECONDS | NANOSECONDS);
        [ByteOrder::Big, ByteOrder::Little].into_iter().find(is_pcap)
    }

    pub(super) fn new(header: &[u8], order: ByteOrder) -> Result<Self, CaptureError> {
        let short = |place| order.u16_at(header, place).unwrap_or_default();
        let long = |place| order.u32_at(header, place).unwrap_or_default();
        let lengths = match (short(MAJOR_VERSION), short(MINOR_VERSION)) {
            (2, 0..=2) | (543, 0) => Lengths::OriginalFirst,
            (2, 3) => Lengths::Either,
            (2, 4) => Lengths::CapturedFirst,
            (major, minor) => return Err(CaptureError::Version(major, minor)),
        };
        let link = long(LINK_TYPE);
        let fcs = if link & FCS_KNOWN == 0 { 0 } else { (link >> FCS_PAIRS) as u8 * 2 };
        Ok(Self {
            order,
            nanoseconds_per_unit: if long(0) == NANOSECONDS { 1 } else { 1000 },
            medium: Medium { link: LinkType(link & 0xffff), fcs, limit: 0 },
            lengths,
            begun: false,
        })
    }

    pub(super) fn next(&mut self, source: &mut Source<impl Read>) -> io::Result<Found> {
        if !std::mem::replace(&mut self.begun, true) {
            // The record still holds the file header.
            return Ok(Found::Other(OtherKind::SnapshotLength(SNAPSHOT_LENGTH, self.order)));
        }
        let begins = source.begin();
        if !source.extend(RECORD_HEADER)? {
            return Ok(if source.record.is_empty() {
                Found::End
            } else {
                Found::Problem { fault: Fault::Ends, begins }
            });
        }
        let field = |place| self.order.u32_at(&source.record, place).unwrap_or_default();
        let (seconds, fraction, first, second) = (field(0), field(4), field(8), field(12));
        let swapped = match self.lengths {
            Lengths::CapturedFirst => false,
            Lengths::OriginalFirst => true,
            Lengths::Either => first > second,
        };
        let (captured, original) = if swapped { (second, first) } else { (first, second) };
        let length = captured as usize;
        if length > LARGEST_RECORD {
            let fault = if source.skip(u64::from(captured))? {
                Fault::TooLarge { length: u64::from(captured) }
            } else {
                Fault::Ends
            };
            return Ok(Found::Problem { fault, begins });
        }
        if !source.extend(RECORD_HEADER + length)? {
            return Ok(Found::Problem { fault: Fault::Ends, begins });
        }
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.nanoseconds_per_unit;
        let (medium, shape) = (self.medium, Shape::Pcap { order: self.order, swapped });
        Ok(Found::Packet { at: RECORD_HEADER, length, time: Some(time), medium, original, shape })
    }
}
