//! What ext4 stores once although several files have it: blocks of equal attributes, and equal values in inodes of
//! their own.
//!
//! The rule (Linux 6.18, `fs/ext4/xattr.c`; measured on loop-mounted images): whenever a file's block is written, ext4
//! looks for another with the same entries (`ext4_xattr_block_cache_find`) and takes that in its place, until 1,024
//! files have it (`EXT4_XATTR_REFCOUNT_MAX`), from which on a second one is filled. Names, values and which values lie
//! in inodes must all be equal; what lies in the file's inode is no part of it. A value that goes into an inode of its
//! own is looked for by its hash and compared (`ext4_xattr_inode_cache_find`), and its number of users has no limit.
//!
//! Both go through caches of 16,384 entries, so that of a larger tree not all that is equal is found.

use std::collections::{HashMap, HashSet};

use super::ext4::{Place, Placed};
use super::gathered::{CACHED, Gathered};
use super::values::Values;
use super::{Attribute, Candidate, Cost, Ext4, XATTR_SIZE_MAX};

/// `EXT4_XATTR_REFCOUNT_MAX`.
const USERS_MAX: u64 = 1024;

/// The blocks and inodes that attributes of many files take.
#[derive(Debug, Default)]
struct Stored {
    /// Blocks that are like no other.
    blocks: u64,
    /// Files of each block that can be shared, and of them those that the cache may have forgotten it for.
    shared: HashMap<u64, (u64, u64)>,
    /// Values like no other in inodes of their own: how many, and their bytes.
    values: (u64, u64),
    shared_values: HashSet<(u64, u64)>,
    shared_value_bytes: u64,
    /// Values that may be stored again because the cache forgot them, likewise.
    forgotten: (u64, u64),
}

impl Stored {
    fn add(
        &mut self,
        model: &Ext4,
        placed: &[Placed<'_>],
        (files, far): (u64, u64),
        block: Block,
        value: impl Fn(&str) -> Option<u64>,
    ) {
        for own in placed.iter().filter(|own| own.external) {
            let bytes = model.value_in_inode(own.xattr.length);
            match value(&own.xattr.name) {
                None => self.values = (self.values.0 + files, self.values.1 + files * bytes),
                Some(value) => {
                    if self.shared_values.insert((value, own.xattr.length)) {
                        self.shared_value_bytes += bytes;
                    }
                    self.forgotten = (self.forgotten.0 + far, self.forgotten.1 + far * bytes);
                }
            }
        }
        match block {
            Some(Some(block)) => {
                let of = self.shared.entry(block).or_default();
                *of = (of.0 + files, of.1 + far);
            }
            Some(None) => self.blocks += files,
            None => {}
        }
    }

    /// Bytes and inodes if all that is equal is found, and how many more of each if of what was far apart nothing is.
    fn total(&self, model: &Ext4) -> ((u64, u64), (u64, u64)) {
        let shared: u64 = self.shared.values().map(|(files, _)| files.div_ceil(USERS_MAX)).sum();
        let blocks = self.blocks + shared;
        let inodes = self.values.0 + self.shared_values.len() as u64;
        let bytes = blocks * model.cluster_size + self.values.1 + self.shared_value_bytes;
        // As long as no cache is full, nothing is forgotten.
        let far: u64 = if blocks > CACHED { self.shared.values().map(|(_, far)| far).sum() } else { 0 };
        let forgotten = if inodes > CACHED { self.forgotten } else { (0, 0) };
        ((bytes, inodes), (far * model.cluster_size + forgotten.1, forgotten.0))
    }
}

/// What stands for a file's block: equal for equal ones, and none where it is like no other; or nothing if it has no block.
type Block = Option<Option<u64>>;

fn block(placed: &[Placed<'_>], gathered: &Gathered, value: impl Fn(&str) -> Option<u64>) -> Block {
    let in_block = placed.iter().filter(|own| own.place == Place::Block);
    let entries = in_block.map(|own| Some((own.xattr.name.as_str(), value(&own.xattr.name)?, own.external)));
    let entries: Option<Vec<_>> = entries.collect();
    // In the block they are sorted.
    let sorted = entries.map(|mut entries| {
        entries.sort_unstable();
        entries
    });
    match sorted {
        Some(entries) if entries.is_empty() => None,
        entries => Some(entries.map(|entries| gathered.number(entries))),
    }
}

/// What a candidate costs all files that take it; the others stay as they are.
pub(super) fn cost(model: &Ext4, gathered: &Gathered, candidate: &Candidate) -> Cost {
    let (mut before, mut after) = (Stored::default(), Stored::default());
    let applied: Vec<Vec<Attribute>> =
        gathered.combinations.iter().map(|own| candidate.applied_to(&own.attributes)).collect();
    let layouts: Vec<Layout<'_>> = gathered
        .combinations
        .iter()
        .zip(&applied)
        .map(|(own, applied)| Layout::of(model, own.before(), applied))
        .collect();
    for class in &gathered.classes {
        let Some(combination) = gathered.combinations.get(class.combination) else { continue };
        let Some(layout) = layouts.get(class.combination) else { continue };
        let values = Values::new(gathered, class, &combination.attributes, candidate);
        let files = (class.files, class.far);
        let old = block(&layout.before, gathered, |name| values.before(name));
        // Equal ones need not be one block: they are found when they are written, if at all.
        let as_it_is =
            old.map(|old| class.block.filter(|block| *block > 0).map(|block| gathered.number(block)).or(old));
        before.add(model, &layout.before, files, as_it_is, |name| values.before(name));
        match &layout.after {
            Some(placed) => {
                let new = block(placed, gathered, |name| values.after(name));
                let new = if new == old { as_it_is } else { new };
                after.add(model, placed, files, new, |name| values.after(name));
            }
            // What is refused stays as it is, and may go on sharing.
            None => after.add(model, &layout.before, files, as_it_is, |name| values.before(name)),
        }
    }
    let ((bytes_before, inodes_before), _) = before.total(model);
    let ((bytes, inodes), (more, more_inodes)) = after.total(model);
    let least = bytes as i64 - bytes_before as i64;
    Cost {
        bytes: least + more as i64 / 2,
        least,
        most: least + more as i64,
        inodes: inodes as f64 - inodes_before as f64 + more_inodes as f64 / 2.0,
    }
}

/// Where a combination's attributes lie now, and where they will; `None` if they are refused.
struct Layout<'a> {
    before: Vec<Placed<'a>>,
    after: Option<Vec<Placed<'a>>>,
}

impl<'a> Layout<'a> {
    fn of(model: &Ext4, before: &'a [Attribute], after: &'a [Attribute]) -> Layout<'a> {
        // What is there was taken; where the rule would refuse it, nothing can be said.
        let Ok(placed) = model.placed_as_listed(before) else {
            return Layout { before: Vec::new(), after: None };
        };
        let after = Some(after).filter(|after| after.iter().all(|own| own.length <= XATTR_SIZE_MAX));
        Layout {
            after: after.and_then(|after| model.replaced(placed.clone(), before, after).ok()),
            before: placed,
        }
    }
}
