//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks, each with its length in front and behind.

use std::io::{self, Read};

use super::{ByteOrder, Fault, Found, LARGEST_RECORD, LinkType, Medium, OtherKind, Shape, Source};

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

/// A section header without options: byte-order magic, version, and the section's length.
const LEAST_SECTION_HEADER: usize = BLOCK_FRONT + 16 + BLOCK_BEHIND;
const MAJOR_VERSION: usize = BLOCK_FRONT + 4;
const MINOR_VERSION: usize = BLOCK_FRONT + 6;
const SECTION_LENGTH: usize = BLOCK_FRONT + 8;

/// The major version. Some programs write the minor version 2 in place of 0, for the same format.
const VERSION: u16 = 1;

/// Options of an interface: the unit of its timestamps, the length of its frame check sequences, and what is to be added
/// to timestamps in seconds.
const IF_TSRESOL: u16 = 9;
const IF_FCSLEN: u16 = 13;
const IF_TSOFFSET: u16 = 14;

/// Option of a packet: flags, among them the length of its frame check sequence.
const PACKET_FLAGS: u16 = 2;

/// Interfaces of one section that are remembered.
const MOST_INTERFACES: usize = 1 << 16;

pub(super) struct File {
    order: ByteOrder,
    /// `None` is one whose description could not be read. It counts, so that the numbers of those behind it are right.
    interfaces: Vec<Option<Interface>>,
    /// Whether the section's header could not be read, so that its blocks cannot either.
    unread: bool,
    /// What stands in for an interface description that could not be read, and is to be handed out next.
    stand_in: Option<Vec<u8>>,
}

