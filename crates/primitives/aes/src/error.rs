//! What is wrong with a key.

use core::fmt;

/// A key is neither 16 nor 24 nor 32 bytes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLength {
    /// Its length.
    pub found: usize,
}

impl fmt::Display for KeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an AES key has 16, 24 or 32 bytes; this one has {}", self.found)
    }
}

impl core::error::Error for KeyLength {}
