//! The new form of a tree as a delta on the new form of another, made of the two lists of entries.
//!
//! Where the source pack had a delta between two trees, they have most entries in common. Both lists follow Git's order of
//! names, so one pass over both finds what is common: whole entries, and of entries that name another object the mode and
//! the name.

use std::cmp::Ordering;
use std::ptr;

use crate::convert::Refusal;
use crate::map::{Entry, Heads, NewIds, Submodules, Tree, new_id};
use crate::pack::delta_write::DeltaWriter;

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
    let [base_len, len] = [base, tree].map(|tree| tree.new_len(id_len));
    let mut writer = DeltaWriter::new(base_len, len, delta);
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
