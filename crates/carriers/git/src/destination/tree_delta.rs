//! The new form of a tree as a delta on the new form of another, made of the two lists of entries.
//!
//! Where the source pack had a delta between two trees, they have most entries in common. Both lists follow Git's order of
//! names, so one pass over both finds what is common: whole entries, and of entries that name another object the mode and
//! the name.

use std::cmp::Ordering;
use std::ptr;

use crate::convert::Refusal;
use crate::map::{Entry, Heads, NewIds, Submodules, Tree, new_id};

/// Overwrites `delta` with the instructions that make the new form of `tree` of that of `base`. False if their lists have
/// nothing to do with each other.
pub(super) fn between(
    base: &Tree<'_, '_>,
    tree: &Tree<'_, '_>,
    new_ids: &NewIds,
    submodules: &Submodules<'_>,
    delta: &mut Vec<u8>,
) -> Result<bool, Refusal> {
    if !ptr::eq(base.lister, tree.lister) {
        return Ok(false);
    }
    let heads = &tree.lister.heads;
    let id_len = new_ids.id_len();
    let entry_len = |entry: &Entry| heads.len_of(entry.head) + id_len;
    delta.clear();
    for entries in [base.entries, tree.entries] {
        push_size(entries.iter().map(entry_len).sum(), delta);
    }

    let mut writer = DeltaWriter { delta, copy: None, insert: Vec::new() };
    let (mut old, mut offset) = (base.entries.iter().peekable(), 0);
    for entry in tree.entries.iter() {
        while let Some(before) =
            old.next_if(|old| *old != entry && old.head != entry.head && precedes(heads, old, entry))
        {
            offset += entry_len(before);
        }
        if let Some(same) = old.next_if_eq(&entry) {
            writer.copy(offset, entry_len(same));
            offset += entry_len(same);
            continue;
        }
        let new = new_id(tree, *entry, new_ids, submodules)?;
        if let Some(renamed) = old.next_if(|old| old.head == entry.head) {
            writer.copy(offset, heads.len_of(entry.head));
            offset += entry_len(renamed);
        } else {
            writer.insert(heads.bytes(entry.head));
        }
        writer.insert(new.as_bytes());
    }
    writer.finish();
    Ok(true)
}

/// Whether an entry stands before another in Git's order, in which a tree's name ends with a slash.
fn precedes(heads: &Heads, first: &Entry, second: &Entry) -> bool {
    let key = |entry: &Entry| {
        let slash = entry.tree().map(|_| &b'/');
        heads.name(entry.head).iter().chain(slash)
    };
    key(first).cmp(key(second)) == Ordering::Less
}

/// Instructions, copies that continue each other as one (gitformat-pack(5), "Deltified representation").
struct DeltaWriter<'d> {
    delta: &'d mut Vec<u8>,
    /// A copy that may go on: offset and length.
    copy: Option<(usize, usize)>,
    /// Bytes that are to be inserted after it.
    insert: Vec<u8>,
}

impl DeltaWriter<'_> {
    fn copy(&mut self, offset: usize, len: usize) {
        match &mut self.copy {
            Some((begin, copied)) if self.insert.is_empty() && *begin + *copied == offset => *copied += len,
            _ => {
                self.write_copy();
                self.write_insert();
                self.copy = Some((offset, len));
            }
        }
    }

    fn insert(&mut self, bytes: &[u8]) {
        self.insert.extend_from_slice(bytes);
    }

    fn finish(mut self) {
        self.write_copy();
        self.write_insert();
    }

    fn write_copy(&mut self) {
        /// The most that one instruction copies in packs of version 2.
        const LONGEST: usize = 0x1_0000;
        let Some((mut offset, mut len)) = self.copy.take() else { return };
        while len > 0 {
            let now = len.min(LONGEST);
            let code = self.delta.len();
            self.delta.push(0x80);
            // The length that is the commonest of all is written as none.
            let number = [(offset as u64, 4), (if now == LONGEST { 0 } else { now as u64 }, 3)];
            let bytes = number.iter().flat_map(|(value, bytes)| value.to_le_bytes().into_iter().take(*bytes));
            for (bit, byte) in bytes.enumerate().filter(|(_, byte)| *byte != 0) {
                self.delta.push(byte);
                if let Some(code) = self.delta.get_mut(code) {
                    *code |= 1 << bit;
                }
            }
            offset += now;
            len -= now;
        }
    }

    fn write_insert(&mut self) {
        for bytes in self.insert.chunks(127) {
            self.delta.push(bytes.len() as u8);
            self.delta.extend_from_slice(bytes);
        }
        self.insert.clear();
    }
}

/// 7 bits in each byte, low ones first.
fn push_size(size: usize, delta: &mut Vec<u8>) {
    let mut rest = size;
    while rest >= 0x80 {
        delta.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    delta.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::DeltaWriter;
    use crate::pack::delta::Delta;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn instructions_make_what_they_were_made_for(
            base in prop::collection::vec(any::<u8>(), 1..200_000),
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0_usize..100_000), 0..20),
        ) {
            let mut result = Vec::new();
            let mut instructions = Vec::new();
            let mut writer = DeltaWriter { delta: &mut instructions, copy: None, insert: Vec::new() };
            for (is_copy, at, len) in steps {
                let begin = at.index(base.len());
                let bytes = &base[begin..(begin + len).min(base.len())];
                let bytes = if is_copy { bytes } else { &bytes[..bytes.len().min(300)] };
                result.extend_from_slice(bytes);
                if is_copy { writer.copy(begin, bytes.len()) } else { writer.insert(bytes) }
            }
            writer.finish();
            let mut delta = Vec::new();
            super::push_size(base.len(), &mut delta);
            super::push_size(result.len(), &mut delta);
            delta.extend(instructions);
            let mut applied = Vec::new();
            Delta::parse(&delta).expect("sizes").apply(&base, &mut applied).expect("it applies");
            prop_assert_eq!(applied, result);
        }
    }
}
