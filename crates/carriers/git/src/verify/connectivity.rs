//! Looking up what objects, references and reflogs name.

use std::collections::HashSet;
use std::path::Path;

use super::reflogs::Reflogs;
use super::{Missing, NamedBy, Report, Settings, heads, reach};
use crate::convert::{Entries, is_gitlink, kind_of_mode};
use crate::pack::delta::{Delta, Instruction};
use crate::refs::{Target, working_trees};
use crate::{Error, ObjectId, ObjectType, Objects, Problem, Reference, Repository};

/// Where the entries of a tree begin, and where the last one ends.
///
/// Most of a tree is copied from the one that it is a delta on, whose entries were looked up already: only the others
/// are.
pub(super) struct TreeEntries(Vec<u32>);

impl TreeEntries {
    /// Calls `named` with each ID that a tree names and the type that its mode says, except submodules and what its base
    /// names too. None of a tree that
    /// is malformed; what it names before that is found.
    pub(super) fn read(
        content: &[u8],
        id_len: usize,
        base: Option<(&TreeEntries, &[u8])>,
        named: &mut dyn FnMut(&[u8], Option<ObjectType>),
    ) -> Option<TreeEntries> {
        u32::try_from(content.len()).ok()?;
        let mut tree = Tree { content, id_len, at: 0, starts: Vec::new(), named };
        if let Some((base, delta)) = base {
            tree.starts.reserve(base.0.len() + 8);
            tree.changed(&base.0, delta).ok()?;
        }
        while tree.at < content.len() {
            tree.entry()?;
        }
        tree.starts.push(tree.at as u32);
        Some(TreeEntries(tree.starts))
    }
}

struct Tree<'a> {
    content: &'a [u8],
    id_len: usize,
    /// Where the next entry begins.
    at: usize,
    starts: Vec<u32>,
    named: &'a mut dyn FnMut(&[u8], Option<ObjectType>),
}

