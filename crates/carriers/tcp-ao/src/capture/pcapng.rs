//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks, each with its length in front and behind.

use std::io::{self, Read};

use super::{ByteOrder, Fault, Found, LARGEST_RECORD, LinkType, Shape, Source};

/// The kinds of blocks that are understood.
pub(super) const SECTION_HEADER: u32 = 0x0a0d_0d0a;
pub(super) const INTERFACE: u32 = 1;
pub(super) const OBSOLETE_PACKET: u32 = 2;
pub(super) const SIMPLE_PACKET: u32 = 3;
pub(super) const ENHANCED_PACKET: u32 = 6;

/// What a file begins with: the kind of its first block, which reads the same in both byte orders.
pub(super) const MAGIC: [u8; 4] = SECTION_HEADER.to_be_bytes();

/// Says the byte order of a section.
pub(super) const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

/// Kind and length before a block's body, and the length again behind it.
pub(super) const BLOCK_FRONT: usize = 8;
pub(super) const BLOCK_BEHIND: usize = 4;

/// Where the packet begins in a block of each kind.
pub(super) const ENHANCED_DATA: usize = BLOCK_FRONT + 20;
pub(super) const SIMPLE_DATA: usize = BLOCK_FRONT + 4;

/// Place of the snapshot length in an Interface Description Block, and of its options.
const SNAPSHOT_LENGTH: usize = BLOCK_FRONT + 4;
const INTERFACE_OPTIONS: usize = BLOCK_FRONT + 8;

/// Options of an interface: the unit of its timestamps and what is to be added to them in seconds.
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// Interfaces of one section that are remembered.
const MOST_INTERFACES: usize = 1 << 16;

/// A pcapng file that is being read.
pub(super) struct File {
    order: ByteOrder,
    interfaces: Vec<Interface>,
}

struct Interface {
    link: LinkType,
    snapshot_length: u32,
    /// Timestamp units in a second.
    units: u128,
    offset_seconds: i64,
}

impl Interface {
    /// Nanoseconds since 1970, as far as 64 bits reach.
    fn time(&self, high: u32, low: u32) -> u64 {
        let stamp = u128::from(high) << 32 | u128::from(low);
        // At most 2^64 × 10^9: far from overflow.
        let nanoseconds = stamp * 1_000_000_000 / self.units;
        let offset = i128::from(self.offset_seconds) * 1_000_000_000;
        u64::try_from(i128::try_from(nanoseconds).unwrap_or(i128::MAX).saturating_add(offset))
            .unwrap_or_default()
    }
}

impl File {
    pub(super) fn new() -> Self {
        Self { order: ByteOrder::Little, interfaces: Vec::new() }
    }

    pub(super) fn next(&mut self, source: &mut Source<impl Read>) -> io::Result<Found> {
        // The file's first four bytes were read to tell its format.
        let begins = if source.offset == MAGIC.len() as u64 { 0 } else { source.begin() };
        if !source.extend(BLOCK_FRONT)? {
            return Ok(if source.record.is_empty() {
                Found::End
            } else {
                Found::Problem { fault: Fault::Ends, begins }
            });
        }
        if source.record.starts_with(&MAGIC) {
            if !source.extend(BLOCK_FRONT + 4)? {
                return Ok(Found::Problem { fault: Fault::Ends, begins });
            }
            let magic = |order: ByteOrder| order.u32_at(&source.record, BLOCK_FRONT);
            let found = [ByteOrder::Big, ByteOrder::Little]
                .into_iter()
                .find(|&order| magic(order) == Some(BYTE_ORDER_MAGIC));
            let Some(order) = found else {
                return Ok(Found::Problem { fault: Fault::NoByteOrder, begins });
            };
            self.order = order;
            self.interfaces.clear();
        }
        let kind = self.order.u32_at(&source.record, 0).unwrap_or_default();
        let front = self.order.u32_at(&source.record, 4).unwrap_or_default();
        let length = front as usize;
        if length < BLOCK_FRONT + BLOCK_BEHIND || !length.is_multiple_of(4) || length < source.record.len() {
            return Ok(Found::Problem { fault: Fault::BlockLength { length: front }, begins });
        }
        if length > LARGEST_RECORD {
            let rest = (length - source.record.len()) as u64;
            let fault =
                if source.skip(rest)? { Fault::TooLarge { length: u64::from(front) } } else { Fault::Ends };
            return Ok(Found::Problem { fault, begins });
        }
        if !source.extend(length)? {
            return Ok(Found::Problem { fault: Fault::Ends, begins });
        }
        let behind = self.order.u32_at(&source.record, length - BLOCK_BEHIND).unwrap_or_default();
        if behind != front {
            return Ok(Found::Problem { fault: Fault::LengthsDiffer { front, behind }, begins });
        }
        let block = source.record.get(..length - BLOCK_BEHIND).unwrap_or_default();
        Ok(self.block(kind, block).unwrap_or_else(|fault| Found::Problem { fault, begins }))
    }

