//! Repositories that need each other. No commit can name itself, at whatever depth, so they are read in turns: with every turn
//! more commits have new names, until all have that one of these repositories names of another. If they
//! were refused, padding alone would be left: gitlinks to commits that exist nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use fieldtest_frame::job::Refused;
use fieldtest_git::map::{Conversion, Map, Options, Scope, Unmappable};
use fieldtest_git::{Format, ObjectId, ObjectType, Objects};

use super::source::{Source, refused};
use crate::commands::locate;
use crate::commands::rewrite::Rewrite;
use crate::commands::scope;

/// One of a circle, as far as it is named.
pub(super) struct Member<'a> {
    pub(super) source: Arc<Source>,
    /// With the names of all that lies outside.
    pub(super) rewrite: Rewrite<'a>,
}

/// The new names of the commits that these name of each other.
///
/// # Errors
/// One of them cannot be read or named.
pub(super) fn names(members: Vec<Member<'_>>, options: &Options<'_>) -> Result<Map> {
    let wanted: BTreeSet<ObjectId> =
        members.iter().flat_map(|member| &member.source.inside).copied().collect();
    let mut found: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    let mut turns = Vec::with_capacity(members.len());
    for Member { source, mut rewrite } in members {
        let repository = locate::exactly(&source.path).map_err(refused)?;
        let objects = Objects::open(&repository).map_err(refused)?;
        let starts = scope::present_starts(&source.snapshot, &objects);
        // The last one is that of the circle, which grows.
        rewrite.submodules.push(pairs(&rewrite.from, &rewrite.to.format, &found)?);
        turns.push((objects, starts, rewrite, None::<Map>));
    }
    let mut before = None;
    while before != Some(found.len()) && found.len() < wanted.len() {
        before = Some(found.len());
        for (objects, starts, rewrite, known) in &mut turns {
            let grown = pairs(&rewrite.from, &rewrite.to.format, &found)?;
            if let Some(last) = rewrite.submodules.last_mut() {
                *last = grown;
            }
            let options = Options {
                scope: Scope::Reachable(starts),
                unmappable: Unmappable::Leave,
                known: known.as_ref(),
                interrupt: options.interrupt,
                ..rewrite.options(options.threads)
            };
            let conversion =
                Conversion::compute(objects, &rewrite.from, &rewrite.to.format, &options).map_err(refused)?;
            found.extend(wanted.iter().filter_map(|id| Some((*id, conversion.new_id(id)?))));
            let map = conversion.map().map_err(refused)?;
            drop(conversion);
            *known = Some(map);
        }
    }
    if let Some(id) = wanted.iter().find(|id| !found.contains_key(id)) {
        return Err(Refused(format!(
            "its submodules need it in turn, and the commit {id}, to which one of them refers, is not convertible: \
             `fieldtest git map` of each reports the reason"
        ))
        .into());
    }
    let Some((_, _, rewrite, _)) = turns.first() else {
        return Err(Refused("this cycle is empty".to_owned()).into());
    };
    pairs(&rewrite.from, &rewrite.to.format, &found)
}

/// A map of commits.
///
/// # Errors
/// Two have one name.
pub(super) fn pairs(from: &Format, to: &Format, pairs: &BTreeMap<ObjectId, ObjectId>) -> Result<Map> {
    let pairs = pairs.iter().map(|(old, new)| (old.as_bytes(), new.as_bytes(), ObjectType::Commit));
    Map::from_pairs(from, to, pairs).map_err(refused)
}
