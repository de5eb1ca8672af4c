//! Object IDs: what a hash function of 20 to 32 bytes makes of an object.

use std::fmt;
use std::str::FromStr;

/// The ID of an object under some hash function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; ObjectId::LONGEST],
    len: u8,
}

impl ObjectId {
    /// Bytes of the longest ID: 256 bits, since Git's formats have no room for more.
    pub const LONGEST: usize = 32;

    /// None unless there are 1 to [`LONGEST`](Self::LONGEST) bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<ObjectId> {
        let mut id = ObjectId { bytes: [0; ObjectId::LONGEST], len: u8::try_from(bytes.len()).ok()? };
        if bytes.is_empty() {
            return None;
        }
        id.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(id)
    }

    /// None unless it is an even number of hexadecimal digits of an ID's length.
    pub fn from_hex(hex: &[u8]) -> Option<ObjectId> {
        let mut bytes = [0; ObjectId::LONGEST];
        let bytes = bytes.get_mut(..hex.len() / 2)?;
        decode_hex(hex, bytes)?;
        ObjectId::from_bytes(bytes)
    }

    /// The ID as bytes, as trees and pack indexes hold it.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl AsRef<[u8]> for ObjectId {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ObjectId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<ObjectId, NotAnId> {
        ObjectId::from_hex(text.as_bytes()).ok_or_else(|| NotAnId(text.to_owned()))
    }
}

/// The text is no object ID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid object ID '{0}': expected 40 hexadecimal digits (SHA-1), 64 (SHA-256), or another even number up to 64"
)]
pub struct NotAnId(pub String);

/// Decodes hexadecimal digits of either case. None unless `hex` is exactly twice as long as `bytes` and all digits.
pub fn decode_hex(hex: &[u8], bytes: &mut [u8]) -> Option<()> {
    if hex.len() != 2 * bytes.len() {
        return None;
    }
    let digit = |byte: u8| (byte as char).to_digit(16);
    for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    }
    Some(())
}

/// Appends an ID as lower-case hexadecimal digits, as commits and tags hold it.
pub fn encode_hex(bytes: &[u8], text: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.extend(
        bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
    );
}