    /// Reads a block, given without the length behind it.
    fn block(&mut self, kind: u32, block: &[u8]) -> Result<Found, Fault> {
        let order = self.order;
        let field = |place| order.u32_at(block, place).ok_or(Fault::ShortBlock { kind });
        let room = |at: usize| block.len().checked_sub(at).ok_or(Fault::ShortBlock { kind });
        match kind {
            INTERFACE => {
                self.interface(block)?;
                Ok(Found::Other { snapshot_length: Some((SNAPSHOT_LENGTH, order)) })
            }
            ENHANCED_PACKET | OBSOLETE_PACKET => {
                let (interface, shape) = if kind == ENHANCED_PACKET {
                    (field(8)?, Shape::Enhanced(order))
                } else {
                    let interface = order.u16_at(block, 8).ok_or(Fault::ShortBlock { kind })?;
                    (u32::from(interface), Shape::Obsolete(order))
                };
                let description = self.described(interface)?;
                let time = Some(description.time(field(12)?, field(16)?));
                let (captured, original) = (field(20)?, field(24)?);
                check_lengths(captured, original, room(ENHANCED_DATA)?)?;
                let length = captured as usize;
                Ok(Found::Packet { at: ENHANCED_DATA, length, time, link: description.link, original, shape })
            }
            SIMPLE_PACKET => {
                let description = self.described(0)?;
                let original = field(8)?;
                let captured = match description.snapshot_length {
                    0 => original,
                    limit => original.min(limit),
                };
                check_lengths(captured, original, room(SIMPLE_DATA)?)?;
                let (length, link, shape) = (captured as usize, description.link, Shape::Simple(order));
                Ok(Found::Packet { at: SIMPLE_DATA, length, time: None, link, original, shape })
            }
            _ => Ok(Found::Other { snapshot_length: None }),
        }
    }

    fn described(&self, interface: u32) -> Result<&Interface, Fault> {
        self.interfaces.get(interface as usize).ok_or(Fault::NoInterface { interface })
    }

    fn interface(&mut self, block: &[u8]) -> Result<(), Fault> {
        let short = Fault::ShortBlock { kind: INTERFACE };
        let link = LinkType(u32::from(self.order.u16_at(block, BLOCK_FRONT).ok_or(short)?));
        let snapshot_length = self.order.u32_at(block, SNAPSHOT_LENGTH).ok_or(short)?;
        let options = block.get(INTERFACE_OPTIONS..).ok_or(short)?;
        let mut interface = Interface { link, snapshot_length, units: 1_000_000, offset_seconds: 0 };
        for (code, value) in Options::new(options, self.order) {
            match (code, value) {
                (IF_TSRESOL, &[resolution]) => {
                    let exponent = u32::from(resolution & 0x7f);
                    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
                    // A unit that 128 bits do not hold makes every time zero, which is as good as it says.
                    interface.units = base.checked_pow(exponent).unwrap_or(u128::MAX);
                }
                (IF_TSOFFSET, &[a, b, c, d, e, f, g, h]) => {
                    let bytes = [a, b, c, d, e, f, g, h];
                    interface.offset_seconds = match self.order {
                        ByteOrder::Big => i64::from_be_bytes(bytes),
                        ByteOrder::Little => i64::from_le_bytes(bytes),
                    };
                }
                _ => {}
            }
        }
        if self.interfaces.len() >= MOST_INTERFACES {
            return Err(Fault::TooManyInterfaces);
        }
        self.interfaces.push(interface);
        Ok(())
    }
}

fn check_lengths(captured: u32, original: u32, room: usize) -> Result<(), Fault> {
    if captured as usize > room {
        return Err(Fault::DoesNotFit { captured });
    }
    if captured > original {
        return Err(Fault::MoreThanWas { captured, original });
    }
    Ok(())
}

/// The options of a block: code, length, value padded to four bytes. Ends at the first that does not fit.
pub(super) struct Options<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Options<'a> {
    pub(super) fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { rest: bytes, order }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let code = self.order.u16_at(self.rest, 0)?;
        let length = usize::from(self.order.u16_at(self.rest, 2)?);
        if code == 0 {
            return None;
        }
        let value = self.rest.get(4..4 + length)?;
        self.rest = self.rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        Some((code, value))
    }
}
