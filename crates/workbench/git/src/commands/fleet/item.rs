//! One repository of a fleet: what is to be done with it, and how it is done.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, anyhow};
use fieldtest_frame::job::{self, Item, Job, Left, Made, Order, Orders, Refused};
use fieldtest_frame::text::{self, names};
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Map, Options, tsv};
use fieldtest_git::refs::Snapshot;
use fieldtest_git::{Error, Objects};
use serde_json::{Value, json};

use super::left::{LOST, Ours};
use super::seen;
use crate::args::{GitFleet, GitScope};
use crate::commands::rewrite::{self, Computed, Rewrite};
use crate::commands::{locate, maps};
use crate::output;

/// What is to be converted.
#[derive(Debug)]
pub(super) struct Task {
    /// Where its references led when it was looked at.
    pub(super) snapshot: Snapshot,
    /// The items whose maps it needs, each with its repository's name.
    pub(super) needs: Vec<(String, String)>,
}

/// Where a job keeps what.
pub(super) struct Stores {
    pub(super) seen: PathBuf,
    maps: PathBuf,
    left: PathBuf,
}

impl Stores {
    pub(super) fn of(folder: &Path) -> Stores {
        let [seen, maps, left] = ["seen", "maps", "left"].map(|name| folder.join(name));
        Stores { seen, maps, left }
    }

    pub(super) fn make(&self) -> Result<()> {
        job::make_folders([&self.seen, &self.maps, &self.left])
    }

    /// The map of an item, from old to new names.
    fn map(&self, id: &str) -> PathBuf {
        self.maps.join(format!("{id}.tsv"))
    }

    /// What runs left in the place of a repository of this name.
    pub(super) fn left(&self, name: &str) -> Left {
        Left::of(&self.left, name)
    }

    /// The objects of that.
    fn ours(&self, name: &str) -> Ours {
        Ours::of(self.left.join(format!("{}.ids", job::key(name))))
    }
}

/// What items are done with.
pub(super) struct Work<'w> {
    pub(super) args: &'w GitFleet,
    pub(super) job: &'w Job,
    pub(super) stores: &'w Stores,
    pub(super) orders: Orders<Task>,
    /// The states in which repositories were before, by their names.
    pub(super) earlier: HashMap<String, Vec<String>>,
}

impl Work<'_> {
    pub(super) fn item(&self, item: &Item) -> Result<Made> {
        let Order { path, destination, task, other } = self.orders.get(item)?;
        let Task { snapshot, needs } = task.as_ref().map_err(|reason| Refused(reason.clone()))?;
        if let Some((_, needed)) = needs.iter().find(|(id, _)| !self.stores.map(id).is_file()) {
            return Err(Refused(format!("it needs {needed}, which is not converted")).into());
        }
        let left = self.stores.left(&item.name).or_of(other.as_deref());
        let ours = self.stores.ours(&item.name);
        let check = || left.check(destination, LOST, |place| ours.state(place));
        // An archive that is mounted anew, or made anew in the wrong place, looks like that as well.
        if check()?.is_some() && seen::is_none(snapshot) && !is_none_at(destination).map_err(refused)? {
            return Err(Refused(format!(
                "it has no commit any more; its conversion is kept; if that is meant, remove {} and run again",
                text::path(destination)
            ))
            .into());
        }
        let fresh = job::fresh(&self.args.destination, destination, self.job, item)?;

        let repository = locate::exactly(path).map_err(refused)?;
        let rewrite =
            Rewrite::new(&self.args.rewrite, &repository).map_err(|error| Refused(error.to_string()))?;
        let map_of =
            |(id, _): &(String, String)| maps::read(&self.stores.map(id), &rewrite.from, &rewrite.to.format);
        let needed = needs.iter().map(map_of).collect::<Result<Vec<Map>>>()?;
        let rewrite = rewrite.among_others(needed);
        let objects = Objects::open(&repository).map_err(refused)?;
        let scope = GitScope { no_round_trip: self.args.no_round_trip, ..GitScope::default() };
        let starts = rewrite::starts(&repository, snapshot, &scope)?.present(&objects);
        // Whoever is asked to stop ends what it has begun; whoever is killed leaves nothing that counts.
        let never = AtomicBool::new(false);
        let options = Options {
            scope: rewrite::scope(Some(&starts)),
            interrupt: &never,
            ..rewrite.options(self.args.threads.of_each(self.args.run.workers))
        };
        let Computed { conversion, .. } = match rewrite.compute(&repository, &objects, &scope, &options) {
            Ok(computed) => computed,
            Err(error) => {
                let mut reasons = rewrite.unsaid();
                reasons.push(format!("{error:#}"));
                return Err(Refused(reasons.join("; ")).into());
            }
        };
        let written =
            destination::write(&conversion, &repository, snapshot, &fresh, &options).map_err(|error| {
                match error {
                    // What cannot be written may be written the next time.
                    Error::Io { ref path, .. }
                        if fresh.parent().is_some_and(|folder| path.starts_with(folder)) =>
                    {
                        anyhow!(error)
                    }
                    error => refused(error),
                }
            })?;
        let names_of = conversion.map().map_err(refused)?;
        // Once more, since converting takes its time.
        let found = check()?;
        job::keep_access(&fresh, destination)?;
        let state = ours.expect(found.is_some().then_some(destination.as_path()), &fresh)?;
        left.expect(found, state)?;
        let map = self.stores.map(&item.id);
        output::own_whole_file(&map, |out| {
            tsv::write(&names_of, &mut *out)?;
            Ok(out.flush()?)
        })?;
        // First: an item counts as done only as long as its map is there, and what follows takes its place.
        let earlier = self.earlier.get(&item.name).into_iter().flatten().filter(|id| **id != item.id);
        for earlier in earlier.map(|id| self.stores.map(id)).filter(|path| path.exists()) {
            fs::remove_file(&earlier).with_context(|| format!("cannot remove {}", text::path(&earlier)))?;
        }
        destination::replace(&fresh, destination)?;
        let packs = destination.join("objects").join("pack");
        let packs = fs::read_dir(&packs)
            .and_then(|packs| {
                packs.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
            })
            .with_context(|| format!("cannot read {}", text::path(&packs)))?;
        let outputs = packs.into_iter().chain([destination.clone(), map]).collect();
        Ok(Made { facts: facts(&written, names_of.len()), outputs })
    }
}

/// Whether nothing leads into what was converted before.
fn is_none_at(place: &Path) -> Result<bool, Error> {
    Ok(seen::is_none(&locate::exactly(place)?.snapshot()?))
}

fn refused(error: Error) -> anyhow::Error {
    Refused(error.to_string()).into()
}

/// What the ledger says of a repository.
fn facts(written: &Written, names: usize) -> Value {
    let name = |name: &[u8]| names::encode(name);
    let left = written.left.iter().map(|left| json!({ "name": name(&left.name), "reason": left.reason }));
    let unchanged = written.notes.unchanged.iter();
    let unchanged = unchanged.map(|(reference, reason)| {
        json!({ "name": name(reference), "reason": format!("its notes are not found by new IDs: {reason}") })
    });
    json!({
        "objects": written.contents.objects,
        "names": names,
        "references": written.references,
        "pack_bytes": written.pack_len,
        "left": left.chain(unchanged).collect::<Vec<_>>(),
    })
}
