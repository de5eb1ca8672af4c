//! A capture file with some of its packets replaced: format, link headers, timestamps and every block that is not
//! understood stay as they are.

use std::io::{self, Write};

use super::pcap::RECORD_HEADER;
use super::pcapng::{BLOCK_BEHIND, BLOCK_FRONT, ENHANCED_DATA, Options, SIMPLE_DATA};
use super::{ByteOrder, Captured, Other, OtherKind, Shape};

/// What a packet can grow by: TCP has 40 bytes of options.
const GROWTH: u32 = 40;

/// Option of an Enhanced Packet Block: a digest of the packet, wrong once the packet is another.
const EPB_HASH: u16 = 3;

/// Writes the items of a [`Reader`](super::Reader) back, some of them changed.
pub struct Rewriter<W> {
    out: W,
    record: Vec<u8>,
    growth: u32,
    written: u64,
}

impl<W: Write> Rewriter<W> {
    /// Begins a capture file; write the items to it in the order they were read.
    pub fn new(out: W) -> Self {
        Self { out, record: Vec::new(), growth: GROWTH, written: 0 }
    }

    /// Leaves snapshot lengths as they are. The length of a Simple Packet Block that was cut off hangs on them.
    #[must_use]
    pub fn with_snapshot_lengths_kept(self) -> Self {
        Self { growth: 0, ..self }
    }

    /// Bytes that were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Copies what is no packet. Snapshot lengths grow by what a packet can grow by, since readers cut packets at
    /// them, and the lengths of sections, which are not known before their ends, become “unknown”.
    ///
    /// # Errors
    /// The system's.
    pub fn copy_other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.record.clear();
        self.record.extend_from_slice(other.raw);
        match other.kind {
            OtherKind::SnapshotLength(place, order) => {
                if let Some(limit) = order.u32_at(other.raw, place)
                    && limit != 0
                    && let Some(field) = self.record.get_mut(place..place + 4)
                {
                    field.copy_from_slice(&order.put(limit.saturating_add(self.growth)));
                }
            }
            OtherKind::SectionLength(place) => {
                if let Some(field) = self.record.get_mut(place..place + 8) {
                    field.fill(0xff);
                }
            }
            OtherKind::Plain => {}
        }
        self.written += self.record.len() as u64;
        self.out.write_all(&self.record)
    }

    /// Copies a packet as it is.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] for a Simple Packet Block that was cut off, unless snapshot
    /// lengths are kept: a reader would take another length for its own.
    pub fn copy(&mut self, packet: &Captured<'_>) -> io::Result<()> {
        self.check_length(packet, packet.original, packet.bytes.len())?;
        self.written += packet.raw.len() as u64;
        self.out.write_all(packet.raw)
    }

    /// Writes `bytes`, link header first, in place of a packet.
    ///
    /// The length that it had on the wire changes by as much as the captured one. A block's digest of the packet is left
    /// out.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] if `bytes` has 4 GiB or more, or if a Simple Packet Block would
    /// be read with another length, because it was cut off or its snapshot length has no room.
    pub fn replace(&mut self, packet: &Captured<'_>, bytes: &[u8]) -> io::Result<()> {
        let captured = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let before = u32::try_from(packet.bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let original = packet.original.saturating_add(captured).saturating_sub(before);
        self.check_length(packet, original, bytes.len())?;
        let raw = packet.raw;
        let record = &mut self.record;
        record.clear();
        match packet.shape {
            Shape::Pcap { order, swapped } => {
                let lengths = if swapped { [original, captured] } else { [captured, original] };
                record.extend_from_slice(raw.get(..RECORD_HEADER - 8).unwrap_or_default());
                record.extend(lengths.map(|length| order.put(length)).as_flattened());
                record.extend_from_slice(bytes);
            }
            Shape::Enhanced(order) | Shape::Obsolete(order) => {
                record.extend_from_slice(raw.get(..ENHANCED_DATA - 8).unwrap_or_default());
                record.extend(order.put(captured));
                record.extend(order.put(original));
                pad(record, bytes);
                let options = ENHANCED_DATA + packet.bytes.len().next_multiple_of(4);
                let end = raw.len().saturating_sub(BLOCK_BEHIND);
                copy_options(record, raw.get(options..end).unwrap_or_default(), order);
                finish_block(record, order)?;
            }
            Shape::Simple(order) => {
                record.extend_from_slice(raw.get(..SIMPLE_DATA - 4).unwrap_or_default());
                record.extend(order.put(original));
                pad(record, bytes);
                finish_block(record, order)?;
            }
        }
        self.written += record.len() as u64;
        self.out.write_all(record)
    }

    /// Refuses what would be read with another length. A Simple Packet Block does not state its own: it is the smaller of
    /// the original length and the snapshot length, and the latter has grown in what is written.
    fn check_length(&self, packet: &Captured<'_>, original: u32, captured: usize) -> io::Result<()> {
        let (Shape::Simple(_), 1..) = (packet.shape, packet.medium.limit) else { return Ok(()) };
        let read = original.min(packet.medium.limit.saturating_add(self.growth));
        if read as usize == captured {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a Simple Packet Block that is cut off, in a file whose snapshot lengths grow",
        ))
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

/// Adds bytes and the zeros up to a multiple of four.
pub(super) fn pad(record: &mut Vec<u8>, bytes: &[u8]) {
    record.extend_from_slice(bytes);
    record.resize(record.len().next_multiple_of(4), 0);
}

fn copy_options(record: &mut Vec<u8>, options: &[u8], order: ByteOrder) {
    if !Options::new(options, order).any(|(code, _)| code == EPB_HASH) {
        record.extend_from_slice(options);
        return;
    }
    for (code, value) in Options::new(options, order).filter(|(code, _)| *code != EPB_HASH) {
        let length = u16::try_from(value.len()).unwrap_or_default();
        let head = match order {
            ByteOrder::Big => [code.to_be_bytes(), length.to_be_bytes()],
            ByteOrder::Little => [code.to_le_bytes(), length.to_le_bytes()],
        };
        record.extend(head.as_flattened());
        pad(record, value);
    }
    record.extend([0; 4]);
}

/// Adds a block's length behind it and puts it in front.
pub(super) fn finish_block(record: &mut Vec<u8>, order: ByteOrder) -> io::Result<()> {
    let length = u32::try_from(record.len() + BLOCK_BEHIND).map_err(|_| io::ErrorKind::InvalidInput)?;
    let length = order.put(length);
    record.extend(length);
    if let Some(field) = record.get_mut(4..BLOCK_FRONT) {
        field.copy_from_slice(&length);
    }
    Ok(())
}
