//! What every object has: a type, and the header that is hashed before its content.

use std::fmt;

use fieldtest_text::words;

words! {
    /// The four types of object, in the order of their numbers in packs. The word stands in headers.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ObjectType as word {
        /// A state of the project with its history.
        Commit = "commit",
        /// A directory.
        Tree = "tree",
        /// A file.
        Blob = "blob",
        /// An annotated tag.
        Tag = "tag",
    }
}

impl ObjectType {
    /// The type of that word.
    pub fn from_word(word: &[u8]) -> Option<ObjectType> {
        ObjectType::ALL.into_iter().find(|kind| kind.word().as_bytes() == word)
    }

    /// Its number in the entries of a pack (gitformat-pack(5)).
    pub const fn pack_number(self) -> u8 {
        match self {
            ObjectType::Commit => 1,
            ObjectType::Tree => 2,
            ObjectType::Blob => 3,
            ObjectType::Tag => 4,
        }
    }
}

impl fmt::Display for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The header that is hashed before an object's content: type, a space, the length in decimal digits, a zero byte.
#[derive(Clone, Copy)]
pub struct Header {
    bytes: [u8; Header::LONGEST],
    len: usize,
}

impl Header {
    /// Bytes of the longest one: `commit`, a space, 20 digits, a zero.
    pub const LONGEST: usize = 28;

    /// The header of an object with so many bytes of content.
    pub fn new(kind: ObjectType, content_len: u64) -> Header {
        let mut header = Header { bytes: [0; Header::LONGEST], len: 0 };
        let mut digits = [0; 20];
        let mut first = digits.len();
        let mut rest = content_len;
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        for part in [kind.word().as_bytes(), b" ", &digits[first..], b"\0"] {
            header.bytes[header.len..header.len + part.len()].copy_from_slice(part);
            header.len += part.len();
        }
        header
    }

    /// The bytes of it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
