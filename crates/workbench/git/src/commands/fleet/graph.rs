//! Which repository of a fleet refers to which: what each needs, what it misses, and in which wave it is.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::Path;

use anyhow::Result;
use fieldtest_frame::job::digest;
use fieldtest_git::ObjectId;
use fieldtest_git::map::Map;

use super::places::Places;
use super::seen::{Commits, Seen};

/// Missing commits that a reason names.
const SHOWN: usize = 5;

/// A repository among others.
pub(super) struct Node<'n> {
    pub(super) name: &'n str,
    /// What is known of it, or why it is refused.
    pub(super) seen: std::result::Result<&'n Seen, String>,
}

/// What follows for each.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Above all that it needs.
    pub(super) wave: u32,
    /// The repositories with commits that it names.
    pub(super) needs: BTreeSet<usize>,
    /// Why it cannot be converted.
    pub(super) refused: Option<String>,
    /// All that its conversion depends on.
    pub(super) state: String,
    /// The commits that nobody has, each with why not.
    absent: BTreeMap<ObjectId, String>,
    /// The commits that maps have, each with its new name in them.
    mapped: BTreeMap<ObjectId, String>,
}

/// Orders a fleet. `maps` has further commits; what nobody has is a reason to refuse unless it is `padded`.
///
/// # Errors
/// What was seen cannot be read.
pub(super) fn order(
    nodes: &[Node<'_>],
    places: &Places<'_>,
    store: &Path,
    maps: &[Map],
    padded: bool,
) -> Result<Vec<Place>> {
    let mut commits: HashMap<usize, Commits> = HashMap::new();
    let mut has = |at: usize, id: &ObjectId| -> Result<bool> {
        let Some(node) = nodes.get(at).filter(|node| node.seen.is_ok()) else { return Ok(false) };
        if let Entry::Vacant(entry) = commits.entry(at) {
            entry.insert(Commits::read(store, node.name)?);
        }
        Ok(commits.get(&at).is_some_and(|commits| commits.has(id)))
    };
    let mut ordered = Vec::with_capacity(nodes.len());
    for node in nodes {
        ordered.push(match &node.seen {
            Ok(seen) => linked(node.name, seen, nodes, places, maps, &mut has)?,
            Err(problem) => Place { refused: Some(problem.clone()), ..Place::default() },
        });
    }
    for place in ordered.iter_mut().filter(|place| !padded && !place.absent.is_empty()) {
        let reasons: Vec<&str> = place.absent.values().map(String::as_str).take(SHOWN).collect();
        let more = place.absent.len() - reasons.len();
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        place.refused = Some(format!(
            "{}{more}; put the repository into the folder, or a reference on the commit if it is there, give a map of it with \
             --submodule, or have --pad-submodules fill up such IDs with zeros",
            reasons.join("; ")
        ));
    }
    let in_order = waves(nodes, &mut ordered);
    let mut gaps: Vec<Option<String>> = vec![None; nodes.len()];
    for at in in_order {
        gaps[at] = gap(&ordered[at], &gaps);
        let state = match &nodes[at].seen {
            Ok(seen) => seen.state.as_bytes(),
            Err(problem) => problem.as_bytes(),
        };
        ordered[at].state = digest(&[state, gaps[at].as_deref().unwrap_or_default().as_bytes()]);
    }
    Ok(ordered)
}

/// What a repository refers to.
fn linked(
    own: &str,
    seen: &Seen,
    nodes: &[Node<'_>],
    places: &Places<'_>,
    maps: &[Map],
    has: &mut dyn FnMut(usize, &ObjectId) -> Result<bool>,
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
    let mut place = Place::default();
    'links: for link in &links {
        if place.absent.contains_key(&link.commit) || place.mapped.contains_key(&link.commit) {
            continue;
        }
        let mut new = maps.iter().filter_map(|map| map.new_of(link.commit.as_bytes())).peekable();
        if new.peek().is_some() {
            let new: Vec<String> = new.filter_map(ObjectId::from_bytes).map(|id| id.to_string()).collect();
            place.mapped.insert(link.commit, new.join(" "));
            continue;
        }
        // What is needed already is asked first.
        for &at in place.needs.iter().chain(&candidates) {
            if has(at, &link.commit)? {
                place.needs.insert(at);
                continue 'links;
            }
        }
        let mut urls =
            links.iter().filter(|other| other.path == link.path).filter_map(|other| other.url.as_ref());
        let why = match urls.next() {
            None => "no .gitmodules says where its repository is".to_owned(),
            Some(url) => match meant.get(&Some(url.clone())).and_then(|meant| meant.first()) {
                None => format!("no repository of the folder is {url}"),
                Some(&at) => {
                    let other = nodes.get(at).map_or("", |node| node.name);
                    match nodes.get(at).is_some_and(|node| node.seen.is_ok()) {
                        true => format!(
                            "no reference of {other} leads to it; fetch it there, or give it one with `git update-ref`"
                        ),
                        false => format!("{other} is refused"),
                    }
                }
            },
        };
        place.absent.insert(link.commit, format!("submodule {}, commit {}: {why}", link.path, link.commit));
    }
    Ok(place)
}

/// Gives each its wave, refuses those that go in a circle, and returns all, each behind what it needs.
fn waves(nodes: &[Node<'_>], ordered: &mut [Place]) -> Vec<usize> {
    let mut in_order = settle(ordered, &vec![false; nodes.len()]);
    if in_order.len() == nodes.len() {
        return in_order;
    }
    let mut is_settled = vec![false; nodes.len()];
    in_order.iter().for_each(|&at| is_settled[at] = true);
    let mut in_circle = vec![false; nodes.len()];
    for at in (0..nodes.len()).filter(|&at| !is_settled[at]) {
        let Some(circle) = circle(at, ordered, &is_settled) else { continue };
        in_circle[at] = true;
        let names: Vec<&str> = circle.iter().map(|&at| nodes[at].name).collect();
        ordered[at].refused = Some(format!(
            "its submodules go in a circle, in which nothing can be converted first: {}; convert one of these by itself, and give \
             the map of it with --submodule",
            names.join(" needs ")
        ));
    }
    in_order = settle(ordered, &in_circle);
    in_order
}

/// The shortest way from a repository back to itself, both ends named; only among those that are not settled.
fn circle(start: usize, ordered: &[Place], is_settled: &[bool]) -> Option<Vec<usize>> {
    let mut from: HashMap<usize, usize> = HashMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        for &next in ordered[at].needs.iter().filter(|&&next| !is_settled[next]) {
            if next == start {
                let mut way = vec![start, at];
                while let Some(&before) = way.last().and_then(|at| from.get(at)) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            if let Entry::Vacant(entry) = from.entry(next) {
                entry.insert(at);
                waiting.push_back(next);
            }
        }
    }
    None
}

/// The waves of those that can be ordered. What is in a circle is refused, and needs nothing.
fn settle(ordered: &mut [Place], in_circle: &[bool]) -> Vec<usize> {
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); ordered.len()];
    let mut open: Vec<usize> = vec![0; ordered.len()];
    for (at, place) in ordered.iter().enumerate().filter(|(at, _)| !in_circle[*at]) {
        open[at] = place.needs.len();
        place.needs.iter().for_each(|&need| needed_by[need].push(at));
    }
    let mut in_order: Vec<usize> = (0..ordered.len()).filter(|&at| open[at] == 0).collect();
    let mut next = 0;
    while let Some(&at) = in_order.get(next) {
        next += 1;
        let wave = ordered[at].wave + 1;
        for &above in &needed_by[at] {
            ordered[above].wave = ordered[above].wave.max(wave);
            open[above] -= 1;
            if open[above] == 0 {
                in_order.push(above);
            }
        }
    }
    in_order
}

