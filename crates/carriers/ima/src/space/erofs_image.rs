//! How mkfs.erofs fills the blocks of inodes, with attributes behind each inode and the tail of its file's data behind
//! those.
//!
//! Only sizes and places are here. The behaviour is that of mkfs.erofs 1.5 (`lib/cache.c`): what is to be placed goes
//! into that block which it leaves fullest; what no block has room for continues the last one, if nothing was written
//! behind that, or begins a new one; and the tail of a file that does not fit into a block with the end of its
//! attributes gets a block for itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::erofs::{body, entry};
use super::gathered::Gathered;
use super::values::Values;
use super::{Attribute, Candidate, Cost, Erofs, round_up};

/// `struct erofs_inode_extended`, which files have whose times differ from that of the image.
const INODE: u64 = 64;
/// Where inodes begin.
const SLOT: u64 = 32;
/// A reference to a shared attribute.
const REFERENCE: u64 = 4;
/// Attributes that more inodes have are stored once (`c_inline_xattr_tolerance`, option `-x`).
const TOLERANCE: u64 = 2;

pub(super) fn cost(model: &Erofs, gathered: &Gathered, candidate: &Candidate) -> Cost {
    let applied: Vec<Vec<Attribute>> =
        gathered.combinations.iter().map(|own| candidate.applied_to(&own.attributes)).collect();
    let before =
        Sizes::of(gathered, candidate, |own| Some(&gathered.combinations.get(own)?.attributes), false);
    let after = Sizes::of(gathered, candidate, |own| applied.get(own), true);
    let sizes = |sizes: &Sizes, inlined: bool| image(model, gathered, sizes, inlined) as i64;
    let bytes = sizes(&after, true) - sizes(&before, true);
    if before.inodes == after.inodes {
        return Cost::default();
    }
    // Directories, links and files whose data is compressed lie between the files that are reckoned with here.
    let elsewhere = sizes(&after, false) - sizes(&before, false);
    let slack = model.block_size as i64 + bytes.abs() / 10;
    let (least, most) = (bytes.min(elsewhere) - slack, bytes.max(elsewhere) + slack);
    // What only grows gives nothing back.
    let grows = before.inodes.iter().zip(&after.inodes).all(|(before, after)| before <= after);
    Cost { bytes, least: if grows { least.max(0) } else { least }, most, inodes: 0.0 }
}

/// Bytes of inode and attributes for each class, and of attributes that are stored once.
struct Sizes {
    inodes: Vec<u64>,
    shared: u64,
}

impl Sizes {
    fn of<'a>(
        gathered: &'a Gathered,
        candidate: &'a Candidate,
        attributes: impl Fn(usize) -> Option<&'a Vec<Attribute>>,
        after: bool,
    ) -> Sizes {
        let empty = Vec::new();
        let listed = |class: usize| -> Vec<(&Attribute, Option<u64>)> {
            let Some(class) = gathered.classes.get(class) else { return Vec::new() };
            let own = gathered.combinations.get(class.combination).map_or(&empty, |own| &own.attributes);
            let values = Values::new(gathered, class, own, candidate);
            let value = |name: &str| if after { values.after(name) } else { values.before(name) };
            let list = attributes(class.combination).into_iter().flatten();
            list.map(|attribute| (attribute, value(&attribute.name))).collect()
        };
        let number =
            |attribute: &Attribute, value: u64| gathered.number((&attribute.name, attribute.length, value));
        let mut users: HashMap<u64, u64> = HashMap::new();
        let lists: Vec<_> = (0..gathered.classes.len()).map(listed).collect();
        for (class, list) in gathered.classes.iter().zip(&lists) {
            for (attribute, value) in list {
                if let Some(value) = *value {
                    *users.entry(number(attribute, value)).or_default() += class.files;
                }
            }
        }
        let mut stored = HashSet::new();
        let mut shared = 0;
        let inodes = lists.iter().map(|list| {
            let (mut alone, mut references) = (Vec::new(), 0);
            for (attribute, value) in list {
                let number = value.map(|value| number(attribute, value));
                match number.filter(|number| users.get(number).is_some_and(|users| *users > TOLERANCE)) {
                    Some(number) => {
                        references += 1;
                        if stored.insert(number) {
                            shared += entry(attribute);
                        }
                    }
                    None => alone.push((*attribute).clone()),
                }
            }
            let header = if alone.is_empty() && references > 0 { 12 } else { 0 };
            INODE + body(&alone) + header + REFERENCE * references
        });
        let inodes = inodes.collect();
        Sizes { inodes, shared }
    }
}

