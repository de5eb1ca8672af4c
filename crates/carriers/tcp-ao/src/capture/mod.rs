//! Capture files: pcap and pcapng, read as a stream, rewritten packet by packet, and written anew.
//!
//! [`Reader`] hands out one [`Item`] after another, each borrowed from a buffer that is used again: memory does not
//! grow with the file, and no length in a file is believed before that many bytes are there. What is wrong with a
//! record is an item too ([`Problem`]), so that one bad record does not hide those behind it. Every item of a file
//! carries the bytes it was read from, so that [`Rewriter`] can copy all it does not understand.
//!
//! The reader is our own because no crate gives what this one needs: `pcap-file` and `pcap-parser` stop at the first
//! record they refuse and do not say where in the file it stood, and neither can write a record back with another
//! packet and everything else unchanged.

mod compressed;
mod link;
mod pcap;
mod pcapng;
mod rewrite;
mod writer;

use std::fmt;
use std::io::{self, BufReader, Read};

use thiserror::Error;

pub use compressed::uncompressed;
pub use link::{LinkType, Unframed, network_layer};
pub use rewrite::Rewriter;
pub use writer::Writer;

/// Bytes of the largest record that is kept; larger ones are skipped. A TCP packet has at most 65,575 bytes without
/// its link header, and libpcap itself cuts packets at 262,144.
const LARGEST_RECORD: usize = 1 << 20;

/// Bytes of the reader's buffer.
const BUFFER: usize = 1 << 18;

/// The order of the bytes in a file or section.
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

    /// The 16-bit field at `place`, if it is there.
    fn u16_at(self, bytes: &[u8], place: usize) -> Option<u16> {
        bytes.get(place..)?.first_chunk().map(|field| self.u16(*field))
    }

    /// The 32-bit field at `place`, if it is there.
    fn u32_at(self, bytes: &[u8], place: usize) -> Option<u32> {
        bytes.get(place..)?.first_chunk().map(|field| self.u32(*field))
    }
}

/// How a record keeps its packet, which is what [`Rewriter`] needs to put another in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Pcap(ByteOrder),
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
    raw: &'a [u8],
    shape: Shape,
}

impl Captured<'_> {
    /// Whether the capture cut the packet's end off.
    pub fn is_snapped(&self) -> bool {
        self.original as usize > self.bytes.len()
    }
}

/// What a capture file consists of.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    /// A packet.
    Packet(Captured<'a>),
    /// A record that could not be read, and was left out.
    Problem(Problem),
    /// Anything else: the file header, the blocks of pcapng that hold no packet.
    Other(Other<'a>),
}

/// Bytes of a capture file that are no packet.
#[derive(Debug, Clone, Copy)]
pub struct Other<'a> {
    raw: &'a [u8],
    /// Where the snapshot length stands, if this has one.
    snapshot_length: Option<(usize, ByteOrder)>,
}

/// Something wrong in a capture file. The record is left out; reading goes on behind it if its end can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// The number of the packet, or the one it would have had.
    pub number: u64,
    /// Where the record begins in the file, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a record of a capture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The file ends before the record does.
    Ends,
    /// The record says it is larger than any packet; it was skipped.
    TooLarge {
        /// The bytes it says it has.
        length: u64,
    },
    /// More bytes are captured than the packet had.
    MoreThanWas {
        /// Bytes captured.
        captured: u32,
        /// Bytes the packet had.
        original: u32,
    },
    /// A packet that does not fit into its block.
    DoesNotFit {
        /// Bytes of the packet.
        captured: u32,
    },
    /// A block's length that cannot be (less than 12, or not a multiple of 4): what follows cannot be found.
    BlockLength {
        /// The length it says.
        length: u32,
    },
    /// The two lengths of a block differ.
    LengthsDiffer {
        /// The length in front.
        front: u32,
        /// The length behind.
        behind: u32,
    },
    /// A packet of an interface that the section does not describe.
    NoInterface {
        /// The interface's number.
        interface: u32,
    },
    /// A section that does not say its byte order.
    NoByteOrder,
    /// A block that is too short for its kind.
    ShortBlock {
        /// The kind.
        kind: u32,
    },
    /// More interfaces in one section than are remembered.
    TooManyInterfaces,
}