/// What of the submodules, and of theirs, is absent, and the new names of what is in maps: on these alone the new names of a
/// repository's commits depend beside the commits themselves. None where there is neither.
fn gap(place: &Place, gaps: &[Option<String>]) -> Option<String> {
    let own = place.absent.keys().map(ToString::to_string);
    let mapped = place.mapped.iter().map(|(commit, new)| format!("{commit} {new}"));
    let below = place.needs.iter().filter_map(|&need| gaps.get(need)?.clone());
    let all: Vec<String> = own.chain(mapped).chain(below).collect();
    let parts: Vec<&[u8]> = all.iter().map(|gap| gap.as_bytes()).collect();
    (!all.is_empty()).then(|| digest(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repositories by what they need, with letters as names.
    fn ordered(needs: &[&[usize]]) -> (Vec<Place>, Vec<usize>) {
        const LETTERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let nodes: Vec<Node<'_>> =
            LETTERS[..needs.len()].iter().map(|name| Node { name, seen: Err(String::new()) }).collect();
        let place = |needs: &&[usize]| Place { needs: needs.iter().copied().collect(), ..Place::default() };
        let mut ordered: Vec<Place> = needs.iter().map(place).collect();
        let order = waves(&nodes, &mut ordered);
        (ordered, order)
    }

    #[test]
    fn waves_are_innermost_first() {
        let (places, order) = ordered(&[&[1, 2], &[2], &[], &[0], &[2]]);
        assert_eq!(places.iter().map(|place| place.wave).collect::<Vec<_>>(), [2, 1, 0, 3, 1]);
        for (at, place) in places.iter().enumerate() {
            let of = |wanted: usize| order.iter().position(|&other| other == wanted).unwrap();
            assert!(place.needs.iter().all(|&need| of(need) < of(at)));
        }
    }

    #[test]
    fn circles_are_named_with_their_members_and_others_go_on() {
        // a → b → c → a, d → a, e → e, f → d, g alone, h → g.
        let (places, order) = ordered(&[&[1], &[2], &[0], &[0], &[4], &[3], &[], &[6]]);
        let said = |at: usize| places[at].refused.clone().unwrap_or_default();
        assert_eq!(order.len(), 8);
        assert!(said(0).contains(": a needs b needs c needs a;"), "{}", said(0));
        assert!(said(1).contains(": b needs c needs a needs b;"), "{}", said(1));
        assert!(said(4).contains(": e needs e;"), "{}", said(4));
        assert!([3, 5, 6, 7].iter().all(|&at| places[at].refused.is_none()));
        assert_eq!([3, 5, 7].map(|at| places[at].wave), [1, 2, 1]);
    }

    #[test]
    fn what_maps_say_counts_at_any_depth() {
        let commit: ObjectId = "17".repeat(20).parse().unwrap();
        let told = |new: &str| {
            let own = Place { mapped: BTreeMap::from([(commit, new.to_owned())]), ..Place::default() };
            let above = Place { needs: BTreeSet::from([0]), ..Place::default() };
            let own = gap(&own, &[]);
            [gap(&above, std::slice::from_ref(&own)), own]
        };
        let [one, other] = ["2a", "2b"].map(|new| told(&new.repeat(32)));
        assert!(one.iter().zip(&other).all(|(one, other)| one.is_some() && one != other));
        assert_eq!(gap(&Place::default(), &[]), None);
    }
}
