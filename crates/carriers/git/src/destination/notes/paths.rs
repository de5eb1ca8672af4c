//! The paths of notes, from one tree of notes to the next: only what differs is looked at.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::tree::{Folder, Leaf, Note};
use super::{Pool, WAITS};
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
    /// Objects by their new names, from when a path looks like one.
    by_new: OnceCell<HashMap<ObjectId, u32>>,
    /// Commits of notes that were written anew, and all that are to be.
    pub(super) commits: HashMap<u32, ObjectId>,
    pub(super) of_notes: HashSet<u32>,
}

#[derive(Default)]
pub(super) struct Count {
    pub(super) renamed: u64,
    /// What those are about that have their old path.
    pub(super) kept: Vec<ObjectId>,
}

/// What is in one tree and not in the other.
#[derive(Clone, Copy)]
enum Change {
    Leave,
    Enter,
}

/// What stands before an entry's ID.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Head<'h> {
    mode: &'h [u8],
    name: &'h [u8],
}

impl<'h> Head<'h> {
    /// Of the bytes with the space between them and the zero byte behind.
    fn new(bytes: &'h [u8]) -> Head<'h> {
        let mut parts = bytes.strip_suffix(b"\0").unwrap_or(bytes).splitn(2, |&byte| byte == b' ');
        Head { mode: parts.next().unwrap_or_default(), name: parts.next().unwrap_or_default() }
    }

    fn is_tree(&self) -> bool {
        self.mode == b"40000"
    }
}

impl<'w, 'a> Paths<'w, 'a> {
    pub(super) fn new(conversion: &'w Conversion<'a>, options: &'w Options<'w>) -> Paths<'w, 'a> {
        let (root, by_new) = (Folder::default(), OnceCell::new());
        let (commits, of_notes) = (HashMap::new(), HashSet::new());
        Paths { conversion, options, current: None, root, regular: HashMap::new(), by_new, commits, of_notes }
    }

    pub(super) fn restart(&mut self) {
        (self.current, self.root) = (None, Folder::default());
    }

    /// Takes over another tree.
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

