//! The paths of notes, from one tree of notes to the next: only what differs is looked at.

use std::collections::HashMap;

use super::Pool;
use super::tree::{Folder, Leaf, Note};
use crate::map::{Conversion, Entry, Options, Tree, new_id};
use crate::{Error, ObjectId};

/// The new form of a tree of notes.
pub(super) struct Paths<'w, 'a> {
    conversion: &'w Conversion<'a>,
    options: &'w Options<'w>,
    /// The old tree that it is the new form of.
    current: Option<u32>,
    root: Folder,
    /// Which trees are written as Git writes them, by their numbers.
    regular: HashMap<u32, bool>,
}

/// How many notes there are.
#[derive(Default)]
pub(super) struct Count {
    pub(super) renamed: u64,
    /// What those are about that have their old path.
    pub(super) kept: Vec<ObjectId>,
}

/// An entry with its old path.
struct Place<'p> {
    /// The folders, two digits each.
    digits: &'p [u8],
    /// The last part.
    name: &'p [u8],
    mode: &'p [u8],
}

impl<'w, 'a> Paths<'w, 'a> {
    pub(super) fn new(conversion: &'w Conversion<'a>, options: &'w Options<'w>) -> Paths<'w, 'a> {
        Paths { conversion, options, current: None, root: Folder::default(), regular: HashMap::new() }
    }

