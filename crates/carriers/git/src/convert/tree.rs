//! Trees: every entry is a mode in octal digits, a space, a name, a zero byte, and an object ID in binary.

use super::{Converter, Names, Refusal};
use crate::{ObjectId, ObjectType};

/// Whether a mode, in octal digits of any number, is that of a submodule.
pub fn is_gitlink(mode: &[u8]) -> bool {
    type_bits(mode) == 0o160_000
}

/// The type that an entry's object has to be of; none of modes that Git does not have.
pub(crate) fn kind_of_mode(mode: &[u8]) -> Option<ObjectType> {
    match type_bits(mode) {
        0o040_000 => Some(ObjectType::Tree),
        // Files and symbolic links.
        0o100_000 | 0o120_000 => Some(ObjectType::Blob),
        0o160_000 => Some(ObjectType::Commit),
        _ => None,
    }
}

fn type_bits(mode: &[u8]) -> u32 {
    let mode = mode.iter().fold(0u32, |mode, digit| (mode << 3) | u32::from(digit.wrapping_sub(b'0') & 7));
    mode & 0o170_000
}

/// One entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The mode as it is written, `100644` or not.
    pub mode: &'a [u8],
    /// The name.
    pub name: &'a [u8],
    /// Mode, space, name, zero byte.
    pub head: &'a [u8],
    /// The ID.
    pub id: &'a [u8],
}

/// The entries of a tree; ends after the first that is malformed.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    rest: &'a [u8],
    len: usize,
    id_len: usize,
}

impl<'a> Entries<'a> {
    /// The entries of a tree whose IDs have `id_len` bytes.
    pub fn new(content: &'a [u8], id_len: usize) -> Entries<'a> {
        Entries { rest: content, len: content.len(), id_len }
    }

    /// Where the next entry begins.
    pub fn offset(&self) -> usize {
        self.len - self.rest.len()
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = first_entry(self.rest, self.id_len);
        let offset = self.offset();
        match entry {
            Some(entry) => {
                self.rest = self.rest.get(entry.head.len() + self.id_len..).unwrap_or_default();
                Some(Ok(entry))
            }
            None => {
                self.rest = &[];
                Some(Err(Refusal::Malformed { what: "a tree's entry is malformed", offset }))
            }
        }
    }
}

/// The entry at the beginning of `bytes`. None if there is none: Git wants octal digits, a space, a name, an ID.
pub(crate) fn first_entry(bytes: &[u8], id_len: usize) -> Option<Entry<'_>> {
    let zero = bytes.iter().position(|&byte| byte == 0)?;
    let (line, _) = bytes.split_at_checked(zero)?;
    let space = line.iter().position(|&byte| byte == b' ')?;
    let (mode, name) = (line.get(..space)?, line.get(space + 1..)?);
    let id = bytes.get(zero + 1..zero + 1 + id_len)?;
    let well_formed =
        !mode.is_empty() && mode.iter().all(|digit| matches!(digit, b'0'..=b'7')) && !name.is_empty();
    well_formed.then_some(Entry { mode, name, head: bytes.get(..=zero)?, id })
}

pub(super) fn convert(
    converter: &Converter,
    content: &[u8],
    names: &dyn Names,
    new: &mut Vec<u8>,
) -> Result<(), Refusal> {
    for entry in Entries::new(content, converter.from.id_len) {
        let entry = entry?;
        let renamed = if is_gitlink(entry.mode) { names.submodule(entry.id) } else { names.object(entry.id) };
        let Some(renamed) = renamed else { return Err(unmapped(&entry)) };
        new.extend_from_slice(entry.head);
        new.extend_from_slice(renamed.as_bytes());
    }
    Ok(())
}

fn unmapped(entry: &Entry<'_>) -> Refusal {
    let path = String::from_utf8_lossy(entry.name).into_owned();
    match ObjectId::from_bytes(entry.id) {
        Some(id) if is_gitlink(entry.mode) => Refusal::Submodule { path, id },
        Some(id) => Refusal::Unmapped { role: path, id },
        None => Refusal::Malformed { what: "an object ID is empty", offset: 0 },
    }
}