#[derive(Clone, Copy)]
struct Interface {
    medium: Medium,
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
        Self { order: ByteOrder::Little, interfaces: Vec::new(), unread: false, stand_in: None }
    }

    pub(super) fn next(&mut self, source: &mut Source<impl Read>) -> io::Result<Found> {
        if let Some(stand_in) = self.stand_in.take() {
            source.record = stand_in;
            return Ok(Found::Other(OtherKind::SnapshotLength(SNAPSHOT_LENGTH, self.order)));
        }
        // The file's first four bytes were read to tell its format.
        let begins = if source.offset == MAGIC.len() as u64 { 0 } else { source.begin() };
        let problem = |fault| Ok(Found::Problem { fault, begins });
        if !source.extend(BLOCK_FRONT)? {
            return if source.record.is_empty() { Ok(Found::End) } else { problem(Fault::Ends) };
        }
        let is_section = source.record.starts_with(&MAGIC);
        if is_section {
            if !source.extend(BLOCK_FRONT + 4)? {
                return problem(Fault::Ends);
            }
            let magic = |order: ByteOrder| order.u32_at(&source.record, BLOCK_FRONT);
            let found = [ByteOrder::Big, ByteOrder::Little]
                .into_iter()
                .find(|&order| magic(order) == Some(BYTE_ORDER_MAGIC));
            let Some(order) = found else { return problem(Fault::NoByteOrder) };
            self.order = order;
            self.interfaces.clear();
            // Until the header turns out to be good: what it says is not the section before it.
            self.unread = true;
        }
        let kind = self.order.u32_at(&source.record, 0).unwrap_or_default();
        let front = self.order.u32_at(&source.record, 4).unwrap_or_default();
        let length = front as usize;
        if length < BLOCK_FRONT + BLOCK_BEHIND || !length.is_multiple_of(4) || length < source.record.len() {
            return problem(Fault::BlockLength { length: front });
        }
        if length > LARGEST_RECORD {
            let rest = (length - source.record.len()) as u64;
            if !source.skip(rest)? {
                return problem(Fault::Ends);
            }
            let fault = Fault::TooLarge { length: u64::from(front) };
            return problem(self.left_out(kind, &[], fault));
        }
        if !source.extend(length)? {
            return problem(Fault::Ends);
        }
        let block = source.record.get(..length - BLOCK_BEHIND).unwrap_or_default();
        let behind = self.order.u32_at(&source.record, length - BLOCK_BEHIND).unwrap_or_default();
        let found = if self.unread && !is_section {
            Err(Fault::UnreadSection)
        } else if behind != front {
            Err(Fault::LengthsDiffer { front, behind })
        } else {
            self.block(kind, block)
        };
        found.or_else(|fault| problem(self.left_out(kind, block, fault)))
    }

    /// Notes a block that cannot be read. An interface counts nevertheless; as much as is known of its description stands
    /// in for it.
    fn left_out(&mut self, kind: u32, block: &[u8], fault: Fault) -> Fault {
        if kind == INTERFACE && !self.unread && self.interfaces.len() < MOST_INTERFACES {
            self.interfaces.push(None);
            // libpcap wants one link type and snapshot length of all interfaces of a file.
            let link = block.get(BLOCK_FRONT..BLOCK_FRONT + 2).unwrap_or(&[0; 2]);
            let limit = block.get(SNAPSHOT_LENGTH..SNAPSHOT_LENGTH + 4).unwrap_or(&[0; 4]);
            let length = self.order.put((INTERFACE_OPTIONS + BLOCK_BEHIND) as u32);
            let kind = self.order.put(INTERFACE);
            self.stand_in = Some([&kind, &length, link, &[0; 2], limit, &length[..]].concat());
        }
        fault
    }

    /// Reads a block, given without the length behind it.
    fn block(&mut self, kind: u32, block: &[u8]) -> Result<Found, Fault> {
        let order = self.order;
        let field = |place| order.u32_at(block, place).ok_or(Fault::ShortBlock { kind });
        let room = |at: usize| block.len().checked_sub(at).ok_or(Fault::ShortBlock { kind });
        match kind {
            SECTION_HEADER => {
                if block.len() + BLOCK_BEHIND < LEAST_SECTION_HEADER {
                    return Err(Fault::ShortBlock { kind });
                }
                let version = |place| order.u16_at(block, place).ok_or(Fault::ShortBlock { kind });
                let (major, minor) = (version(MAJOR_VERSION)?, version(MINOR_VERSION)?);
                if major != VERSION {
                    return Err(Fault::Version { major, minor });
                }
                self.unread = false;
                Ok(Found::Other(OtherKind::SectionLength(SECTION_LENGTH)))
            }
            INTERFACE => {
                self.interface(block)?;
                Ok(Found::Other(OtherKind::SnapshotLength(SNAPSHOT_LENGTH, order)))
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
                let length = fitting(captured, room(ENHANCED_DATA)?)?;
                let medium = description.medium;
                Ok(Found::Packet { at: ENHANCED_DATA, length, time, medium, original, shape })
            }
            SIMPLE_PACKET => {
                let description = self.described(0)?;
                let original = field(8)?;
                let captured = match description.medium.limit {
                    0 => original,
                    limit => original.min(limit),
                };
                let length = fitting(captured, room(SIMPLE_DATA)?)?;
                let (medium, shape) = (description.medium, Shape::Simple(order));
                Ok(Found::Packet { at: SIMPLE_DATA, length, time: None, medium, original, shape })
            }
            _ => Ok(Found::Other(OtherKind::Plain)),
        }
    }

    fn described(&self, interface: u32) -> Result<&Interface, Fault> {
        let description = self.interfaces.get(interface as usize).ok_or(Fault::NoInterface { interface })?;
        description.as_ref().ok_or(Fault::UnreadInterface { interface })
    }

    fn interface(&mut self, block: &[u8]) -> Result<(), Fault> {
        let short = Fault::ShortBlock { kind: INTERFACE };
        let link = LinkType(u32::from(self.order.u16_at(block, BLOCK_FRONT).ok_or(short)?));
        let limit = self.order.u32_at(block, SNAPSHOT_LENGTH).ok_or(short)?;
        let options = block.get(INTERFACE_OPTIONS..).ok_or(short)?;
        let mut interface =
            Interface { medium: Medium { link, fcs: 0, limit }, units: 1_000_000, offset_seconds: 0 };
        for (code, value) in Options::new(options, self.order) {
            match (code, value) {
                (IF_TSRESOL, &[resolution]) => {
                    let exponent = u32::from(resolution & 0x7f);
                    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
                    // A unit that 128 bits do not hold makes every time zero, which is as good as it says.
                    interface.units = base.checked_pow(exponent).unwrap_or(u128::MAX);
                }
                (IF_FCSLEN, &[length]) => interface.medium.fcs = length,
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
        self.interfaces.push(Some(interface));
        Ok(())
    }
}

/// The captured length of a packet for which its block has so much room. More than the packet had on the wire is taken as
/// it is, as libpcap does.
fn fitting(captured: u32, room: usize) -> Result<usize, Fault> {
    Some(captured as usize).filter(|captured| *captured <= room).ok_or(Fault::DoesNotFit { captured })
}

/// The length of the frame check sequence that an Enhanced Packet Block or its predecessor says its packet has, if it
/// does; `length` is the captured one.
pub(super) fn frame_check(block: &[u8], length: usize, order: ByteOrder) -> Option<u8> {
    let end = block.len().checked_sub(BLOCK_BEHIND)?;
    let options = block.get(ENHANCED_DATA + length.next_multiple_of(4)..end)?;
    let flags = Options::new(options, order).find(|(code, _)| *code == PACKET_FLAGS)?.1;
    // Bits 5 to 8 are the length in bytes; 0 says nothing.
    let length = order.u32_at(flags, 0)? >> 5 & 0x0f;
    u8::try_from(length).ok().filter(|length| *length > 0)
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
