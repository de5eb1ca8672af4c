//! Notes under the new names of what they are about (git-notes(1), gitrepository-layout(5) “refs/notes”).
//!
//! A note is found by its path in a tree: the ID of an object in hexadecimal digits, which slashes may divide after the
//! first two, the next two, and so on. Git's conversion renames what trees name and leaves paths alone, and would make
//! all notes vanish. So the commits below `refs/notes` are written a second time, with paths made of the new IDs, and the
//! references lead to these; the first form, which has the names that Git gives, stays in the pack. What a path names that
//! has no new ID keeps its old path, and so does whatever is no note. Each note stays as many directories deep as it was, so
//! that the same rule leads a repository that was converted so back to its first form.

mod paths;
mod tree;

use std::collections::{HashMap, HashSet};

use libdeflater::Compressor;

use super::new_objects::{Made, compressor, deflate};
use crate::convert::{Names, for_each_reference};
use crate::map::{Conversion, Options, in_order};
use crate::pack::delta::Delta;
use crate::pack::delta_write::DeltaWriter;
use crate::{Error, ObjectId, ObjectType, Reference, Target};
use paths::Paths;

#[derive(Default)]
pub(super) struct Notes {
    /// Where references below `refs/notes` lead to now, by their names.
    pub(super) references: HashMap<Vec<u8>, ObjectId>,
    /// Objects that no old one becomes.
    pub(super) objects: Vec<Made>,
    pub(super) summary: Summary,
}

/// What became of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Notes at the tips of `refs/notes` that are found by new IDs.
    pub renamed: u64,
    /// Those that keep their old path, since what they are about has no new ID or the path mixes capital and small letters: the
    /// reference and the old ID.
    pub kept: Vec<(Vec<u8>, ObjectId)>,
    /// References below `refs/notes` that were carried over as they are, and why.
    pub unchanged: Vec<(Vec<u8>, &'static str)>,
}

/// Whether a reference may hold notes, and whether it surely does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    /// If there is anything of the kind in it: a branch of a remote may be called so as well.
    Perhaps,
    Notes,
}

/// Whether a reference holds notes, by its name: git-notes(1), gitnamespaces(7), what is fetched of these, and the comments of a
/// change in Gerrit, which are files by the commits of its patch sets (“NoteDb”, `refs/changes/01/1/meta`).
fn holds_notes(name: &[u8]) -> Holds {
    let parts: Vec<&[u8]> = name.split(|&byte| byte == b'/').collect();
    match parts.as_slice() {
        [b"refs", b"namespaces", _, rest @ ..] => holds_notes(&rest.join(&b'/')),
        [b"refs", b"notes", _, ..] => Holds::Notes,
        [b"refs", b"remotes", _, b"notes", _, ..] | [b"refs", b"changes", _, _, b"meta"] => Holds::Perhaps,
        _ => Holds::Nothing,
    }
}

/// Writes the notes of all references anew.
///
/// Notes may be about commits of notes, whose new names are those that these get here. No commit can be about one that is about
/// it in turn, so references wait for each other, and each turn goes on where the last one had to end.
///
/// # Errors
/// [`Error::Unnamed`], [`Error::Interrupted`].
pub(super) fn rewrite(
    conversion: &Conversion<'_>,
    references: &[Reference],
    options: &Options<'_>,
) -> Result<Notes, Error> {
    let tips = references.iter().filter_map(|reference| {
        let Target::Id(id) = &reference.target else { return None };
        let tip = conversion.objects.find(id.as_bytes());
        let is_one = match holds_notes(&reference.name) {
            Holds::Notes => true,
            Holds::Perhaps => tip.is_some_and(|tip| has_notes(conversion, options, tip)),
            Holds::Nothing => false,
        };
        is_one.then_some((&reference.name, tip))
    });
    let mut waiting: Vec<(&Vec<u8>, Option<u32>)> = tips.collect();
    if waiting.is_empty() {
        return Ok(Notes::default());
    }
    let mut writer =
        Writer { conversion, options, pool: Pool::new(conversion), paths: Paths::new(conversion, options) };
    for tip in waiting.iter().filter_map(|(_, tip)| *tip) {
        let history = writer.history(tip);
        writer.paths.of_notes.extend(history);
    }
    let mut notes = Notes::default();
    let mut before = None;
    while !waiting.is_empty() {
        let is_stuck = before == Some(writer.paths.commits.len());
        before = Some(writer.paths.commits.len());
        let mut next = Vec::new();
        for (name, tip) in waiting {
            match writer.reference(tip)? {
                Ok(new) => {
                    notes.references.insert(name.clone(), new);
                    let found = writer.paths.notes();
                    notes.summary.renamed += found.renamed;
                    notes.summary.kept.extend(found.kept.into_iter().map(|id| (name.clone(), id)));
                    continue;
                }
                Err(WAITS) if !is_stuck => next.push((name, tip)),
                Err(reason) => notes.summary.unchanged.push((name.clone(), reason)),
            }
            // Nobody knows where the change of paths ended.
            writer.paths.restart();
        }
        waiting = next;
    }
    notes.objects = writer.pool.made;
    Ok(notes)
}

