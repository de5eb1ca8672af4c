//! Which repository of a fleet refers to which: what each needs, what it misses, and in which wave it is.
//!
//! A submodule's commit has the name that the job gave it already, whatever is in the directory today. So a library that is
//! away, damaged or refused for a while changes nothing of what names its commits. By the directory alone,
//! published IDs changed with what could be read that minute.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use fieldtest_frame::job::digest;
use fieldtest_git::ObjectId;
use fieldtest_git::map::Map;

use super::seen::{Commits, Seen, commits_file};
use super::submodule_urls::Places;
use super::waves::groups;
use crate::commands::scope::Padding;

/// Missing commits that a reason names.
const SHOWN: usize = 5;

/// Submodules' commits that no repository of the directory names, each with its name in a map; none of what is filled up.
pub(super) type Given = BTreeSet<(ObjectId, Option<ObjectId>)>;

/// A repository among others.
pub(super) struct Node<'n> {
    pub(super) name: &'n str,
    /// What is known of it, or why it is refused.
    pub(super) seen: std::result::Result<&'n Seen, String>,
    pub(super) known: Option<Known>,
}

/// What the job knows of a repository that it converted.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The file of the commits that have names.
    pub(super) commits: PathBuf,
    /// What these names depend on.
    pub(super) given: Given,
}

pub(super) struct Asked<'a> {
    pub(super) maps: &'a [Map],
    pub(super) padding: Padding<'a>,
    /// Whether what nobody has is filled up.
    pub(super) pads_all: bool,
    /// Whether what the directory says is stronger than what the job knows.
    pub(super) renames: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Above all that it needs.
    pub(super) wave: u32,
    /// The repositories that have to be converted first, each with the commits that it names of them.
    pub(super) needs: BTreeMap<usize, Vec<ObjectId>>,
    /// The same of repositories whose earlier conversion has the names.
    pub(super) known: BTreeMap<usize, Vec<ObjectId>>,
    /// All that need each other, itself among them.
    pub(super) circle: Vec<usize>,
    /// Why it cannot be converted.
    pub(super) refused: Option<String>,
    /// All that its conversion depends on.
    pub(super) state: String,
    /// What else its submodules' commits are called, and theirs at any depth.
    pub(super) given: Given,
    /// The commits that it fills up itself.
    pub(super) padded: Vec<ObjectId>,
    /// The commits that nobody has, each with why not; and those of which that cannot be known.
    absent: BTreeMap<ObjectId, String>,
    unsure: BTreeMap<ObjectId, String>,
}

