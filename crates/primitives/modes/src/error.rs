//! Why a mode refuses.

use core::fmt;

use fieldtest_block::KeyLength;

/// What was wrong, and what would be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The key's length in bytes is none of the cipher's, or for XTS none of their doubles.
    KeyLength {
        /// Its length.
        found: usize,
    },
    /// The mode has no sectors of this size.
    SectorSize {
        /// Bytes of the sector.
        found: usize,
        /// What the mode takes.
        expected: &'static str,
    },
    /// The data ends within a sector.
    PartialSector {
        /// Bytes of the data.
        length: usize,
        /// Bytes of a sector.
        sector_size: usize,
    },
    /// The nonce has a length that the mode does not take.
    NonceLength {
        /// Bytes of the nonce.
        found: usize,
        /// What the mode takes.
        expected: &'static str,
    },
    /// The tag has a length that the mode does not make.
    TagLength {
        /// Bytes of the tag.
        found: usize,
        /// What the mode makes.
        expected: &'static str,
    },
    /// The tag is not that of the nonce, the associated data and the ciphertext under this key.
    WrongTag,
    /// The message has a length that the mode does not take.
    MessageLength {
        /// Bytes of the message.
        found: u64,
        /// What the mode takes.
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength { found } => write!(
                f,
                "a key of {found} bytes; the ciphers have 16, 24 and 32, and XTS twice as many for its two keys"
            ),
            Self::SectorSize { found, expected } => {
                write!(f, "sectors of {found} bytes; this mode takes {expected}")
            }
            Self::PartialSector { length, sector_size } => write!(
                f,
                "{length} bytes are not a multiple of the sector size of {sector_size} bytes; pass whole sectors"
            ),
            Self::NonceLength { found, expected } => {
                write!(f, "a nonce of {found} bytes; this mode takes {expected}")
            }
            Self::TagLength { found, expected } => {
                write!(f, "a tag of {found} bytes; this mode makes {expected}")
            }
            Self::WrongTag => f.write_str(
                "the tag does not verify: the message, its associated data, the nonce or the key is another one",
            ),
            Self::MessageLength { found, expected } => {
                write!(f, "a message of {found} bytes; this mode takes {expected}")
            }
        }
    }
}

impl core::error::Error for Error {}

impl From<KeyLength> for Error {
    fn from(KeyLength { found }: KeyLength) -> Self {
        Self::KeyLength { found }
    }
}
