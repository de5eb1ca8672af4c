//! One repository of a fleet: what is to be done with it, and how it is done.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, anyhow};
use fieldtest_frame::job::{self, Item, Job, Left, Made, Order, Orders, Refused};
use fieldtest_frame::text::{self, names};
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Map, Options, Scope, tsv};
use fieldtest_git::{Error, Format, ObjectId, ObjectType, Objects};
use serde_json::{Value, json};

use super::cycles::{self, Member};
use super::foreign_changes::{LOST, Ours};
use super::graph::Given;
use super::seen::{self, Commits};
use super::source::{Source, refused};
use crate::args::{GitFleet, GitScope};
use crate::commands::rewrite::{Computed, Rewrite};
use crate::commands::{locate, maps, scope};
use crate::output;

#[derive(Debug)]
pub(super) struct Task {
    pub(super) source: Arc<Source>,
    /// All that need each other, itself among them.
    pub(super) circle: Vec<Arc<Source>>,
    /// What its new names depend on beside what lies in the directory.
    pub(super) given: Given,
    /// How many references are not wanted.
    pub(super) others: usize,
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

    /// The map of a repository, from old to new names: of all objects that it ever had here.
    pub(super) fn map(&self, name: &str) -> PathBuf {
        self.maps.join(format!("{}.tsv", job::key(name)))
    }

    pub(super) fn commits(&self, name: &str) -> PathBuf {
        self.map(name).with_extension("commits")
    }

    /// What runs left in the place of a repository of this name.
    pub(super) fn left(&self, name: &str) -> Left {
        Left::of(&self.left, name)
    }

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
}

impl Work<'_> {
    pub(super) fn item(&self, item: &Item) -> Result<Made> {
        let Order { path, destination, task, other } = self.orders.get(item)?;
        let Task { source, circle, given, others } =
            task.as_ref().map_err(|reason| Refused(reason.clone()))?;
        let snapshot = &source.snapshot;
        let left = self.stores.left(&item.name).or_of(other.as_deref());
        let ours = self.stores.ours(&item.name);
        let check = || left.check(destination, LOST, |place| ours.state(place));
        // An archive that is mounted anew, or made anew in the wrong place, looks like that as well.
        if check()?.is_some() && seen::is_none(snapshot) && !is_none_at(destination).map_err(refused)? {
            return Err(Refused(format!(
                "it no longer has commits; its conversion is kept; if that is intended, remove {} and run again",
                text::path(destination)
            ))
            .into());
        }
        let fresh = job::fresh(&self.args.destination, destination, self.job, item)?;

        let repository = locate::exactly(path).map_err(refused)?;
        let mut rewrite = self.rewrite(source)?;
        let objects = Objects::open(&repository).map_err(refused)?;
        let checks = GitScope { no_round_trip: self.args.no_round_trip, ..GitScope::default() };
        let starts = scope::present_starts(snapshot, &objects);
        // Whoever is asked to stop ends what it has begun; whoever is killed leaves nothing that counts.
        let never = AtomicBool::new(false);
        let threads = self.args.threads.of_each(self.args.run.workers);
        if !circle.is_empty() {
            let member = |source: &Arc<Source>| {
                Ok(Member { source: Arc::clone(source), rewrite: self.rewrite(source)? })
            };
            let members = circle.iter().map(member).collect::<Result<_>>()?;
            let options = Options { threads, interrupt: &never, ..Options::default() };
            rewrite.submodules.push(cycles::names(members, &options)?);
        }
        let options =
            Options { scope: Scope::Reachable(&starts), interrupt: &never, ..rewrite.options(threads) };
        let Computed { conversion, .. } = match rewrite.compute(&repository, &objects, &checks, &options) {
            Ok(computed) => computed,
            Err(error) => {
                let mut reasons = rewrite.unsaid();
                reasons.push(format!("{error:#}"));
                return Err(Refused(reasons.join("; ")).into());
            }
        };
        // Also those of submodules, at any depth.
        let padded = given.iter().filter(|(_, new)| new.is_none()).map(|(id, _)| *id);
        let names_of = conversion.map().map_err(refused)?.with_padded(padded);
        let (from, to) = (&rewrite.from, &rewrite.to.format);
        let map = self.stores.map(&item.name);
        let names_of = match map.is_file() {
            true => {
                let earlier = maps::read(&map, from, to).map_err(|error| {
                    Refused(format!("{error:#}; or remove this file, if no ID in it needs to be kept"))
                })?;
                self.with_earlier(names_of, &earlier, from, to)?
            }
            false => names_of,
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
        // Once more, since converting takes its time: what was pushed to the old one meanwhile would go
        // with it.
        let found = check()?;
        job::keep_access(&fresh, destination)?;
        let state = ours.expect(found.is_some().then_some(destination.as_path()), &fresh)?;
        let left = left.expect(found, state)?;
        let commits = self.stores.commits(&item.name);
        Commits::write(
            &commits,
            names_of.iter().filter(|pair| pair.kind == ObjectType::Commit).map(|pair| pair.old),
        )?;
        // First: an item counts as done only as long as its map is there, and what follows takes its place.
        output::own_whole_file(&map, |out| {
            tsv::write(&names_of, &mut *out)?;
            Ok(out.flush()?)
        })?;
        let ours = self.stores.ours(&item.name);
        left.take_place(&fresh, destination, LOST, |place| ours.state(place))?;
        let packs = destination.join("objects").join("pack");
        let packs = fs::read_dir(&packs)
            .and_then(|packs| {
                packs.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
            })
            .with_context(|| format!("cannot read {}", text::path(&packs)))?;
        let outputs = packs.into_iter().chain([destination.clone(), map, commits]).collect();
        let mut facts = facts(&written, names_of.len(), given);
        facts["references_out_of_scope"] = (*others).into();
        facts["not_carried"] = destination::left_behind(&repository).into();
        facts["alternates"] = (repository.object_dirs().len() - 1).into();
        Ok(Made { facts, outputs })
    }

    /// The conversion of a repository, with the names of what it names of those outside its circle.
    fn rewrite(&self, source: &Source) -> Result<Rewrite<'_>> {
        let repository = locate::exactly(&source.path).map_err(refused)?;
        let rewrite =
            Rewrite::new(&self.args.rewrite, &repository).map_err(|error| Refused(error.to_string()))?;
        let mut names = BTreeMap::new();
        for (other, commits) in &source.outside {
            let unnamed = || Refused(format!("it needs {other}, which is not converted"));
            let map = self.stores.map(other);
            if !map.is_file() {
                return Err(unnamed().into());
            }
            let map = maps::read(&map, &rewrite.from, &rewrite.to.format)?;
            for id in commits {
                let new = map.new_of(id.as_bytes()).and_then(ObjectId::from_bytes);
                names.insert(*id, new.ok_or_else(unnamed)?);
            }
        }
        let names = cycles::pairs(&rewrite.from, &rewrite.to.format, &names)?;
        Ok(rewrite.among_others(vec![names], source.padded.clone()))
    }

    /// A new map with what an earlier one has of objects that are gone. What both have is called the same, unless that was asked
    /// to change: people know these names.
    fn with_earlier(&self, new: Map, earlier: &Map, from: &Format, to: &Format) -> Result<Map> {
        let renamed = new.renamed(earlier).count();
        if let Some((pair, before)) = new.renamed(earlier).next().filter(|_| !self.args.rename) {
            let id = |id: &[u8]| ObjectId::from_bytes(id).map(|id| id.to_string()).unwrap_or_default();
            let kept = earlier.padded().iter().filter(|id| new.padded().binary_search(id).is_err());
            let kept: Vec<String> = kept.map(|id| format!("--pad-submodule {id}")).collect();
            let keep = match kept.is_empty() {
                true => String::new(),
                false => format!(", or {} to keep the old ones", kept.join(" ")),
            };
            return Err(Refused(format!(
                "{} that this job converted before would be called otherwise, {} {} {} in place of {}, since submodules' commits \
                 have other names; its conversion is kept; give --rename to rename them{keep}",
                output::count(renamed, "object"),
                pair.kind,
                id(pair.old),
                id(pair.new),
                id(before),
            ))
            .into());
        }
        new.with_earlier(earlier, from, to).map_err(refused)
    }
}

