//! Submodules: which commits of other repositories a history names, and where it says that those repositories are
//! (gitsubmodules(7), gitmodules(5)).

mod modules;
mod url;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::convert::for_each_reference;
use crate::map::{Graph, Options, Tree, Unmappable, reachable};
use crate::{Error, ObjectId, ObjectType, Objects};
use modules::Modules;
pub use url::{Place, place};

/// A commit of another repository, where a tree names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The commit.
    pub commit: ObjectId,
    /// Where the submodule lies in the tree; what is not UTF-8 is replaced in it.
    pub path: String,
    /// Where `.gitmodules` of that tree says that its repository is. None where that has no entry for the path, or cannot be
    /// read.
    pub url: Option<String>,
}

/// What a history says of others, and what others may say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Every submodule's commit that any tree names, each with its path and its URL, sorted; nothing twice.
    pub links: Vec<Link>,
    /// The commits of the history itself, sorted.
    pub commits: Vec<ObjectId>,
}

/// Reads all that these objects lead to. Those that are not there are passed over.
///
/// # Errors
/// What [`Objects::walk`] returns.
pub fn survey(objects: &Objects, starts: &[ObjectId], options: &Options<'_>) -> Result<Survey, Error> {
    let graph = Graph::read_sound(objects, objects.len(), Unmappable::Leave, options)?;
    let is_there = |start: &&ObjectId| objects.find(start.as_bytes()).is_some();
    let starts: Vec<ObjectId> = starts.iter().filter(is_there).copied().collect();
    let marked = reachable(&graph, &starts)?;
    let is_marked = |number: &u32| marked.get(*number as usize) == Some(&true);
    let history: Vec<u32> = graph.history().filter(is_marked).collect();

    let commits = history.iter().filter(|&&number| objects.kind(number) == ObjectType::Commit);
    let mut commits: Vec<ObjectId> =
        commits.filter_map(|&number| ObjectId::from_bytes(objects.id(number))).collect();
    commits.sort_unstable();

    let mut roots: BTreeSet<u32> =
        starts.iter().filter_map(|start| objects.find(start.as_bytes())).filter(is_marked).collect();
    for &number in &history {
        let Some((kind, content)) = graph.content(number) else { continue };
        for_each_reference(kind, content, objects.id_len(), &mut |id| roots.extend(objects.find(id)));
    }
    roots.retain(|&root| graph.tree(root).is_some());
    let holders = holders(&graph, &roots);
    let mut modules: HashMap<Option<u32>, Modules> = HashMap::new();
    // A path and a commit stay the same in many trees in a row.
    let mut seen = HashSet::new();
    let mut links = BTreeSet::new();
    for root in roots.into_iter().filter(|&root| holders.get(root as usize) == Some(&Flag::Holds)) {
        let file = graph.tree(root).and_then(|tree| modules_file(&tree));
        let modules = modules.entry(file).or_insert_with(|| Modules::read(objects, file));
        let mut below = vec![(root, Vec::new())];
        while let Some((number, prefix)) = below.pop() {
            let Some(tree) = graph.tree(number) else { continue };
            for entry in tree.entries.iter() {
                let child = entry.tree().filter(|&child| holders.get(child as usize) == Some(&Flag::Holds));
                let commit = tree.submodule(*entry);
                if child.is_none() && commit.is_none() {
                    continue;
                }
                let mut path = prefix.clone();
                path.extend_from_slice(tree.lister.heads.name(entry.head));
                if let Some(child) = child {
                    path.push(b'/');
                    below.push((child, path));
                } else if let Some(commit) =
                    commit.filter(|&commit| seen.insert((file, commit, path.clone())))
                {
                    let path = String::from_utf8_lossy(&path).into_owned();
                    links.insert(Link { commit, url: modules.url(&path).map(str::to_owned), path });
                }
            }
        }
    }
    Ok(Survey { links: links.into_iter().collect(), commits })
}

/// Whether a tree names submodules' commits, at any depth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Unseen,
    Seen,
    Holds,
}

fn holders(graph: &Graph<'_>, roots: &BTreeSet<u32>) -> Vec<Flag> {
    let mut flags = vec![Flag::Unseen; graph.objects.len()];
    for &root in roots {
        let mut path = vec![(root, 0)];
        while let Some((number, at)) = path.last_mut() {
            let (slot, entry) =
                (*number as usize, graph.tree(*number).and_then(|tree| tree.entries.get(*at).copied()));
            if *at == 0 && flags.get(slot) == Some(&Flag::Unseen) {
                let holds =
                    |tree: &Tree<'_, '_>| tree.entries.iter().any(|entry| tree.submodule(*entry).is_some());
                let flag =
                    if graph.tree(*number).as_ref().is_some_and(holds) { Flag::Holds } else { Flag::Seen };
                flags[slot] = flag;
            }
            *at += 1;
            match entry {
                Some(entry) => {
                    match entry.tree().and_then(|child| Some((child, *flags.get(child as usize)?))) {
                        Some((child, Flag::Unseen)) => path.push((child, 0)),
                        Some((_, Flag::Holds)) => flags[slot] = Flag::Holds,
                        _ => {}
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(above, _)) = path.last()
                        && flags[slot] == Flag::Holds
                    {
                        flags[above as usize] = Flag::Holds;
                    }
                }
            }
        }
    }
    flags
}

fn modules_file(tree: &Tree<'_, '_>) -> Option<u32> {
    let heads = &tree.lister.heads;
    let entry = tree.entries.iter().find(|entry| heads.name(entry.head) == b".gitmodules")?;
    // Git follows no link there (gitmodules(5), “SECURITY”).
    entry.number().filter(|_| heads.bytes(entry.head).starts_with(b"100"))
}