impl Tree<'_> {
    fn entry(&mut self) -> Option<()> {
        let entry = Entries::new(self.content.get(self.at..)?, self.id_len).next()?.ok()?;
        if !is_gitlink(entry.mode) {
            (self.named)(entry.id, kind_of_mode(entry.mode));
        }
        self.starts.push(self.at as u32);
        self.at += entry.head.len() + self.id_len;
        Some(())
    }

    /// Reads the entries that are not copied from a base with these entries.
    fn changed(&mut self, base: &[u32], delta: &[u8]) -> Result<(), Problem> {
        let mut delta = Delta::parse(delta)?;
        let mut end = 0;
        while let Some(instruction) = delta.next_instruction()? {
            let begin = end;
            match instruction {
                Instruction::Insert(bytes) => end += bytes.len(),
                Instruction::Copy { offset, len } => {
                    end += len;
                    while self.at < end {
                        let copied = self
                            .at
                            .checked_sub(begin)
                            .is_some_and(|at| self.copy(base, offset + at, offset + len));
                        if !copied && self.entry().is_none() {
                            return Err(Problem::Delta("it makes no tree"));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Passes over the base's entries from byte `from` on that end by byte `to`. False if none begins there.
    fn copy(&mut self, base: &[u32], from: usize, to: usize) -> bool {
        let Ok(first) = base.binary_search(&(from as u32)) else { return false };
        let behind = base.partition_point(|start| *start as usize <= to);
        let Some([copied @ .., last]) = base.get(first..behind) else { return false };
        let moved = (self.at as u32).wrapping_sub(from as u32);
        self.starts.extend(copied.iter().map(|start| start.wrapping_add(moved)));
        self.at = last.wrapping_add(moved) as usize;
        !copied.is_empty()
    }
}

/// Puts what is missing into the report: what objects name, as `(number, ID)`, and what references and
/// reflogs name.
pub(super) fn report(
    repository: &Repository,
    objects: &Objects,
    names: Names,
    mut named_by_objects: Vec<(u32, ObjectId)>,
    settings: &Settings<'_>,
    report: &mut Report,
) {
    named_by_objects.sort_unstable();
    // What a promisor's object names, the promisor has; and who else names it, relies on that.
    let promised: HashSet<ObjectId> = match repository.is_partial() {
        true => named_by_objects
            .iter()
            .filter(|(number, _)| objects.is_from_promisor(*number))
            .map(|(_, id)| *id)
            .collect(),
        false => HashSet::new(),
    };
    report.promised = promised.len() as u64;
    let mut known = promised;
    // What came last may name what came too late to be listed.
    named_by_objects.retain(|(number, _)| !objects.is_late(*number));
    named_by_objects.retain(|&(number, id)| !is_beyond_shallow_history(repository, objects, number, id));
    for &(number, id) in &named_by_objects {
        if let (true, Some(named_by)) = (known.insert(id), ObjectId::from_bytes(objects.id(number))) {
            report.missing.push(Missing { id, named_by: NamedBy::Object(named_by) });
        }
    }
    let Names { references, reflogs, unreadable } = names;
    report.damaged.extend(unreadable);
    report.references = references.len() as u64;
    report.reflogs = reflogs.len() as u64;
    report.unchecked.extend(reflogs.unchecked);
    if has_index(repository) {
        report.unchecked.insert("entries of the index");
    }
    heads::check(repository, objects, &references, &mut report.damaged);
    if report.missing.iter().any(|missing| matches!(missing.named_by, NamedBy::Object(_))) {
        reach::tell(objects, &references, &reflogs, &named_by_objects, settings, report);
    }
    for Reference { name, target } in references {
        if let Target::Id(id) = target
            && objects.find(id.as_bytes()).is_none()
        {
            report.only_unreachable.remove(&id);
            if known.insert(id) {
                report.missing.push(Missing { id, named_by: NamedBy::Reference(name) });
            }
        }
    }
    for missing in reflogs.missing(repository, objects) {
        report.only_unreachable.remove(&missing.id);
        if known.insert(missing.id) {
            report.missing.push(missing);
        }
    }
}

/// All that names objects from outside of them, but for the index.
pub(super) struct Names {
    references: Vec<Reference>,
    reflogs: Reflogs,
    unreadable: Vec<Error>,
}

impl Names {
    /// Reads `HEAD`s before references, so that the branches that they stand for are found.
    pub(super) fn read(repository: &Repository) -> Names {
        let (head, heads) = (repository.head(), repository.worktree_heads());
        let (mut references, mut unreadable) = (Vec::new(), Vec::new());
        match repository.list_references() {
            Ok(listing) => {
                references.extend(listing.references);
                unreadable.extend(listing.unreadable.into_iter().map(|(_, error)| error));
            }
            Err(error) => unreadable.push(error),
        }
        match head {
            Ok(head) => references.push(head),
            Err(error) => unreadable.push(error),
        }
        match heads {
            Ok(heads) => references.extend(heads),
            Err(error) => unreadable.push(error),
        }
        let mut reflogs = Reflogs::read(repository);
        unreadable.append(&mut reflogs.unreadable);
        Names { references, reflogs, unreadable }
    }
}

impl Names {
    pub(super) fn ids(&self) -> Vec<ObjectId> {
        let named = self.references.iter().filter_map(|reference| match reference.target {
            Target::Id(id) => Some(id),
            Target::Symbolic(_) => None,
        });
        named.chain(self.reflogs.ids()).collect()
    }
}

fn has_index(repository: &Repository) -> bool {
    let others = working_trees(repository.common_dir()).unwrap_or_default();
    let folders =
        [repository.git_dir(), repository.common_dir()].map(Path::to_path_buf).into_iter().chain(others);
    folders.map(|folder| folder.join("index")).any(|index| index.symlink_metadata().is_ok())
}

/// Where a shallow history ends, parents are absent by intent, but trees are not.
fn is_beyond_shallow_history(repository: &Repository, objects: &Objects, number: u32, id: ObjectId) -> bool {
    if !repository.shallow().iter().any(|commit| commit.as_bytes() == objects.id(number)) {
        return false;
    }
    let mut content = Vec::new();
    let read = objects.read(number, &mut content);
    read.is_ok() && !content.starts_with(format!("tree {id}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(entries: &[(u8, u8)]) -> Vec<u8> {
        let entry = |(name, id): &(u8, u8)| {
            let mode = if *name % 5 == 0 { "160000" } else { "40000" };
            [format!("{mode} {}\0", "n".repeat(usize::from(*name % 9) + 1)).as_bytes(), &[*id; 20]].concat()
        };
        entries.iter().flat_map(entry).collect()
    }

    fn read(content: &[u8], base: Option<(&TreeEntries, &[u8])>) -> Option<(TreeEntries, Vec<u8>)> {
        let mut found = Vec::new();
        let entries = TreeEntries::read(content, 20, base, &mut |id, _| found.push(id[0]))?;
        Some((entries, found))
    }

    proptest! {
        /// Whatever is copied from wherever, a delta's entries are those of its content, and nothing that its base does
        /// not name is passed over.
        #[test]
        fn deltas_give_the_same_entries(
            base in prop::collection::vec(any::<(u8, u8)>(), 1..20),
            removed in any::<prop::sample::Index>(),
            added in prop::collection::vec(any::<(u8, u8)>(), 0..3),
            uneven in 0_usize..40,
        ) {
            let at = removed.index(base.len());
            let mut changed = base.clone();
            changed.splice(at..=at, added);
            let (old, new) = (tree(&base), tree(&changed));
            // What both begin and end with is copied, less some bytes so that copies end within entries.
            let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count().saturating_sub(uneven);
            let rest = old.len().min(new.len()) - before;
            let behind = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
            let mut delta = Vec::new();
            for size in [old.len(), new.len()] {
                delta.extend([size as u8 | 0x80, (size >> 7) as u8]);
            }
            let copy = |offset: usize, len: usize, delta: &mut Vec<u8>| if len > 0 {
                delta.extend([0xb3, offset as u8, (offset >> 8) as u8, len as u8, (len >> 8) as u8]);
            };
            copy(0, before, &mut delta);
            for piece in new[before..new.len() - behind].chunks(100) {
                delta.push(piece.len() as u8);
                delta.extend(piece);
            }
            copy(old.len() - behind, behind, &mut delta);
            let mut made = Vec::new();
            Delta::parse(&delta).unwrap().apply(&old, &mut made).unwrap();
            prop_assert_eq!(&made, &new);

            let (old_entries, old_ids) = read(&old, None).unwrap();
            let (wanted, new_ids) = read(&new, None).unwrap();
            let (found, ids) = read(&new, Some((&old_entries, &delta))).unwrap();
            prop_assert_eq!(found.0, wanted.0);
            prop_assert!(ids.iter().all(|id| new_ids.contains(id)));
            prop_assert!(new_ids.iter().all(|id| ids.contains(id) || old_ids.contains(id)));
        }

        #[test]
        fn nothing_panics(
            content in prop::collection::vec(any::<u8>(), 0..60),
            delta in prop::collection::vec(any::<u8>(), 0..20),
            base in prop::collection::vec(any::<(u8, u8)>(), 0..4),
        ) {
            let entries = read(&tree(&base), None).unwrap().0;
            let _ = (read(&content, None), read(&content, Some((&entries, &delta))));
        }
    }
}