/// Orders a fleet.
///
/// # Errors
/// What was seen cannot be read.
pub(super) fn order(
    nodes: &[Node<'_>],
    places: &Places<'_>,
    store: &Path,
    asked: &Asked<'_>,
) -> Result<Vec<Place>> {
    let mut commits: HashMap<(usize, Source), Commits> = HashMap::new();
    let mut has = |at: usize, source: Source, id: &ObjectId| -> Result<bool> {
        let Some(node) = nodes.get(at) else { return Ok(false) };
        let (seen, known) = (node.seen.is_ok(), node.known.as_ref());
        if let Entry::Vacant(entry) = commits.entry((at, source)) {
            entry.insert(match (source, known) {
                (Source::Folder, _) if seen => Commits::read(&commits_file(store, node.name))?,
                (Source::Job, Some(known)) => Commits::read(&known.commits)?,
                _ => return Ok(false),
            });
        }
        Ok(commits.get(&(at, source)).is_some_and(|commits| commits.has(id)))
    };
    let mut ordered = Vec::with_capacity(nodes.len());
    for node in nodes {
        ordered.push(match &node.seen {
            Ok(seen) => linked(node.name, seen, nodes, places, asked, &mut has)?,
            Err(problem) => Place { refused: Some(problem.clone()), ..Place::default() },
        });
    }
    for place in &mut ordered {
        match asked.pads_all {
            true => place.padded.extend(place.absent.keys()),
            false => place.unsure.append(&mut place.absent.clone()),
        }
        place.padded.sort_unstable();
        place.given.extend(place.absent.keys().map(|id| (*id, None)));
        if !place.unsure.is_empty() {
            place.refused = Some(refusal(&place.unsure, place.absent.is_empty()));
        }
    }
    settle(nodes, &mut ordered);
    Ok(ordered)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Folder,
    Job,
}

fn refusal(reasons: &BTreeMap<ObjectId, String>, is_unsure: bool) -> String {
    let shown: Vec<&str> = reasons.values().map(String::as_str).take(SHOWN).collect();
    let more = reasons.len() - shown.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let all = if is_unsure { "" } else { ", as --pad-submodules does to all" };
    format!(
        "{}{more}; move the repository into the directory, or point a ref at the commit if it is there, give a map of it with \
         --submodule, or pad such a commit with zeros by --pad-submodule ID{all}",
        shown.join("; ")
    )
}

/// What a repository refers to.
fn linked(
    own: &str,
    seen: &Seen,
    nodes: &[Node<'_>],
    places: &Places<'_>,
    asked: &Asked<'_>,
    has: &mut dyn FnMut(usize, Source, &ObjectId) -> Result<bool>,
) -> Result<Place> {
    let mut meant: HashMap<Option<String>, Vec<usize>> = HashMap::new();
    let mut candidates: Vec<usize> = Vec::new();
    let links: Vec<_> = seen.links().collect();
    for link in &links {
        let found = || link.url.as_ref().map(|url| places.meant(url, own)).unwrap_or_default();
        for &at in meant.entry(link.url.clone()).or_insert_with(found).iter() {
            if !candidates.contains(&at) {
                candidates.push(at);
            }
        }
    }
    // Names that do not depend on anything filled up are stronger.
    let is_padded = |at: &usize| {
        let known = nodes.get(*at).and_then(|node| node.known.as_ref());
        known.is_some_and(|known| known.given.iter().any(|(_, new)| new.is_none()))
    };
    let mut in_job = candidates.clone();
    in_job.sort_by_key(is_padded);
    let named: HashSet<ObjectId> = links
        .iter()
        .filter(|link| asked.padding.paths.contains(&&*link.path))
        .map(|link| link.commit)
        .collect();
    let mut place = Place::default();
    let mut decided: HashSet<ObjectId> = HashSet::new();
    for link in &links {
        // The commit of zeros is none, and stays.
        if !decided.insert(link.commit) || link.commit.as_bytes().iter().all(|&octet| octet == 0) {
            continue;
        }
        if named.contains(&link.commit) || asked.padding.ids.binary_search(&link.commit).is_ok() {
            place.padded.push(link.commit);
            place.given.insert((link.commit, None));
            continue;
        }
        let new = asked.maps.iter().find_map(|map| map.new_of(link.commit.as_bytes()));
        if let Some(new) = new.and_then(ObjectId::from_bytes) {
            place.given.insert((link.commit, Some(new)));
            continue;
        }
        let job = first(&mut in_job.iter().copied(), |at| has(at, Source::Job, &link.commit))?;
        // What is needed already is asked first.
        let mut in_folder = place.needs.keys().copied().chain(candidates.iter().copied());
        let folder = match job.is_some() && !asked.renames {
            true => None,
            false => first(&mut in_folder, |at| has(at, Source::Folder, &link.commit))?,
        };
        match (folder, job) {
            (Some(at), _) => place.needs.entry(at).or_default().push(link.commit),
            (None, Some(at)) => place.known.entry(at).or_default().push(link.commit),
            (None, None) => {
                let urls = links.iter().filter(|other| other.path == link.path);
                let urls: Vec<&String> = urls.filter_map(|other| other.url.as_ref()).collect();
                let (why, is_sure) = absence(&urls, nodes, &meant);
                let why = format!("submodule {}, commit {}: {why}", link.path, link.commit);
                match is_sure {
                    true => place.absent.insert(link.commit, why),
                    false => place.unsure.insert(link.commit, why),
                };
            }
        }
    }
    Ok(place)
}

fn first(
    all: &mut dyn Iterator<Item = usize>,
    mut is_it: impl FnMut(usize) -> Result<bool>,
) -> Result<Option<usize>> {
    for at in all {
        if is_it(at)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Why nobody has a commit whose repository is at one of these URLs, and whether that is sure: what cannot be read may have it.
fn absence(
    urls: &[&String],
    nodes: &[Node<'_>],
    meant: &HashMap<Option<String>, Vec<usize>>,
) -> (String, bool) {
    let at = |url: &&&String| meant.get(&Some((**url).clone())).into_iter().flatten();
    let mut others = urls.iter().flat_map(|url| at(&url)).filter_map(|&at| nodes.get(at));
    if let Some((other, problem)) = others.clone().find_map(|it| Some((it.name, it.seen.as_ref().err()?))) {
        return (format!("{other} is rejected: {problem}"), false);
    }
    let why = match (urls.first(), others.next()) {
        (None, _) => ".gitmodules does not give its repository".to_owned(),
        (Some(url), None) => format!("no repository of the directory is {url}"),
        (Some(_), Some(other)) => format!(
            "no ref of {} leads to it; fetch it there, or give it one with `git update-ref`",
            other.name
        ),
    };
    (why, true)
}

/// Gives each its wave, and says what the names in it depend on.
fn settle(nodes: &[Node<'_>], ordered: &mut [Place]) {
    let needs: Vec<Vec<usize>> = ordered.iter().map(|place| place.needs.keys().copied().collect()).collect();
    for group in groups(&needs) {
        group.members.iter().for_each(|&at| ordered[at].wave = group.wave);
        settle_group(&group.members, nodes, ordered);
    }
}

/// Says of those that need each other, or of one alone, what their names depend on.
fn settle_group(group: &[usize], nodes: &[Node<'_>], ordered: &mut [Place]) {
    let mut given = Given::new();
    for &at in group {
        let place = &ordered[at];
        given.extend(&place.given);
        for need in place.needs.keys().filter(|need| !group.contains(need)) {
            given.extend(&ordered[*need].given);
        }
        for known in place.known.keys().filter_map(|&known| nodes[known].known.as_ref()) {
            given.extend(&known.given);
        }
    }
    let refused = group.iter().copied().find(|&at| ordered[at].refused.is_some());
    let is_circle = group.iter().any(|at| ordered[*at].needs.keys().any(|need| group.contains(need)));
    let told = given.iter().map(|(commit, new)| match new {
        Some(new) => format!("{commit} {new}"),
        None => commit.to_string(),
    });
    let told = told.collect::<Vec<_>>().join("\n");
    for &at in group {
        let state = match &nodes[at].seen {
            Ok(seen) => seen.state.as_bytes(),
            Err(problem) => problem.as_bytes(),
        };
        let place = &mut ordered[at];
        place.state = digest(&[state, told.as_bytes()]);
        place.given.clone_from(&given);
        if is_circle {
            place.circle = group.to_vec();
        }
        if let Some(refused) = refused.filter(|_| place.refused.is_none()) {
            place.refused = Some(format!(
                "its submodules need it in turn, and {} of these is rejected",
                nodes[refused].name
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_depend_on_counts_at_any_depth() {
        let commit: ObjectId = "17".repeat(20).parse().unwrap();
        let of = |new: Option<&str>| {
            let nodes = ["below", "above"].map(|name| Node { name, seen: Err(String::new()), known: None });
            let given = (commit, new.map(|new| new.repeat(32).parse().unwrap()));
            let below = Place { given: Given::from([given]), ..Place::default() };
            let above = Place { needs: BTreeMap::from([(0, Vec::new())]), ..Place::default() };
            let mut ordered = [below, above];
            settle(&nodes, &mut ordered);
            ordered.map(|place| place.state)
        };
        let all = [of(None), of(Some("2a")), of(Some("2b"))].concat();
        let states: HashSet<&String> = all.iter().collect();
        // Both of each pair have the same repository's state, which is empty here.
        assert_eq!(states.len(), 3);
    }
}