fn image(model: &Erofs, gathered: &Gathered, sizes: &Sizes, inlined: bool) -> u64 {
    let mut blocks = Blocks::new(model.block_size);
    blocks.next += sizes.shared.div_ceil(model.block_size);
    for class in &gathered.order {
        let class = *class as usize;
        let own = gathered.classes.get(class).and_then(|class| gathered.combinations.get(class.combination));
        let (Some(own), Some(inode)) = (own, sizes.inodes.get(class)) else { continue };
        let size = own.shape.size;
        let tail = if inlined { size % model.block_size } else { 0 };
        if size >= model.block_size {
            blocks.data();
        }
        blocks.file(*inode, tail);
    }
    blocks.next * model.block_size
}

/// Blocks of inodes with what is used of each. Data that lies between them counts as one block a time, since the same
/// data lies there with other attributes too.
struct Blocks {
    size: u64,
    /// The next block that is not taken.
    next: u64,
    /// How many blocks there are of which so much is used, but for the last.
    filled: BTreeMap<u64, u64>,
    /// The last one: what is used of it, which may be more than a block; and the block behind it.
    last: Option<(u64, u64)>,
}

impl Blocks {
    fn new(size: u64) -> Blocks {
        Blocks { size, next: 1, filled: BTreeMap::new(), last: None }
    }

    /// Whole blocks of a file's data.
    fn data(&mut self) {
        self.next += 1;
    }

    fn file(&mut self, inode: u64, tail: u64) {
        let together = inode % self.size + tail;
        if together > self.size {
            // The tail gets its own block.
            self.next += 1;
            self.place(inode, 0);
        } else {
            self.place(inode, tail);
        }
    }

    fn place(&mut self, inode: u64, tail: u64) {
        let all = inode + tail;
        let mut best: Option<u64> = None;
        if all < self.size {
            let most = (self.size - all) / SLOT * SLOT;
            best = self.filled.range(..=most).next_back().map(|(used, _)| *used);
        }
        let usage = |used: u64| {
            let end = round_up(used, SLOT) + inode;
            ((end - 1) % self.size + 1) % self.size + tail
        };
        let in_last = self.last.and_then(|(used, end)| {
            let before = used % self.size;
            let spills = round_up((used.max(1) - 1) % self.size + 1, SLOT) + all > self.size;
            if before == 0 || (spills && end != self.next) {
                return None;
            }
            let then = usage(used);
            let fresh = inode % self.size + tail;
            (then <= self.size && (then >= before || then >= fresh)).then_some(then)
        });
        let fullest = best.map_or(0, usage);
        match (best, in_last) {
            (_, Some(then)) if then > fullest => {
                if let Some((used, end)) = &mut self.last {
                    let begun = used.div_ceil(self.size);
                    *used = round_up(*used, SLOT) + all;
                    let more = used.div_ceil(self.size) - begun;
                    *end += more;
                    self.next += more;
                }
            }
            (Some(used), _) => {
                if let Some(count) = self.filled.get_mut(&used) {
                    *count -= 1;
                    if *count == 0 {
                        self.filled.remove(&used);
                    }
                }
                self.leave(round_up(used, SLOT) + all);
            }
            (None, _) => {
                if let Some((used, _)) = self.last.take() {
                    self.leave(used);
                }
                self.next += all.div_ceil(self.size);
                self.last = Some((all, self.next));
            }
        }
    }

    /// A block that is not the last, or not any more.
    fn leave(&mut self, used: u64) {
        let used = used % self.size;
        if used > 0 {
            *self.filled.entry(used).or_default() += 1;
        }
    }
}
