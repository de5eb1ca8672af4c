//! What stands before the ID in a tree's entry, each distinct one once.

use std::collections::HashMap;

use crate::ObjectType;
use crate::convert::kind_of_mode;

/// Mode, space, name and zero byte of entries, numbered. A repository has a few thousand of them for millions of entries.
#[derive(Default)]
pub(crate) struct Heads {
    numbers: HashMap<Box<[u8]>, u32>,
    heads: Vec<Head>,
    /// The length of each once more: finding entries by their offset needs nothing else.
    lens: Vec<u32>,
}

struct Head {
    bytes: Box<[u8]>,
    /// The same, for copying by a length that the compiler knows.
    padded: Option<[u8; Heads::PADDED]>,
    /// What its object has to be; a submodule's is a commit.
    kind: Option<ObjectType>,
}

impl Heads {
    /// Almost all heads are shorter.
    pub(crate) const PADDED: usize = 32;

    /// The number of a head; `mode` is how it begins.
    pub(crate) fn intern(&mut self, head: &[u8], mode: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(head) {
            return number;
        }
        let number = self.heads.len() as u32;
        let mut padded = [0; Self::PADDED];
        let padded = padded.get_mut(..head.len()).map(|start| start.copy_from_slice(head)).map(|()| padded);
        self.numbers.insert(head.into(), number);
        self.heads.push(Head { bytes: head.into(), padded, kind: kind_of_mode(mode) });
        self.lens.push(head.len() as u32);
        number
    }

    #[inline]
    pub(crate) fn len_of(&self, head: u32) -> usize {
        self.lens.get(head as usize).copied().unwrap_or(0) as usize
    }

    pub(crate) fn bytes(&self, head: u32) -> &[u8] {
        self.heads.get(head as usize).map_or(&[], |head| &head.bytes)
    }

    #[inline]
    pub(crate) fn padded(&self, head: u32) -> Option<&[u8; Self::PADDED]> {
        self.heads.get(head as usize)?.padded.as_ref()
    }

    pub(crate) fn is_gitlink(&self, head: u32) -> bool {
        self.kind(head) == Some(ObjectType::Commit)
    }

    /// What the object of such an entry has to be; none of modes that Git does not have.
    #[inline]
    pub(crate) fn kind(&self, head: u32) -> Option<ObjectType> {
        self.heads.get(head as usize)?.kind
    }

    /// The name, without mode and zero byte.
    pub(crate) fn name(&self, head: u32) -> &[u8] {
        let bytes = self.bytes(head);
        let begin = bytes.iter().position(|&byte| byte == b' ').map_or(0, |space| space + 1);
        bytes.get(begin..bytes.len().saturating_sub(1)).unwrap_or_default()
    }
}
