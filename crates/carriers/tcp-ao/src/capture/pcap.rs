//! The pcap format (draft-ietf-opsawg-pcap): a file header of 24 bytes, then records of 16 bytes and a packet.

use std::io::{self, Read};

use super::{ByteOrder, Fault, Found, LARGEST_RECORD, LinkType, Shape, Source};

/// Magic numbers as big-endian bytes: timestamps in microseconds and in nanoseconds.
pub(super) const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub(super) const NANOSECONDS: u32 = 0xa1b2_3c4d;

/// Bytes of the file header, and the place of the snapshot length in it.
pub(super) const FILE_HEADER: usize = 24;
const SNAPSHOT_LENGTH: usize = 16;
const LINK_TYPE: usize = 20;

/// Bytes of a record's header: seconds, their fraction, length captured, length on the wire.
pub(super) const RECORD_HEADER: usize = 16;

/// A pcap file that is being read.
pub(super) struct File {
    order: ByteOrder,
    nanoseconds_per_unit: u64,
    /// Known once the file header was read.
    link: Option<LinkType>,
}

impl File {
    /// A file that begins with `magic`, if that is one of pcap's.
    pub(super) fn new(magic: [u8; 4]) -> Option<Self> {
        [ByteOrder::Big, ByteOrder::Little].into_iter().find_map(|order| {
            let nanoseconds_per_unit = match order.u32(magic) {
                MICROSECONDS => 1000,
                NANOSECONDS => 1,
                _ => return None,
            };
            Some(Self { order, nanoseconds_per_unit, link: None })
        })
    }

    pub(super) fn next(&mut self, source: &mut Source<impl Read>) -> io::Result<Found> {
        let Some(link) = self.link else { return self.header(source) };
        let begins = source.begin();
        if !source.extend(RECORD_HEADER)? {
            return Ok(if source.record.is_empty() {
                Found::End
            } else {
                Found::Problem { fault: Fault::Ends, begins }
            });
        }
        let field = |place| self.order.u32_at(&source.record, place).unwrap_or_default();
        let (seconds, fraction, captured, original) = (field(0), field(4), field(8), field(12));
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
        if captured > original {
            return Ok(Found::Problem { fault: Fault::MoreThanWas { captured, original }, begins });
        }
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.nanoseconds_per_unit;
        let shape = Shape::Pcap(self.order);
        Ok(Found::Packet { at: RECORD_HEADER, length, time: Some(time), link, original, shape })
    }

    /// The file header, whose magic number the record already holds.
    fn header(&mut self, source: &mut Source<impl Read>) -> io::Result<Found> {
        if !source.extend(FILE_HEADER)? {
            return Ok(Found::Problem { fault: Fault::Ends, begins: 0 });
        }
        let link = self.order.u32_at(&source.record, LINK_TYPE).unwrap_or_default();
        // The upper bits tell the length of a frame check sequence, which ends up behind the IP packet.
        self.link = Some(LinkType(link & 0xffff));
        Ok(Found::Other { snapshot_length: Some((SNAPSHOT_LENGTH, self.order)) })
    }
}
