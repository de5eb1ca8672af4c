//! A message and the place for its tag.

use core::fmt;

/// One message of a batch.
#[derive(Debug)]
pub struct Lane<'a, K> {
    /// The prepared key.
    pub key: &'a K,
    /// The whole message.
    pub message: &'a [u8],
    /// Where the tag goes; its length, at most 16, is the length of the tag.
    pub tag: &'a mut [u8],
}

/// A tag of more than 16 bytes was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagTooLong {
    /// The length asked for, in bytes.
    pub length: usize,
}

impl TagTooLong {
    #[inline]
    pub(crate) fn check(tag: &[u8]) -> Result<(), Self> {
        if tag.len() > 16 { Err(Self { length: tag.len() }) } else { Ok(()) }
    }
}

impl fmt::Display for TagTooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AES-CMAC has no tag of {} bytes; ask for at most 16", self.length)
    }
}

impl core::error::Error for TagTooLong {}
