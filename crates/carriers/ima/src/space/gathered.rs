//! A tree's files, put together by what decides on their cost: what a candidate costs is then computed for each
//! combination and not for each file.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::path::PathBuf;

use super::btrfs_standing::Standing;
use super::{Attribute, FileShape, FileSystem, TreeFile};
use crate::evm::Owner;
use crate::files::report::FIRST_PATHS;

/// Files of one shape with the same attributes by name and length. They cost the same where nothing is shared.
#[derive(Debug)]
pub(super) struct Combination {
    pub(super) shape: FileShape,
    pub(super) attributes: Vec<Attribute>,
    /// Whether they lie in a lower layer, so that the file system that is written to has none of the attributes.
    pub(super) copied_up: bool,
    pub(super) files: u64,
    /// Those that came first, with their numbers.
    pub(super) first: Vec<(u64, PathBuf)>,
}

impl Combination {
    /// The attributes that the file system that is written to has.
    pub(super) fn before(&self) -> &[Attribute] {
        if self.copied_up { &[] } else { &self.attributes }
    }
}

/// Files of one combination whose attributes have equal values too, and whose contents are equal.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) combination: usize,
    /// What stands for each attribute's value; nothing where values were not looked at.
    pub(super) values: Vec<u64>,
    /// The block that they share, if that is known.
    pub(super) block: Option<u64>,
    /// What stands for their content; `None` where each is like no other.
    pub(super) content: Option<u64>,
    pub(super) owner: Owner,
    pub(super) files: u64,
    /// How many of them came more than [`CACHED`] files after the one before.
    pub(super) far: u64,
    last: u64,
}

/// ext4 finds equal blocks by a cache of 16,384 entries, of which it drops a sixteenth at a time (`mb_cache_create`,
/// `SHRINK_DIVISOR` in `fs/mbcache.c`): this many files later an entry is still there.
pub(super) const CACHED: u64 = 16_384 - 1_024;

type Key = (usize, Vec<u64>, Option<u64>, Option<u64>, Owner);

#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) combinations: Vec<Combination>,
    pub(super) classes: Vec<Class>,
    /// The class of each file in the order of the files, where the file system's layout depends on it.
    pub(super) order: Vec<u32>,
    pub(super) files: u64,
    /// What stands beside their xattrs in btrfs's trees.
    pub(super) standing: Option<Standing>,
    keeps_order: bool,
    keeps_values: bool,
    keeps_owners: bool,
    known: HashMap<(FileShape, Vec<Attribute>, bool), usize>,
    known_classes: HashMap<Key, usize>,
    /// Hashes with a key that nobody else knows.
    pub(super) random: RandomState,
}

impl Gathered {
    pub(super) fn new(file_system: &FileSystem, with_evm: bool) -> Gathered {
        Gathered {
            combinations: Vec::new(),
            classes: Vec::new(),
            order: Vec::new(),
            files: 0,
            standing: match file_system {
                FileSystem::Btrfs(model) => Some(Standing::new(model)),
                _ => None,
            },
            keeps_order: matches!(file_system, FileSystem::Erofs(_)),
            keeps_values: file_system.shares(),
            keeps_owners: with_evm,
            known: HashMap::new(),
            known_classes: HashMap::new(),
            random: RandomState::new(),
        }
    }

    pub(super) fn add(&mut self, file_system: &FileSystem, file: TreeFile) {
        let number = self.files;
        self.files += 1;
        if let Some(standing) = &mut self.standing {
            standing.add(&file);
        }
        let shape = file_system.relevant(&file.shape);
        let copied_up = file.copied_up;
        let combination = match self.known.entry((shape, file.attributes, copied_up)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let attributes = new.key().1.clone();
                self.combinations.push(Combination {
                    shape,
                    attributes,
                    copied_up,
                    files: 0,
                    first: Vec::new(),
                });
                *new.insert(self.combinations.len() - 1)
            }
        };
        let Some(own) = self.combinations.get_mut(combination) else { return };
        own.files += 1;
        if own.first.len() < FIRST_PATHS {
            own.first.push((number, file.path));
        }
        if !self.keeps_values {
            return;
        }
        let owner = if self.keeps_owners { file.owner } else { Owner::default() };
        let key = (combination, file.values, file.block, file.content, owner);
        let class = match self.known_classes.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let (_, values, block, content, owner) = new.key().clone();
                self.classes.push(Class {
                    combination,
                    values,
                    block,
                    content,
                    owner,
                    files: 0,
                    far: 0,
                    last: number,
                });
                *new.insert(self.classes.len() - 1)
            }
        };
        if let Some(own) = self.classes.get_mut(class) {
            own.files += 1;
            own.far += u64::from(number - own.last > CACHED);
            own.last = number;
        }
        if self.keeps_order {
            self.order.push(u32::try_from(class).unwrap_or(u32::MAX));
        }
    }

    /// A number that stands for something.
    pub(super) fn number(&self, of: impl std::hash::Hash) -> u64 {
        self.random.hash_one(of)
    }
}