impl Fault {
    /// Whether what follows the record cannot be found.
    fn is_last(self) -> bool {
        matches!(self, Self::Ends | Self::BlockLength { .. } | Self::NoByteOrder)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends => write!(f, "the file ends in the middle of the record"),
            Self::TooLarge { length } => {
                write!(f, "the record says it has {length} bytes, more than any packet")
            }
            Self::MoreThanWas { captured, original } => {
                write!(f, "{captured} bytes captured of a packet of {original}")
            }
            Self::DoesNotFit { captured } => {
                write!(f, "the packet's {captured} bytes do not fit into the block around it")
            }
            Self::BlockLength { length } => {
                write!(f, "no block can have {length} bytes; what follows cannot be read")
            }
            Self::LengthsDiffer { front, behind } => {
                write!(f, "the block says {front} bytes in front and {behind} behind")
            }
            Self::NoInterface { interface } => {
                write!(f, "a packet of interface {interface}, which the section does not describe")
            }
            Self::NoByteOrder => {
                write!(f, "the section has no byte-order magic; what follows cannot be read")
            }
            Self::ShortBlock { kind } => write!(f, "the block is too short for its kind ({kind:#x})"),
            Self::TooManyInterfaces => write!(f, "the section describes too many interfaces"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {} at byte {}: {}", self.number, self.offset, self.fault)
    }
}

/// A capture file that cannot be read at all, or no further.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The system's error.
    #[error("the capture cannot be read")]
    Read(#[from] io::Error),
    /// Neither pcap nor pcapng.
    #[error("not a capture: it begins with {0:02x?}; pcap and pcapng files are understood")]
    NotACapture([u8; 4]),
    /// Shorter than the header of any capture file.
    #[error("not a capture: it ends after {0} bytes")]
    Short(usize),
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
        let mut source =
            Source { inner: BufReader::with_capacity(BUFFER, source), record: Vec::new(), offset: 0 };
        source.begin();
        if !source.extend(4)? {
            return Err(CaptureError::Short(source.record.len()));
        }
        let magic = source.record.first_chunk().copied().unwrap_or_default();
        let format = match magic {
            pcapng::MAGIC => Format::Pcapng(pcapng::File::new()),
            _ => Format::Pcap(pcap::File::new(magic).ok_or(CaptureError::NotACapture(magic))?),
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
            return Ok(None);
        }
        let read = match &mut self.format {
            Format::Pcap(file) => file.next(&mut self.source)?,
            Format::Pcapng(file) => file.next(&mut self.source)?,
        };
        let offset = self.source.offset - self.source.record.len() as u64;
        let raw = self.source.record.as_slice();
        Ok(match read {
            Found::End => {
                self.ended = true;
                None
            }
            Found::Other { snapshot_length } => Some(Item::Other(Other { raw, snapshot_length })),
            Found::Packet { at, length, time, link, original, shape } => {
                self.packets += 1;
                let bytes = raw.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
                let number = self.packets;
                Some(Item::Packet(Captured { number, offset, time, link, original, bytes, raw, shape }))
            }
            Found::Problem { fault, begins } => {
                self.packets += 1;
                self.ended = fault.is_last();
                Some(Item::Problem(Problem { number: self.packets, offset: begins, fault }))
            }
        })
    }
}

/// What a format's reader found in [`Source::record`].
enum Found {
    End,
    Other { snapshot_length: Option<(usize, ByteOrder)> },
    Packet { at: usize, length: usize, time: Option<u64>, link: LinkType, original: u32, shape: Shape },
    Problem { fault: Fault, begins: u64 },
}

/// The file and the record that is being read.
struct Source<R> {
    inner: BufReader<R>,
    record: Vec<u8>,
    /// Where reading stands in the file.
    offset: u64,
}

impl<R: Read> Source<R> {
    /// Begins a new record; returns its place.
    fn begin(&mut self) -> u64 {
        self.record.clear();
        self.offset
    }

    /// Reads until the record has `length` bytes; false if the file ends before.
    fn extend(&mut self, length: usize) -> io::Result<bool> {
        let missing = length.saturating_sub(self.record.len());
        let read = self.inner.by_ref().take(missing as u64).read_to_end(&mut self.record)?;
        self.offset += read as u64;
        Ok(read == missing)
    }

    /// Reads `length` bytes and forgets them; false if the file ends before.
    fn skip(&mut self, length: u64) -> io::Result<bool> {
        let skipped = io::copy(&mut self.inner.by_ref().take(length), &mut io::sink())?;
        self.offset += skipped;
        Ok(skipped == length)
    }
}
