//! What can be wrong with a capture file.

use std::{fmt, io};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The file ends before the record does.
    Ends,
    /// The record says it is larger than any packet; it was skipped.
    TooLarge {
        /// The bytes it says it has.
        length: u64,
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
    /// A packet of an interface whose description could not be read.
    UnreadInterface {
        /// The interface's number.
        interface: u32,
    },
    /// A section of a version that nobody has described.
    Version {
        /// The major version.
        major: u16,
        /// The minor version.
        minor: u16,
    },
    /// A block of a section whose header could not be read: nothing is known of its byte order and interfaces.
    UnreadSection,
    /// The file's compressed form is damaged: it says so itself, or it ends too early.
    Damaged(Compression),
    /// A Zstandard frame that needs more memory than is given to it.
    Window {
        /// Bytes of the window that the frame asks for.
        needed: u64,
        /// The most that is given.
        most: u64,
    },
    /// Bytes behind the last gzip member. As for gzip, they are no fault.
    Junk,
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
    pub(super) fn is_last(self) -> bool {
        matches!(self, Self::Ends | Self::BlockLength { .. } | Self::NoByteOrder)
    }

    /// Whether it is only worth saying, since nothing of the capture is missing.
    pub fn is_warning(self) -> bool {
        self == Self::Junk
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends => write!(f, "the file ends in the middle of the record"),
            Self::TooLarge { length } => {
                write!(f, "the record declares {length} bytes, more than any packet")
            }
            Self::DoesNotFit { captured } => {
                write!(f, "the packet's {captured} bytes do not fit into the block around it")
            }
            Self::BlockLength { length } => {
                write!(f, "invalid block length {length}; the rest is not readable")
            }
            Self::LengthsDiffer { front, behind } => {
                write!(f, "the block declares {front} bytes at its beginning and {behind} at its end")
            }
            Self::NoInterface { interface } => {
                write!(f, "a packet of interface {interface}, which the section does not describe")
            }
            Self::UnreadInterface { interface } => {
                write!(f, "a packet of interface {interface}, whose description is not readable")
            }
            Self::Version { major, minor } => {
                write!(f, "the section is pcapng version {major}.{minor}; only 1.0 and 1.2 are supported")
            }
            Self::UnreadSection => write!(f, "the block belongs to a section whose header is not readable"),
            Self::Damaged(compression) => {
                write!(
                    f,
                    "the {compression} data is damaged here, or ends too early; the rest is not readable"
                )
            }
            Self::Window { needed, most } => {
                write!(
                    f,
                    "the Zstandard data needs a window of {} MiB, but at most {} are supported; unpack it first, with 'zstd \
                     -dc --long=31 FILE'",
                    needed.div_ceil(1 << 20),
                    most >> 20
                )
            }
            Self::Junk => write!(f, "the gzip data is followed by other bytes, which are ignored"),
            Self::NoByteOrder => {
                write!(f, "the section has no byte-order magic; the rest is not readable")
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

/// What an error of [`uncompressed`](super::uncompressed)'s reader says of the file, unless it is the system's.
pub(super) fn fault_of(error: &io::Error) -> Option<Fault> {
    error.get_ref()?.downcast_ref::<Damage>().map(|damage| damage.0)
}

/// A fault as an error of a reader.
#[derive(Debug)]
struct Damage(Fault);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Damage {}

/// The error of a reader that found this.
#[cfg(feature = "decompression")]
pub(super) fn damage(fault: Fault) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Damage(fault))
}
