//! What can be wrong with a capture file.

use std::{fmt, io};

use thiserror::Error;

/// Something wrong in a capture file. The record is left out; reading goes on behind it if its end can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("record {number} at byte {offset}: {fault}")]
pub struct Problem {
    /// The number of the packet, or the one it would have had.
    pub number: u64,
    /// Where the record begins in the file, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What a file, and each member of it, begins with that gzip compressed (RFC 1952, section 2.3.1).
pub(super) const GZIP: &[u8] = &[0x1f, 0x8b];

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// RFC 1952.
    Gzip,
    /// The format of xz-utils.
    Xz,
    /// RFC 8878.
    Zstandard,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstandard => "Zstandard",
        })
    }
}

/// What can be wrong with a record of a capture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Fault {
    /// The file ends before the record does.
    #[error("the file ends in the middle of the record")]
    Ends,
    /// The record says it is larger than any packet; it was skipped.
    #[error("the record declares {length} bytes, more than any packet")]
    TooLarge { length: u64 },
    #[error("the packet's {captured} bytes do not fit into the block around it")]
    DoesNotFit { captured: u32 },
    /// A block's length that cannot be (less than 12, or not a multiple of 4): what follows cannot be found.
    #[error("invalid block length {length}; the rest is not readable")]
    BlockLength { length: u32 },
    #[error("the block declares {front} bytes at its beginning and {behind} at its end")]
    LengthsDiffer { front: u32, behind: u32 },
    #[error("a packet of interface {interface}, which the section does not describe")]
    NoInterface { interface: u32 },
    #[error("a packet of interface {interface}, whose description is not readable")]
    UnreadInterface { interface: u32 },
    /// A section of a version that nobody has described.
    #[error("the section is pcapng version {major}.{minor}; only 1.0 and 1.2 are supported")]
    Version { major: u16, minor: u16 },
    /// A block of a section whose header could not be read: nothing is known of its byte order and interfaces.
    #[error("the block belongs to a section whose header is not readable")]
    UnreadSection,
    /// The file's compressed form is damaged: it says so itself, or it ends too early.
    #[error("the {0} data is damaged here, or ends too early; the rest is not readable")]
    Damaged(Compression),
    /// A Zstandard frame that needs more memory than is given to it.
    #[error(
        "the Zstandard data needs a window of {} MiB, but at most {} are supported; unpack it first, with 'zstd -dc --long=31 FILE'",
        needed.div_ceil(1 << 20),
        most >> 20
    )]
    Window { needed: u64, most: u64 },
    /// Bytes behind the last gzip member. As for gzip, they are no fault.
    #[error("the gzip data is followed by other bytes, which are ignored")]
    Junk,
    /// A section that does not say its byte order.
    #[error("the section has no byte-order magic; the rest is not readable")]
    NoByteOrder,
    #[error("the block is too short for its kind ({kind:#x})")]
    ShortBlock { kind: u32 },
    /// More interfaces in one section than are remembered.
    #[error("the section describes too many interfaces")]
    TooManyInterfaces,
}

impl Fault {
    /// Whether what follows the record cannot be found.
    pub(super) fn is_last(self) -> bool {
        matches!(self, Self::Ends | Self::BlockLength { .. } | Self::NoByteOrder)
    }

    /// Whether it is only worth saying, since nothing of the capture is missing.
    pub fn is_warning(self) -> bool {
        self == Self::Junk
    }
}

/// What an error of [`uncompressed`](super::uncompressed)'s reader says of the file, unless it is the system's.
pub(super) fn fault_of(error: &io::Error) -> Option<Fault> {
    error.get_ref()?.downcast_ref().copied()
}

/// The error of a reader that found this.
#[cfg(feature = "decompression")]
pub(super) fn damage(fault: Fault) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
}