    pub(super) fn write(&mut self, pool: &mut Pool<'_, '_>) -> Result<ObjectId, Error> {
        self.root.write(pool)
    }

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
        let head = |tree: &Option<Tree<'w, 'a>>, entry: &Entry| -> Head<'w> {
            Head::new(tree.map_or(&[][..], |tree| tree.lister.heads.bytes(entry.head)))
        };
        let mut before: HashMap<Head<'w>, Entry> =
            entries(&old).iter().map(|entry| (head(&old, entry), *entry)).collect();
        let (mut removed, mut added, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries(&new) {
            let head = head(&new, entry);
            match before.remove(&head) {
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
            self.one(Change::Leave, &old, head, entry, digits)?;
        }
        for (head, old, new) in changed {
            self.below(head, Some(old), Some(new), digits)?;
        }
        for (head, entry) in added {
            self.one(Change::Enter, &new, head, entry, digits)?;
        }
        Ok(())
    }

    /// [`change`](Self::change) in a directory.
    fn below(
        &mut self,
        head: Head<'_>,
        old: Option<u32>,
        new: Option<u32>,
        digits: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let len = digits.len();
        digits.extend_from_slice(head.name);
        self.change(old, new, digits)?;
        digits.truncate(len);
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

    /// The number of the tree if an entry is a directory of notes.
    fn folder(&mut self, head: Head<'_>, entry: Entry, digits: &[u8]) -> Option<u32> {
        let longest = self.conversion.objects.id_len().max(self.conversion.to.id_len());
        let is_folder = head.is_tree()
            && head.name.len() == 2
            && head.name.iter().all(is_digit)
            && digits.len() + 2 < 2 * longest;
        let has_any =
            |tree: u32| self.conversion.graph.tree(tree).is_some_and(|tree| !tree.entries.is_empty());
        entry.tree().filter(|&tree| is_folder && has_any(tree)).filter(|&tree| self.is_regular(tree))
    }

    /// Takes an entry out or puts it in, with all that is below it.
    fn one(
        &mut self,
        change: Change,
        tree: &Option<Tree<'w, 'a>>,
        head: Head<'w>,
        entry: Entry,
        digits: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        if let Some(folder) = self.folder(head, entry, digits) {
            return match change {
                Change::Leave => self.below(head, Some(folder), None, digits),
                Change::Enter => self.below(head, None, Some(folder), digits),
            };
        }
        let Some(tree) = tree else { return Ok(()) };
        let (path, note) = self.new_path(digits, head)?;
        let parts = parts(&path, digits.len() / 2)
            .ok_or("one of its notes is nested in more directories than its new name has digits for")?;
        match change {
            Change::Leave => self.root.remove(&parts, head.is_tree()),
            Change::Enter => {
                let conversion = self.conversion;
                let id = new_id(tree, entry, &conversion.new_ids, &self.options.submodules);
                let id = id.map_err(|_| "an entry of its trees has no new ID")?;
                if !self.root.insert(&parts, Leaf { mode: head.mode.to_vec(), id, note }) {
                    return Err("two of its entries would have one path");
                }
            }
        }
        Ok(())
    }

    /// The digits of all directories and the last part behind them, and whether it is a note.
    ///
    /// A path that is an object's new name, and so no note here, would be one in the new repository. It changes places
    /// with what is no note there: the old name. So nothing becomes a note that was none, and the way back is the same rule.
    /// To Git, capital letters are digits too. A name in capitals becomes one; one that mixes both would not lead back.
    fn new_path(&self, digits: &[u8], head: Head<'_>) -> Result<(Vec<u8>, Note), &'static str> {
        let old = [digits, head.name].concat();
        let [from, to] = [self.conversion.objects.id_len(), self.conversion.to.id_len()].map(|len| 2 * len);
        let is_name = [from, to].contains(&old.len()) && old.iter().all(is_digit) && !head.is_tree();
        let Some(id) = ObjectId::from_hex(&old).filter(|_| is_name) else { return Ok((old, Note::No)) };
        let has_capitals = old.iter().any(u8::is_ascii_uppercase);
        let path = |id: ObjectId| match has_capitals {
            true => id.to_string().to_ascii_uppercase().into_bytes(),
            false => id.to_string().into_bytes(),
        };
        let is_mixed = has_capitals && old.iter().any(u8::is_ascii_lowercase);
        if old.len() != from {
            let old_id = self.old_id(&id).filter(|_| !is_mixed);
            return Ok((old_id.map_or(old, path), Note::No));
        }
        let number = self.conversion.objects.find(id.as_bytes());
        let new = match number.filter(|number| self.of_notes.contains(number)) {
            Some(number) => Some(*self.commits.get(&number).ok_or(WAITS)?),
            None => self.conversion.new_id(&id),
        };
        Ok(match new {
            Some(new) if !is_mixed => (path(new), Note::Renamed),
            _ => (old, Note::Kept(id)),
        })
    }

    fn old_id(&self, new: &ObjectId) -> Option<ObjectId> {
        let conversion = self.conversion;
        let by_new = self.by_new.get_or_init(|| {
            let numbers =
                (0..conversion.objects.len() as u32).filter(|&number| conversion.is_converted(number));
            numbers.filter_map(|number| Some((conversion.new_ids.get_id(number)?, number))).collect()
        });
        ObjectId::from_bytes(conversion.objects.id(*by_new.get(new)?))
    }

    /// Whether a tree has each name once, in Git's order: only then is it made again from the list of its entries.
    fn is_regular(&mut self, number: u32) -> bool {
        if let Some(&known) = self.regular.get(&number) {
            return known;
        }
        let is_regular = self.conversion.graph.tree(number).is_some_and(|tree| {
            let keys = tree.entries.iter().map(|entry| {
                let head = Head::new(tree.lister.heads.bytes(entry.head));
                let slash = if head.is_tree() { &b"/"[..] } else { b"" };
                [head.name, slash].concat()
            });
            let keys: Vec<Vec<u8>> = keys.collect();
            let names: HashSet<&[u8]> =
                keys.iter().map(|key| key.strip_suffix(b"/").unwrap_or(key)).collect();
            keys.is_sorted() && names.len() == keys.len()
        });
        self.regular.insert(number, is_regular);
        is_regular
    }
}

/// A path of so many directories of two digits each and the rest; none if nothing is left for that.
fn parts(path: &[u8], folders: usize) -> Option<Vec<&[u8]>> {
    let (digits, rest) = path.split_at_checked(2 * folders)?;
    (!rest.is_empty()).then(|| digits.chunks(2).chain([rest]).collect())
}

/// As Git reads IDs; it writes small letters alone.
fn is_digit(byte: &u8) -> bool {
    byte.is_ascii_hexdigit()
}
