//! The files beside packs that make Git quick: commit graphs, multi-pack indexes, bitmaps, reverse indexes, times of
//! unreachable objects. Git believes them without looking, so that a wrong one makes wrong answers of sound objects.
//!
//! History is read a second time for them, commits alone or with trees, and only where there is something to check.

mod bitmap;
mod chunks;
mod closure;
mod commit;
mod commit_graph;
mod ewah;
mod judge;
mod midx;
mod reverse;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::map::{Graph, Options};
use crate::{Error, Objects, Repository};
use judge::Judge;

/// How many auxiliary files were checked, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Files of commit graphs.
    pub commit_graphs: u64,
    /// Multi-pack indexes.
    pub multi_pack_indexes: u64,
    /// Bitmaps of packs and multi-pack indexes.
    pub bitmaps: u64,
    /// Reverse indexes of both.
    pub reverse_indexes: u64,
    /// Times of unreachable objects.
    pub times: u64,
    /// What the check did not look at, in words.
    pub unchecked: BTreeSet<&'static str>,
}

impl Checked {
    /// How many there are.
    pub fn files(&self) -> u64 {
        self.commit_graphs + self.multi_pack_indexes + self.bitmaps + self.reverse_indexes + self.times
    }
}

/// What the files are held against.
struct Bench<'a> {
    repository: &'a Repository,
    objects: &'a Objects,
    /// Whether some objects cannot be read or name what they must not, so that what they lead to is not known.
    is_damaged: bool,
    trees: bool,
    options: &'a Options<'a>,
    graph: OnceCell<Option<Graph<'a>>>,
}

impl<'a> Bench<'a> {
    fn id_len(&self) -> usize {
        self.objects.id_len()
    }

    /// The history, read when it is first asked for; none if the run is to end.
    fn graph(&self) -> Option<&Graph<'a>> {
        self.graph.get_or_init(|| Graph::read(self.objects, self.trees, self.options).ok()).as_ref()
    }
}

/// Checks all such files of a repository and its alternates.
pub(super) fn check(
    repository: &Repository,
    objects: &Objects,
    options: &Options<'_>,
    damaged: &mut Vec<Error>,
) -> Checked {
    let mut checked = Checked::default();
    let dirs = repository.object_dirs();
    let midx = |dir: &PathBuf| dir.join("pack/multi-pack-index");
    let has = |pack: &PathBuf, extension: &str| pack.with_extension(extension).exists();
    let packs: Vec<PathBuf> = objects.packs().iter().map(|pack| pack.path().to_path_buf()).collect();
    // Bitmaps alone say something of trees.
    let trees = packs.iter().any(|pack| has(pack, "bitmap")) || dirs.iter().any(|dir| midx(dir).exists());
    let bench = Bench {
        repository,
        objects,
        is_damaged: damaged
            .iter()
            .any(|error| matches!(error, Error::Object { .. } | Error::Hash { .. } | Error::Unsound { .. })),
        trees,
        options,
        graph: OnceCell::new(),
    };
    for dir in dirs {
        let alone = dir.join("info/commit-graph");
        if exists(&alone) {
            checked.commit_graphs += 1;
            commit_graph::alone(&bench, &alone, damaged);
        }
        let list = dir.join("info/commit-graphs/commit-graph-chain");
        if exists(&list) {
            checked.commit_graphs += commit_graph::chain(&bench, &list, damaged);
        }
        let alone = midx(dir);
        if exists(&alone) {
            checked.multi_pack_indexes += 1;
            midx::alone(&bench, &alone, &mut checked, damaged);
        }
        // Names in another format (gitformat-loose(5)).
        for (name, what) in
            [("loose-object-idx", "objects/loose-object-idx"), ("object-map", "objects/object-map")]
        {
            if exists(&dir.join(name)) {
                checked.unchecked.insert(what);
            }
        }
        let list = dir.join("pack/multi-pack-index.d/multi-pack-index-chain");
        if exists(&list) {
            checked.multi_pack_indexes += midx::chain(&bench, &list, &mut checked, damaged);
        }
    }
    for pack in objects.packs() {
        of_pack(&bench, pack, &mut checked, damaged);
    }
    if checked.commit_graphs > 0 {
        checked.unchecked.insert("which paths Bloom filters name");
    }
    checked
}

/// Also of a link that leads nowhere, which is a fault.
fn exists(path: &std::path::Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn of_pack(bench: &Bench<'_>, pack: &crate::pack::Pack, checked: &mut Checked, damaged: &mut Vec<Error>) {
    const REMEDY: &str = "remove it; `git index-pack --rev-index` makes it again";
    const TIMES: &str = "remove it, and `git repack --cruft -d` makes it again";
    let owner = pack.index().pack_trailer();
    let order = || pack.entries().iter().map(|(_, at)| *at).collect::<Vec<u32>>();
    let path = pack.path().with_extension("rev");
    if exists(&path) {
        checked.reverse_indexes += 1;
        let mut judge = Judge::new(&path, REMEDY, damaged);
        if let Some(file) = judge.open() {
            reverse::reverse(file.bytes(), &order(), owner, &mut judge);
        }
    }
    let path = pack.path().with_extension("mtimes");
    if exists(&path) {
        checked.times += 1;
        let mut judge = Judge::new(&path, TIMES, damaged);
        if let Some(file) = judge.open() {
            reverse::times(file.bytes(), pack.entries().len(), owner, &mut judge);
        }
    }
    let path = pack.path().with_extension("bitmap");
    if exists(&path) {
        checked.bitmaps += 1;
        let order = order();
        let number = |at: &u32| bench.objects.find(pack.index().id(*at as usize)?);
        let bits: Vec<Option<u32>> = order.iter().map(number).collect();
        let mut by_id = vec![u32::MAX; order.len()];
        for (bit, at) in (0..).zip(&order) {
            if let Some(slot) = by_id.get_mut(*at as usize) {
                *slot = bit;
            }
        }
        let subject = bitmap::Subject { bits: &bits, by_id: &by_id, owner };
        let mut judge = Judge::new(&path, bitmap::REMEDY, damaged);
        bitmap::check(bench, &subject, &mut judge, &mut checked.unchecked);
    }
}