fn has_notes<'w>(conversion: &'w Conversion<'_>, options: &'w Options<'w>, commit: u32) -> bool {
    let mut paths = Paths::new(conversion, options);
    let is_read = tree_of(conversion, commit).is_some_and(|tree| paths.become_those_of(tree).is_ok());
    let found = paths.notes();
    is_read && found.renamed > 0
}

fn tree_of(conversion: &Conversion<'_>, commit: u32) -> Option<u32> {
    let (_, content) = conversion.graph.content(commit)?;
    let hex = content.strip_prefix(b"tree ")?.get(..2 * conversion.objects.id_len())?;
    conversion.objects.find(ObjectId::from_hex(hex)?.as_bytes())
}

/// Why notes cannot be written yet.
const WAITS: &str = "one of its notes is about other notes, which are not rewritten";

struct Writer<'w, 'a> {
    conversion: &'w Conversion<'a>,
    options: &'w Options<'w>,
    pool: Pool<'w, 'a>,
    paths: Paths<'w, 'a>,
}

impl Writer<'_, '_> {
    /// Writes a tip and its history, or says why that cannot be; the paths are those of the tip then.
    fn reference(&mut self, tip: Option<u32>) -> Result<Result<ObjectId, &'static str>, Error> {
        let conversion = self.conversion;
        let Some(tip) = tip.filter(|&number| self.is_commit(number)) else {
            return Ok(Err("it does not point to a commit"));
        };
        let history = self.history(tip);
        let order = in_order(&conversion.graph, |number| history.contains(&number))?;
        for number in order {
            if self.options.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if let Err(reason) = self.commit(number)? {
                return Ok(Err(reason));
            }
        }
        let tree = tree_of(conversion, tip).ok_or("its tree is missing");
        Ok(match tree.and_then(|tree| self.paths.become_those_of(tree)) {
            Ok(()) => self.paths.commits.get(&tip).copied().ok_or("its history is a cycle"),
            Err(reason) => Err(reason),
        })
    }

    fn is_commit(&self, number: u32) -> bool {
        self.conversion.graph.content(number).is_some_and(|(kind, _)| kind == ObjectType::Commit)
    }

    /// The commits that a commit leads to and that are not written yet.
    fn history(&self, tip: u32) -> HashSet<u32> {
        let objects = self.conversion.objects;
        let (mut found, mut waiting) = (HashSet::new(), vec![tip]);
        while let Some(number) = waiting.pop() {
            if self.paths.commits.contains_key(&number) || !self.is_commit(number) || !found.insert(number) {
                continue;
            }
            let Some((kind, content)) = self.conversion.graph.content(number) else { continue };
            for_each_reference(kind, content, objects.id_len(), &mut |id| waiting.extend(objects.find(id)));
        }
        found
    }

    fn commit(&mut self, number: u32) -> Result<Result<(), &'static str>, Error> {
        let conversion = self.conversion;
        let (Some((kind, content)), Some(tree)) =
            (conversion.graph.content(number), tree_of(conversion, number))
        else {
            return Ok(Err("the tree of one of its commits is missing"));
        };
        if let Err(reason) = self.paths.become_those_of(tree) {
            return Ok(Err(reason));
        }
        let root = self.paths.write(&mut self.pool)?;
        let names = Renamed { writer: self, tree: (conversion.objects.id(tree), root) };
        let mut new = Vec::new();
        if conversion.converter.convert(kind, content, &names, &mut new).is_err() {
            return Ok(Err("one of its commits is not convertible"));
        }
        let id = self.pool.put(kind, &new, None)?;
        self.paths.commits.insert(number, id);
        Ok(Ok(()))
    }
}

