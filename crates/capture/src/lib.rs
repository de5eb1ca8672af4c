#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod compressed;
mod fault;
mod link;
mod pcap;
mod pcapng;
mod rewrite;
#[cfg(feature = "decompression")]
mod unpacked;
mod writer;

use std::io::{self, BufRead, BufReader, Read};

use thiserror::Error;

pub use compressed::uncompressed;
pub use fault::{Compression, Fault, Problem};
pub use link::{LinkType, Unframed, network_layer};
pub use rewrite::Rewriter;
pub use writer::Writer;

/// Bytes of the largest record that is kept; larger ones are skipped. A TCP packet has at most 65,575 bytes without
/// its link header, and libpcap itself cuts packets at 262,144.
const LARGEST_RECORD: usize = 1 << 20;

/// Bytes of the reader's buffer: it stays in the cache, into which the kernel copies three times as fast as into 256 KiB.
const BUFFER: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Big => u16::from_be_bytes(bytes),
            Self::Little => u16::from_le_bytes(bytes),
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }

    fn put(self, value: u32) -> [u8; 4] {
        match self {
            Self::Big => value.to_be_bytes(),
            Self::Little => value.to_le_bytes(),
        }
    }

    fn u16_at(self, bytes: &[u8], place: usize) -> Option<u16> {
        bytes.get(place..)?.first_chunk().map(|field| self.u16(*field))
    }

    fn u32_at(self, bytes: &[u8], place: usize) -> Option<u32> {
        bytes.get(place..)?.first_chunk().map(|field| self.u32(*field))
    }
}

/// How a record keeps its packet, which is what [`Rewriter`] needs to put another in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Pcap {
        order: ByteOrder,
        /// Whether the original length comes first, as it did before version 2.3.
        swapped: bool,
    },
    /// Enhanced Packet Block.
    Enhanced(ByteOrder),
    /// Simple Packet Block.
    Simple(ByteOrder),
    /// Packet Block, which the Enhanced Packet Block replaced.
    Obsolete(ByteOrder),
}

/// A captured packet.
#[derive(Debug, Clone, Copy)]
pub struct Captured<'a> {
    /// Its number in the file, counted from 1; records that could not be read count too.
    pub number: u64,
    /// Where its record begins in the file, in bytes.
    pub offset: u64,
    /// When it was captured, in nanoseconds since 1970; Simple Packet Blocks do not say.
    pub time: Option<u64>,
    /// What its first header is.
    pub link: LinkType,
    /// Bytes that it had on the wire; more than `bytes.len()` if the capture was limited.
    pub original: u32,
    /// The packet, link header first.
    pub bytes: &'a [u8],
    medium: Medium,
    raw: &'a [u8],
    shape: Shape,
}

/// What a file or interface says of its packets.
#[derive(Debug, Clone, Copy)]
struct Medium {
    link: LinkType,
    /// Bytes of the frame check sequence at the end; 0 where nothing is said.
    fcs: u8,
    /// What packets are cut off at, where that may have to stay as it is; 0 if they are not.
    limit: u32,
}

impl Captured<'_> {
    /// Whether the capture cut the packet's end off.
    pub fn is_snapped(&self) -> bool {
        self.original as usize > self.bytes.len()
    }

    /// Bytes of the frame check sequence at the packet's end: what its own block says, or its interface or file; 0 where
    /// there is none or none says so.
    pub fn frame_check(&self) -> usize {
        let own = match self.shape {
            Shape::Enhanced(order) | Shape::Obsolete(order) => {
                pcapng::frame_check(self.raw, self.bytes.len(), order)
            }
            Shape::Pcap { .. } | Shape::Simple(_) => None,
        };
        usize::from(own.unwrap_or(self.medium.fcs))
    }

    /// Whether its length is only what the interface's snapshot length leaves of it, so that this must stay as it is.
    pub fn hangs_on_snapshot_length(&self) -> bool {
        matches!(self.shape, Shape::Simple(_)) && self.is_snapped()
    }

    /// Whether its interface's snapshot length has room for so many bytes.
    pub fn has_room_for(&self, length: usize) -> bool {
        self.medium.limit == 0 || length <= self.medium.limit as usize
    }
}

/// What a capture file consists of.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    /// A packet.
    Packet(Captured<'a>),
    /// A record that could not be read, and was left out.
    Problem(Problem),
    /// Anything else: the file header, the blocks of pcapng that hold no packet. Behind the [`Problem`] of an interface
    /// description comes an empty one, so that the interfaces behind it keep their numbers in what is written.
    Other(Other<'a>),
}

/// Bytes of a capture file that are no packet.
#[derive(Debug, Clone, Copy)]
pub struct Other<'a> {
    raw: &'a [u8],
    kind: OtherKind,
}

/// What is to be changed in it where packets grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherKind {
    /// It has a snapshot length at this place.
    SnapshotLength(usize, ByteOrder),
    /// It has the length of a section at this place.
    SectionLength(usize),
    /// Nothing.
    Plain,
}

/// A capture file that cannot be read at all, or no further.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The system's error.
    #[error("cannot read the capture")]
    Read(#[from] io::Error),
    /// Neither pcap nor pcapng.
    #[error("not a capture; give a pcap or pcapng file")]
    NotACapture([u8; 4]),
    /// Shorter than the header of any capture file.
    #[error("not a capture: it ends after {0} bytes; give a pcap or pcapng file")]
    Short(usize),
    /// A version of pcap that nobody has described.
    #[error("unsupported pcap version {0}.{1}; convert the file to 2.4 with: editcap -F pcap IN OUT")]
    Version(u16, u16),
}

