//! Which objects a commit leads to, commit after commit: what the parents lead to is known when a commit comes.

use std::collections::{HashMap, HashSet};

use super::Bench;
use super::commit::Commit;
use super::ewah::{Words, set};
use crate::map::{Graph, in_order};
use crate::{ObjectId, ObjectType};

/// Walks over a repository's history, with the bits that a bitmap has for the objects.
pub(super) struct Closure<'g> {
    graph: &'g Graph<'g>,
    /// The bit of each object of the repository; `NONE` of those that have none.
    bit_of: Vec<u32>,
    words: usize,
    /// Where a shallow history ends: their parents are none, whether they are there or not.
    ends: HashSet<u32>,
    known: HashMap<u32, Words>,
}

const NONE: u32 = u32::MAX;

impl<'g> Closure<'g> {
    /// None if there is no history to walk over.
    pub(super) fn new(bench: &'g Bench<'_>, bits: &[Option<u32>]) -> Option<Closure<'g>> {
        let graph = bench.graph()?;
        let mut bit_of = vec![NONE; bench.objects.len()];
        for (bit, number) in (0..).zip(bits) {
            if let Some(slot) = number.and_then(|number| bit_of.get_mut(number as usize)) {
                *slot = bit;
            }
        }
        let ends =
            bench.repository.shallow().iter().filter_map(|id| bench.objects.find(id.as_bytes())).collect();
        Some(Closure { ends, graph, bit_of, words: bits.len().div_ceil(64), known: HashMap::new() })
    }

    /// All commits, each after its parents.
    pub(super) fn commits_in_order(&self) -> Vec<u32> {
        in_order(self.graph, |number| self.commit(number).is_some()).unwrap_or_default()
    }

    fn commit(&self, number: u32) -> Option<Commit> {
        let (kind, content) = self.graph.content(number)?;
        (kind == ObjectType::Commit).then(|| Commit::parse(content))
    }

    /// What a commit leads to, or the ID of the first object without a bit.
    pub(super) fn of(&mut self, commit: u32) -> Result<&Words, ObjectId> {
        let mut found = vec![0; self.words];
        let (mut commits, mut trees) = (vec![commit], Vec::new());
        while let Some(number) = commits.pop() {
            if let Some(known) = self.known.get(&number) {
                found.iter_mut().zip(known).for_each(|(word, known)| *word |= known);
                continue;
            }
            if !self.mark(number, &mut found)? {
                continue;
            }
            let Some(Commit { tree, parents, .. }) = self.commit(number) else { continue };
            // Absent ones are those of shallow and partial clones; others are reported as missing.
            let number_of = |id: &ObjectId| self.graph.objects.find(id.as_bytes());
            if !self.ends.contains(&number) {
                commits.extend(parents.iter().filter_map(number_of));
            }
            trees.extend(tree.as_ref().and_then(number_of));
            while let Some(tree) = trees.pop() {
                if !self.mark(tree, &mut found)? {
                    continue;
                }
                let Some(tree) = self.graph.tree(tree) else { continue };
                for entry in tree.entries.iter() {
                    match (entry.tree(), entry.number()) {
                        (Some(tree), _) => trees.push(tree),
                        (None, Some(blob)) => {
                            self.mark(blob, &mut found)?;
                        }
                        (None, None) => {}
                    }
                }
            }
        }
        Ok(self.known.entry(commit).or_insert(found))
    }

    /// Sets an object's bit; false if it was set.
    fn mark(&self, number: u32, found: &mut [u64]) -> Result<bool, ObjectId> {
        match self.bit_of.get(number as usize) {
            Some(&bit) if bit != NONE => Ok(set(found, bit)),
            _ => match ObjectId::from_bytes(self.graph.objects.id(number)) {
                Some(id) => Err(id),
                None => Ok(false),
            },
        }
    }
}