    /// Takes over another tree.
    ///
    /// # Errors
    /// Why its notes cannot be renamed.
    pub(super) fn become_those_of(&mut self, tree: u32) -> Result<(), &'static str> {
        if self.current == Some(tree) {
            return Ok(());
        }
        if !self.is_regular(tree) {
            return Err("a tree of it is not in Git's order");
        }
        let before = self.current.replace(tree);
        self.change(before, Some(tree), &mut Vec::new())
    }

    /// Writes the tree.
    pub(super) fn write(&mut self, pool: &mut Pool<'_, '_>) -> Result<ObjectId, Error> {
        self.root.write(pool)
    }

    /// The notes of the tree at hand.
    pub(super) fn notes(&self) -> Count {
        let mut count = Count::default();
        self.root.each_note(&mut |note| match note {
            Note::No => {}
            Note::Renamed => count.renamed += 1,
            Note::Kept(id) => count.kept.push(id),
        });
        count
    }

    /// Puts the entries of one tree in the place of those of another, both below the same digits.
    fn change(
        &mut self,
        old: Option<u32>,
        new: Option<u32>,
        digits: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let conversion = self.conversion;
        let tree = |number: Option<u32>| number.and_then(|number| conversion.graph.tree(number));
        let (old, new) = (tree(old), tree(new));
        let entries = |tree: &Option<Tree<'w, 'a>>| tree.map_or(&[][..], |tree| tree.entries);
        let head = |tree: &Option<Tree<'w, 'a>>, entry: &Entry| -> &'w [u8] {
            tree.map_or(&[][..], |tree| tree.lister.heads.bytes(entry.head))
        };
        let mut before: HashMap<&[u8], Entry> =
            entries(&old).iter().map(|entry| (head(&old, entry), *entry)).collect();
        let (mut removed, mut added, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries(&new) {
            let head = head(&new, entry);
            match before.remove(head) {
                None => added.push((head, *entry)),
                Some(same) if self.is_same(&old, same, &new, *entry) => {}
                Some(other) => {
                    let folders = [other, *entry].map(|entry| self.folder(head, entry, digits));
                    match folders {
                        [Some(old), Some(new)] => changed.push((head, old, new)),
                        _ => {
                            removed.push((head, other));
                            added.push((head, *entry));
                        }
                    }
                }
            }
        }
        removed.extend(before);
        for (head, entry) in removed {
            self.leave(&old, head, entry, digits)?;
        }
        for (head, old, new) in changed {
            let len = digits.len();
            digits.extend_from_slice(name_of(head));
            self.change(Some(old), Some(new), digits)?;
            digits.truncate(len);
        }
        for (head, entry) in added {
            self.enter(&new, head, entry, digits)?;
        }
        Ok(())
    }

    fn is_same(
        &self,
        old: &Option<Tree<'_, '_>>,
        one: Entry,
        new: &Option<Tree<'_, '_>>,
        other: Entry,
    ) -> bool {
        match (one.number(), other.number()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => {
                let id = |tree: &Option<Tree<'_, '_>>, entry| tree.and_then(|tree| tree.elsewhere(entry));
                id(old, one) == id(new, other)
            }
            _ => false,
        }
    }

    /// The number of the tree if an entry is a folder of notes.
    fn folder(&mut self, head: &[u8], entry: Entry, digits: &[u8]) -> Option<u32> {
        let is_folder = mode_of(head) == b"40000"
            && name_of(head).len() == 2
            && name_of(head).iter().all(is_digit)
            && digits.len() + 2 < 2 * self.conversion.objects.id_len();
        let has_any =
            |tree: u32| self.conversion.graph.tree(tree).is_some_and(|tree| !tree.entries.is_empty());
        entry.tree().filter(|&tree| is_folder && has_any(tree)).filter(|&tree| self.is_regular(tree))
    }

    fn leave(
        &mut self,
        tree: &Option<Tree<'w, 'a>>,
        head: &[u8],
        entry: Entry,
        digits: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        if let Some(folder) = self.folder(head, entry, digits) {
            let len = digits.len();
            digits.extend_from_slice(name_of(head));
            self.change(Some(folder), None, digits)?;
            digits.truncate(len);
            return Ok(());
        }
        if tree.is_some() {
            let place = Place { digits, name: name_of(head), mode: mode_of(head) };
            let (path, _) = self.new_path(&place);
            self.root.remove(&parts(&path, digits.len() / 2), mode_of(head) == b"40000");
        }
        Ok(())
    }

    fn enter(
        &mut self,
        tree: &Option<Tree<'w, 'a>>,
        head: &[u8],
        entry: Entry,
        digits: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        if let Some(folder) = self.folder(head, entry, digits) {
            let len = digits.len();
            digits.extend_from_slice(name_of(head));
            self.change(None, Some(folder), digits)?;
            digits.truncate(len);
            return Ok(());
        }
        let Some(tree) = tree else { return Ok(()) };
        let conversion = self.conversion;
        let id = new_id(tree, entry, &conversion.new_ids, &self.options.submodules);
        let id = id.map_err(|_| "an entry of its trees has no new ID")?;
        let place = Place { digits, name: name_of(head), mode: mode_of(head) };
        let (path, note) = self.new_path(&place);
        let leaf = Leaf { mode: mode_of(head).to_vec(), id, note };
        match self.root.insert(&parts(&path, digits.len() / 2), leaf) {
            true => Ok(()),
            false => Err("two of its entries would have one path"),
        }
    }

    /// The digits of all folders and the last part behind them, and whether it is a note.
    fn new_path(&self, place: &Place<'_>) -> (Vec<u8>, Note) {
        let old = [place.digits, place.name].concat();
        let objects = self.conversion.objects;
        let is_note = old.len() == 2 * objects.id_len()
            && !place.name.is_empty()
            && old.iter().all(is_digit)
            && place.mode != b"40000";
        let Some(id) = ObjectId::from_hex(&old).filter(|_| is_note) else { return (old, Note::No) };
        match self.conversion.new_id(&id) {
            Some(new) => (new.to_string().into_bytes(), Note::Renamed),
            None => (old, Note::Kept(id)),
        }
    }

    /// Whether a tree has each name once, in Git's order: only then is it made again from the list of its entries.
    fn is_regular(&mut self, number: u32) -> bool {
        if let Some(&known) = self.regular.get(&number) {
            return known;
        }
        let is_regular = self.conversion.graph.tree(number).is_some_and(|tree| {
            let keys = tree.entries.iter().map(|entry| {
                let head = tree.lister.heads.bytes(entry.head);
                let slash = if mode_of(head) == b"40000" { &b"/"[..] } else { b"" };
                [name_of(head), slash].concat()
            });
            let keys: Vec<Vec<u8>> = keys.collect();
            let names: std::collections::HashSet<&[u8]> =
                keys.iter().map(|key| key.strip_suffix(b"/").unwrap_or(key)).collect();
            keys.is_sorted() && names.len() == keys.len()
        });
        self.regular.insert(number, is_regular);
        is_regular
    }
}

/// A path of so many folders of two digits each and the rest.
fn parts(path: &[u8], folders: usize) -> Vec<&[u8]> {
    let (digits, rest) = path.split_at_checked(2 * folders).unwrap_or((path, &[]));
    digits.chunks(2).chain([rest]).collect()
}

/// As Git writes IDs; in upper case it reads a note as well, and writes another one.
fn is_digit(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn mode_of(head: &[u8]) -> &[u8] {
    head.split(|&byte| byte == b' ').next().unwrap_or_default()
}

fn name_of(head: &[u8]) -> &[u8] {
    let begin = mode_of(head).len() + 1;
    head.get(begin..head.len().saturating_sub(1)).unwrap_or_default()
}