/// The names for a commit of notes.
struct Renamed<'r, 'w, 'a> {
    writer: &'r Writer<'w, 'a>,
    /// The old and new name of its tree.
    tree: (&'r [u8], ObjectId),
}

impl Names for Renamed<'_, '_, '_> {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        if old == self.tree.0 {
            return Some(self.tree.1);
        }
        let conversion = self.writer.conversion;
        let commit = conversion.objects.find(old).and_then(|number| self.writer.paths.commits.get(&number));
        commit.copied().or_else(|| conversion.names(&self.writer.options.submodules).object(old))
    }

    fn submodule(&self, old: &[u8]) -> Option<ObjectId> {
        self.writer.options.submodules.find(old, self.writer.conversion.to.id_len())
    }
}

struct Pool<'w, 'a> {
    conversion: &'w Conversion<'a>,
    /// Trees and commits that are in the pack anyway, and those made.
    known: HashSet<ObjectId>,
    made: Vec<Made>,
    compressor: Compressor,
}

impl<'w, 'a> Pool<'w, 'a> {
    fn new(conversion: &'w Conversion<'a>) -> Pool<'w, 'a> {
        let objects = conversion.objects;
        let numbers = (0..objects.len() as u32).filter(|&number| {
            conversion.is_converted(number)
                && matches!(objects.kind(number), ObjectType::Tree | ObjectType::Commit)
        });
        let known = numbers.filter_map(|number| conversion.new_ids.get_id(number)).collect();
        Pool { conversion, known, made: Vec::new(), compressor: compressor() }
    }

    /// The name of an object, which is entered unless it is there. `base` has to be one of those made.
    fn put(
        &mut self,
        kind: ObjectType,
        content: &[u8],
        base: Option<(ObjectId, &[u8])>,
    ) -> Result<ObjectId, Error> {
        let id = self.conversion.to.id_of(kind, content);
        let id = id.map_err(|source| Error::Unnamed { kind, source })?;
        if !self.known.insert(id) {
            return Ok(id);
        }
        let mut delta = Vec::new();
        if let Some((_, before)) = base {
            difference(before, content, &mut delta);
        }
        let (base, stored) = match base.filter(|_| delta.len() >= Delta::SHORTEST) {
            Some((base, _)) => (Some(base), delta.as_slice()),
            None => (None, content),
        };
        let deflated = deflate(&mut self.compressor, stored);
        self.made.push(Made { id, kind, base, size: stored.len() as u64, deflated });
        Ok(id)
    }
}

/// What makes `new` of `old`, where one place has changed: notes come one at a time.
fn difference(old: &[u8], new: &[u8], delta: &mut Vec<u8>) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    let mut writer = DeltaWriter::new(old.len(), new.len(), delta);
    if start > 0 {
        writer.copy(0, start);
    }
    writer.insert(new.get(start..new.len() - end).unwrap_or_default());
    if end > 0 {
        writer.copy(old.len() - end, end);
    }
    writer.finish();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_difference_makes_the_new_of_the_old(
            old in prop::collection::vec(0..3_u8, 0..300),
            new in prop::collection::vec(0..3_u8, 0..300),
        ) {
            let (mut delta, mut made) = (Vec::new(), Vec::new());
            difference(&old, &new, &mut delta);
            if delta.len() >= Delta::SHORTEST {
                Delta::parse(&delta).unwrap().apply(&old, &mut made).unwrap();
                prop_assert_eq!(made, new);
            }
        }
    }
}
