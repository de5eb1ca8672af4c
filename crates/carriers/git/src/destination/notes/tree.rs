//! A tree that changes: what is in each directory, and what has to be written of it.

use std::collections::BTreeMap;

use super::Pool;
use crate::{Error, ObjectId, ObjectType};

/// Deltas between a tree and one that is whole at most, so that reading stays quick (as Git's `--depth`).
const LONGEST_CHAIN: u32 = 50;

#[derive(Default)]
pub(super) struct Folder {
    /// By name, those of trees with a slash behind: Git's order is that of these bytes then.
    entries: BTreeMap<Vec<u8>, Item>,
    /// Its name since it was last written, unless it changed.
    id: Option<ObjectId>,
    /// What was last written of it: the name, the content, and how many deltas lead there.
    last: Option<(ObjectId, Vec<u8>, u32)>,
}

enum Item {
    Folder(Folder),
    Leaf(Leaf),
}

/// What is not followed: a note, or whatever else lies between notes.
#[derive(Clone)]
pub(super) struct Leaf {
    /// In octal digits, as it was written.
    pub(super) mode: Vec<u8>,
    pub(super) id: ObjectId,
    pub(super) note: Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    No,
    /// A note by the new ID.
    Renamed,
    /// A note on an object without a new ID, by its old one.
    Kept(ObjectId),
}

impl Folder {
    /// Enters a leaf. False if there is something already.
    pub(super) fn insert(&mut self, path: &[&[u8]], leaf: Leaf) -> bool {
        self.id = None;
        match path {
            [] => false,
            [name] => {
                let slash = if leaf.mode == b"40000" { &b"/"[..] } else { b"" };
                let others = if slash.is_empty() { &b"/"[..] } else { b"" };
                let is_free = !self.entries.contains_key(&[name, others].concat());
                is_free && self.entries.insert([name, slash].concat(), Item::Leaf(leaf)).is_none()
            }
            [name, rest @ ..] => {
                let item = self.entries.entry([name, &b"/"[..]].concat());
                match item.or_insert_with(|| Item::Folder(Folder::default())) {
                    Item::Folder(folder) => folder.insert(rest, leaf),
                    Item::Leaf(_) => false,
                }
            }
        }
    }

    /// Removes a leaf, and directories that are empty then.
    pub(super) fn remove(&mut self, path: &[&[u8]], is_tree: bool) {
        self.id = None;
        let Some((name, rest)) = path.split_first() else { return };
        let slash = if is_tree || !rest.is_empty() { &b"/"[..] } else { b"" };
        let key = [name, slash].concat();
        let is_empty = match self.entries.get_mut(&key) {
            Some(Item::Folder(folder)) if !rest.is_empty() => {
                folder.remove(rest, is_tree);
                folder.entries.is_empty()
            }
            Some(Item::Leaf(_)) if rest.is_empty() => true,
            _ => false,
        };
        if is_empty {
            self.entries.remove(&key);
        }
    }

    /// Its name, after all that changed was written.
    pub(super) fn write(&mut self, pool: &mut Pool<'_, '_>) -> Result<ObjectId, Error> {
        if let Some(id) = self.id {
            return Ok(id);
        }
        let mut content = Vec::new();
        for (key, item) in &mut self.entries {
            let (mode, id) = match item {
                Item::Folder(folder) => (&b"40000"[..], folder.write(pool)?),
                Item::Leaf(leaf) => (leaf.mode.as_slice(), leaf.id),
            };
            content.extend_from_slice(mode);
            content.push(b' ');
            content.extend_from_slice(key.strip_suffix(b"/").unwrap_or(key));
            content.push(0);
            content.extend_from_slice(id.as_bytes());
        }
        let base = self.last.as_ref().filter(|(.., deltas)| *deltas < LONGEST_CHAIN);
        let before = pool.made.len();
        let id =
            pool.put(ObjectType::Tree, &content, base.map(|(id, before, _)| (*id, before.as_slice())))?;
        let deltas = base.map_or(0, |(.., deltas)| deltas + 1);
        // Only what was made here can be a base; what was there already lies elsewhere in the pack.
        self.last = (pool.made.len() > before).then_some((id, content, deltas));
        self.id = Some(id);
        Ok(id)
    }

    pub(super) fn each_note(&self, found: &mut dyn FnMut(Note)) {
        for item in self.entries.values() {
            match item {
                Item::Folder(folder) => folder.each_note(found),
                Item::Leaf(leaf) => found(leaf.note),
            }
        }
    }
}