/// A capture file, read from its beginning to its end.
///
/// Any [`Read`] will do; it is buffered here.
pub struct Reader<R> {
    source: Source<R>,
    format: Format,
    packets: u64,
    ended: bool,
}

enum Format {
    Pcap(pcap::File),
    Pcapng(pcapng::File),
}

impl<R: Read> Reader<R> {
    /// Begins to read a capture file.
    ///
    /// # Errors
    /// [`CaptureError`] if it is none.
    pub fn new(source: R) -> Result<Self, CaptureError> {
        let mut source = Source::new(source);
        source.begin();
        if !source.extend(4)? {
            return Err(source.short());
        }
        let magic = source.record.first_chunk().copied().unwrap_or_default();
        let format = match magic {
            pcapng::MAGIC => Format::Pcapng(pcapng::File::new()),
            _ => {
                let order = pcap::File::order(magic).ok_or(CaptureError::NotACapture(magic))?;
                if !source.extend(pcap::FILE_HEADER)? {
                    return Err(source.short());
                }
                Format::Pcap(pcap::File::new(&source.record, order)?)
            }
        };
        Ok(Self { source, format, packets: 0, ended: false })
    }

    /// The next item, or `None` at the end of the file.
    ///
    /// # Errors
    /// [`CaptureError::Read`] if the system reports one; all that is wrong with the file itself is an
    /// [`Item::Problem`].
    // Not an iterator: items borrow from the reader's buffer.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, CaptureError> {
        if self.ended {
            return Ok(self.rest());
        }
        let read = match &mut self.format {
            Format::Pcap(file) => file.next(&mut self.source)?,
            Format::Pcapng(file) => file.next(&mut self.source)?,
        };
        if matches!(read, Found::End) {
            self.ended = true;
            return Ok(self.rest());
        }
        let raw = self.source.record.as_slice();
        let offset = self.source.offset.saturating_sub(raw.len() as u64);
        Ok(match read {
            Found::End => None,
            Found::Other(kind) => Some(Item::Other(Other { raw, kind })),
            Found::Packet { at, length, time, medium, original, shape } => {
                self.packets += 1;
                let bytes = raw.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
                let number = self.packets;
                let link = medium.link;
                Some(Item::Packet(Captured {
                    number,
                    offset,
                    time,
                    link,
                    original,
                    bytes,
                    medium,
                    raw,
                    shape,
                }))
            }
            Found::Problem { fault: found, begins } => {
                self.packets += 1;
                self.ended = found.is_last();
                // A record that ends too early because its compressed form is damaged.
                let fault = self.source.damage.take_if(|it| found == Fault::Ends && !it.is_warning());
                let fault = fault.unwrap_or(found);
                Some(Item::Problem(Problem { number: self.packets, offset: begins, fault }))
            }
        })
    }

    fn rest(&mut self) -> Option<Item<'static>> {
        let fault = self.source.damage.take()?;
        self.packets += 1;
        Some(Item::Problem(Problem { number: self.packets, offset: self.source.offset, fault }))
    }
}

/// What a format's reader found in [`Source::record`].
enum Found {
    End,
    Other(OtherKind),
    Packet { at: usize, length: usize, time: Option<u64>, medium: Medium, original: u32, shape: Shape },
    Problem { fault: Fault, begins: u64 },
}

struct Source<R> {
    inner: BufReader<R>,
    record: Vec<u8>,
    /// Where reading stands in the file.
    offset: u64,
    /// What is wrong with the file's compressed form, and not yet said. The file ends there.
    damage: Option<Fault>,
    /// Whether it ended so.
    broken: bool,
}

impl<R: Read> Source<R> {
    fn new(source: R) -> Self {
        let inner = BufReader::with_capacity(BUFFER, source);
        Self { inner, record: Vec::new(), offset: 0, damage: None, broken: false }
    }

    fn begin(&mut self) -> u64 {
        self.record.clear();
        self.offset
    }

    /// Reads until the record has `length` bytes; false if the file ends before.
    fn extend(&mut self, length: usize) -> io::Result<bool> {
        let missing = length.saturating_sub(self.record.len());
        self.pass(missing as u64, |record, some| record.extend_from_slice(some))
    }

    /// Reads `length` bytes and forgets them; false if the file ends before.
    fn skip(&mut self, length: u64) -> io::Result<bool> {
        self.pass(length, |_, _| {})
    }

    /// Reads `length` bytes, as many at a time as the buffer has; false if the file ends before.
    fn pass(&mut self, length: u64, take: impl Fn(&mut Vec<u8>, &[u8])) -> io::Result<bool> {
        let mut left = length;
        while left > 0 && !self.broken {
            let (some, read) = match self.inner.fill_buf() {
                Ok([]) => break,
                Ok(buffered) => {
                    let some = left.min(buffered.len() as u64) as usize;
                    take(&mut self.record, buffered.get(..some).unwrap_or_default());
                    (some, Ok(()))
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => (0, Err(error)),
            };
            self.end_at_damage(read)?;
            self.inner.consume(some);
            left -= some as u64;
            self.offset += some as u64;
        }
        Ok(left == 0)
    }

    /// Takes damage of the compressed form for the end of the file, and remembers it.
    fn end_at_damage(&mut self, read: io::Result<()>) -> io::Result<()> {
        let Err(error) = read else { return Ok(()) };
        let fault = fault::fault_of(&error).ok_or(error)?;
        (self.damage, self.broken) = (Some(fault), true);
        Ok(())
    }

    /// Why a file is none whose beginning is not all there.
    fn short(&mut self) -> CaptureError {
        match self.damage.take() {
            Some(fault) => CaptureError::Read(io::Error::new(io::ErrorKind::InvalidData, fault.to_string())),
            None => CaptureError::Short(self.record.len()),
        }
    }
}
