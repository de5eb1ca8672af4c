//! New capture files.

use std::io::{self, Write};

use super::pcap::NANOSECONDS;
use super::pcapng::{BYTE_ORDER_MAGIC, ENHANCED_PACKET, INTERFACE, SECTION_HEADER};
use super::rewrite::{finish_block, pad};
use super::{ByteOrder, LinkType};

/// The snapshot length that new files state: libpcap's largest.
const SNAPSHOT_LENGTH: u32 = 262_144;

/// Code of `if_tsresol`, and its value for nanoseconds.
const NANOSECOND_RESOLUTION: [u8; 8] = [9, 0, 1, 0, 9, 0, 0, 0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Pcap,
    Pcapng,
}

/// Writes a capture file of one interface, little-endian, with timestamps in nanoseconds.
pub struct Writer<W> {
    out: W,
    format: Format,
    record: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a pcap file.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] for a link type above 65535.
    pub fn pcap(mut out: W, link: LinkType) -> io::Result<Self> {
        let link = u16::try_from(link.0).map_err(|_| io::ErrorKind::InvalidInput)?;
        // Version 2.4; two fields that have always been zero.
        for word in [NANOSECONDS, 4 << 16 | 2, 0, 0, SNAPSHOT_LENGTH, u32::from(link)] {
            out.write_all(&word.to_le_bytes())?;
        }
        Ok(Self { out, format: Format::Pcap, record: Vec::new() })
    }

    /// Begins a pcapng file.
    ///
    /// # Errors
    /// As [`Writer::pcap`].
    pub fn pcapng(mut out: W, link: LinkType) -> io::Result<Self> {
        let link = u16::try_from(link.0).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut record = Vec::new();
        // Version 1.0; the section's length is not known.
        for word in [SECTION_HEADER, 0, BYTE_ORDER_MAGIC, 1, u32::MAX, u32::MAX] {
            record.extend(word.to_le_bytes());
        }
        finish_block(&mut record, ByteOrder::Little)?;
        out.write_all(&record)?;
        record.clear();
        for word in [INTERFACE, 0, u32::from(link), SNAPSHOT_LENGTH] {
            record.extend(word.to_le_bytes());
        }
        record.extend(NANOSECOND_RESOLUTION);
        record.extend([0; 4]);
        finish_block(&mut record, ByteOrder::Little)?;
        out.write_all(&record)?;
        Ok(Self { out, format: Format::Pcapng, record })
    }

    /// Adds a packet, link header first, captured `time` nanoseconds after the beginning of 1970.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] if the packet has 4 GiB or more, or if its time is beyond
    /// pcap's (the year 2106).
    pub fn write(&mut self, time: u64, packet: &[u8]) -> io::Result<()> {
        let length = u32::try_from(packet.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let record = &mut self.record;
        record.clear();
        match self.format {
            Format::Pcap => {
                let seconds = u32::try_from(time / 1_000_000_000).map_err(|_| io::ErrorKind::InvalidInput)?;
                let fraction = (time % 1_000_000_000) as u32;
                for word in [seconds, fraction, length, length] {
                    record.extend(word.to_le_bytes());
                }
                record.extend_from_slice(packet);
            }
            Format::Pcapng => {
                for word in [ENHANCED_PACKET, 0, 0, (time >> 32) as u32, time as u32, length, length] {
                    record.extend(word.to_le_bytes());
                }
                pad(record, packet);
                finish_block(record, ByteOrder::Little)?;
            }
        }
        self.out.write_all(record)
    }

    /// Flushes and gives back what was written to.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