/// Whether nothing leads into what was converted before.
fn is_none_at(place: &Path) -> Result<bool, Error> {
    Ok(seen::is_none(&locate::exactly(place)?.snapshot()?))
}

/// What the ledger says of a repository.
fn facts(written: &Written, names: usize, given: &Given) -> Value {
    let name = |name: &[u8]| names::encode(name);
    let left = written.left.iter().map(|left| json!({ "name": name(&left.name), "reason": left.reason }));
    let unchanged = written.notes.unchanged.iter();
    let unchanged = unchanged.map(|(reference, reason)| {
        json!({ "name": name(reference), "reason": format!("its notes cannot be found by new IDs: {reason}") })
    });
    json!({
        "objects": written.contents.objects,
        "names": names,
        "references": written.references,
        "pack_bytes": written.pack_len,
        "left": left.chain(unchanged).collect::<Vec<_>>(),
        "padded": given.iter().filter(|(_, new)| new.is_none()).map(|(id, _)| id.to_string()).collect::<Vec<_>>(),
        "mapped": given.iter().filter_map(|(id, new)| Some((id.to_string(), new.as_ref()?.to_string().into())))
            .collect::<serde_json::Map<_, _>>(),
    })
}

/// What the names of a conversion depend on, as [`facts`] has it.
pub(super) fn given(facts: &Value) -> Option<Given> {
    let padded = facts["padded"].as_array()?.iter().map(|id| Some((id.as_str()?.parse().ok()?, None)));
    let mapped = facts["mapped"].as_object()?.iter();
    let mapped = mapped.map(|(id, new)| Some((id.parse().ok()?, Some(new.as_str()?.parse().ok()?))));
    padded.chain(mapped).collect()
}
