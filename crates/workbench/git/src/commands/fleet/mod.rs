//! `fieldtest git fleet`: all repositories of a directory, which refer to each other, as a job.
//!
//! First every repository is looked at, in [`seen`]: where its references lead, and which commits of others its history
//! names. What was seen stays in the job's directory, and only what changed is looked at again. Then [`graph`] puts them into
//! waves, the innermost first, and each becomes an item whose identifier is a digest of all that its conversion depends on. So a
//! second run finds done what has not changed. An item's map of names is a file in the job's directory, which later waves read.

mod cycles;
mod foreign_changes;
mod found;
mod graph;
mod item;
mod seen;
mod source;
mod submodule_urls;
mod summary;
mod waves;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use fieldtest_frame::job::{self, Claim, Job, Orders, Plan, Status};
use fieldtest_frame::text::{self, names};
use fieldtest_git::map::Options;
use fieldtest_git::refs::Snapshot;
use serde_json::{Value, json};

use super::scope::{Padding, is_kept, no_such_prefix};
use super::{locate, maps};
use crate::algorithms;
use crate::args::{GitFleet, GitReferences, GitRewrite};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use found::{Finds, Found};
use graph::{Asked, Known, Node, Place};
use item::{Stores, Task, Work};
use seen::Sight;
use source::Source;
use submodule_urls::Places;

pub(crate) fn run(args: &GitFleet, format: Format) -> Result<Outcome> {
    super::no_table("fleet", format)?;
    // The ledger may be read from elsewhere.
    let folder = &std::path::absolute(&args.run.job)?;
    let fleet = Fleet::new(args, folder)?;
    let Planned { job, orders, done, aliases } = fleet.plan()?;
    let work = Work { args: &fleet.args, job: &job, stores: &fleet.stores, orders };
    job::run_each(
        &fleet.args.destination,
        &args.run,
        &job,
        |item| work.item(item),
        || summary::tell(job.plan(), aliases, &job.state(), done, format),
    )
}

struct Fleet {
    args: GitFleet,
    root: PathBuf,
    stores: Stores,
    job: PathBuf,
    to: String,
}

struct Planned {
    job: Job,
    orders: Orders<Task>,
    /// Of these, those that are done already.
    done: usize,
    aliases: usize,
}

impl Fleet {
    fn new(args: &GitFleet, folder: &Path) -> Result<Fleet> {
        let to = args.rewrite.to.clone().unwrap_or_else(|| "sha256".to_owned());
        let chosen = algorithms::named(&to, args.rewrite.implementation.as_deref())?;
        if !algorithms::is_of_git(&chosen.format.name) {
            return Err(usage(format!("invalid --to '{to}': expected sha256 or sha1")));
        }
        let shown = || format!("cannot read {}", text::path(&args.folder));
        let root = fs::canonicalize(&args.folder).with_context(shown)?;
        if root.is_file() {
            bail!("cannot use {}: it is a file; give a directory", text::path(&args.folder));
        }
        if locate::is_repository(&root) {
            return Err(usage(format!(
                "{} is a repository itself; give the directory that contains it, or convert it with `fieldtest git convert`",
                text::path(&args.folder)
            )));
        }
        let destination = std::path::absolute(&args.destination)?;
        for place in [&args.destination, &args.run.job] {
            output::Directory::check(place)?;
        }
        output::check_all_beside(&[
            ("the directory", &args.folder),
            ("the destination", &destination),
            ("the job's directory", folder),
        ])?;
        let rewrite = GitRewrite { to: Some(chosen.format.name.clone()), ..args.rewrite.clone() };
        let args = GitFleet { destination, rewrite, ..args.clone() };
        Ok(Fleet {
            args,
            root,
            stores: Stores::of(folder),
            job: folder.to_path_buf(),
            to: chosen.format.name,
        })
    }

    /// What makes one job of many runs. Options that only widen what can be converted are none of it.
    fn what(&self) -> Value {
        json!({
            "command": "git fleet",
            "folder": names::of(&self.root),
            "destination": names::of(&self.args.destination),
            "to": self.to,
        })
    }

    /// Looks at all repositories and orders them.
    fn plan(&self) -> Result<Planned> {
        let Finds { mut repositories, mut aliases } = found::find(&self.root)?;
        if repositories.is_empty() {
            // An archive that is not mounted looks like that as well.
            bail!("there is no repository in {}; give a directory with some", text::path(&self.args.folder));
        }
        let what = self.what();
        let claim = Claim::of(&self.job, &what)?;
        self.stores.make()?;
        let mut sights = self.look(&repositories)?;
        alias(&mut repositories, &mut sights, &mut aliases);
        self.check_prefixes(&sights)?;
        let kept = repositories.iter().zip(&sights).flat_map(|(found, sight)| {
            sight.kept.iter().map(|name| format!("{}: {}", found.name, is_kept(name)))
        });
        job::tell_first(kept.collect::<Vec<_>>().into_iter(), |others| format!("and so are {others} more"));
        let other = if self.to == "sha1" { "sha256" } else { "sha1" };
        let snapshots: Vec<_> = sights.iter_mut().map(|sight| sight.snapshot.take()).collect();
        let mut known = self.known()?;
        let mut nodes: Vec<Node<'_>> = repositories
            .iter()
            .zip(&sights)
            .map(|(found, sight)| self.node(found, sight, other, known.remove(&found.name)))
            .collect();
        // What is not there any more is known all the same.
        let away: Vec<(String, Known)> =
            known.into_iter().filter(|(name, _)| !aliases.contains_key(name)).collect();
        nodes.extend(away.iter().map(|(name, known)| {
            let seen = Err("it is no longer in the directory".to_owned());
            Node { name, seen, known: Some(known.clone()) }
        }));
        let numbers: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.name, at)).collect();
        let further =
            aliases.iter().filter_map(|(name, of)| Some((name.as_str(), *numbers.get(of.as_str())?)));
        let own = nodes.iter().enumerate().map(|(at, node)| (node.name, at));
        let places = Places::new(&self.root, own.chain(further));
        let (from, to) =
            (algorithms::of_git(other, None)?.format, algorithms::of_git(&self.to, None)?.format);
        let rewrite = &self.args.rewrite;
        let padding = Padding::of(rewrite);
        let maps = &maps::of_submodules(&rewrite.submodules, &from, &to, &padding.ids)?;
        let asked = Asked { maps, padding, pads_all: rewrite.pad_submodules, renames: self.args.rename };
        let ordered = graph::order(&nodes, &places, &self.stores.seen, &asked)?;
        let names: Vec<String> = nodes.iter().map(|node| node.name.to_owned()).collect();
        nodes.truncate(repositories.len());

        let items =
            nodes.iter().zip(&ordered).map(|(node, place)| (place.wave, node.name, place.state.clone()));
        let plan = Plan::new(what, items);
        if let Some(before) = claim.before() {
            self.tell_gone(before, &plan, &aliases);
        }
        let job = claim.begin(plan)?;
        let others: Vec<usize> = sights.iter().map(|sight| sight.others).collect();
        let tasks = tasks(&names, &repositories, ordered, snapshots, &others);
        let (orders, done) = Orders::of(&job, &self.args.destination, repositories.into_iter().zip(tasks));
        let same = |(name, of): (&String, &String)| {
            format!("{name} is the same repository as {of}, which is converted")
        };
        job::tell_first(aliases.iter().map(same), |others| {
            format!("and {others} more names of repositories")
        });
        Ok(Planned { job, orders, done, aliases: aliases.len() })
    }

    /// Looks at each repository, several at a time.
    fn look(&self, repositories: &[Found]) -> Result<Vec<Sight>> {
        job::look_at(repositories, "repositories", self.args.threads, |found, threads| {
            let options = Options { threads, interrupt: interrupt::flag(), ..Options::default() };
            match &found.problem {
                Some(problem) => Ok(Sight::none(problem.clone())),
                None => {
                    let (store, wanted) = (&self.stores.seen, &self.args.references);
                    seen::look((&self.root, &found.path), &found.name, store, wanted, &options)
                }
            }
        })
    }

    /// Refuses a prefix that no repository has a reference below.
    fn check_prefixes(&self, sights: &[Sight]) -> Result<()> {
        let read = || sights.iter().filter(|sight| sight.snapshot.is_some());
        let is_nowhere = |prefix: &&String| read().all(|sight| sight.unmatched.contains(prefix));
        let GitReferences { only, excluded } = &self.args.references;
        match only.iter().chain(excluded).find(is_nowhere).filter(|_| read().next().is_some()) {
            Some(prefix) => Err(no_such_prefix(&self.args.folder, prefix)),
            None => Ok(()),
        }
    }

    /// What the job converted, by the names of repositories.
    fn known(&self) -> Result<BTreeMap<String, Known>> {
        let state = Job::look(&self.job)?;
        let done = state.entries().filter(|entry| entry.status == Status::Done);
        let known = done.filter_map(|entry| {
            let commits = self.stores.commits(&entry.name);
            let is_there = commits.is_file() && self.stores.map(&entry.name).is_file();
            let given = item::given(&entry.facts).filter(|_| is_there)?;
            Some((entry.name.clone(), Known { commits, given }))
        });
        // The latest word on each holds.
        Ok(known.collect())
    }

    fn node<'n>(&self, found: &'n Found, sight: &'n Sight, other: &str, known: Option<Known>) -> Node<'n> {
        let seen = match &sight.seen {
            Ok(seen) if seen.format != other => Err(format!("it already has the object format {}", self.to)),
            Ok(seen) => Ok(seen),
            Err(problem) => Err(problem.clone()),
        };
        Node { name: &found.name, seen, known }
    }

    /// Names the repositories that were in the directory the last time.
    fn tell_gone(&self, before: &Plan, now: &Plan, aliases: &BTreeMap<String, String>) {
        let there: HashSet<&str> = now.items.iter().map(|item| item.name.as_str()).collect();
        let is_gone = |name: &&str| !there.contains(name) && !aliases.contains_key(*name);
        let gone: Vec<&str> = before.items.iter().map(|item| item.name.as_str()).filter(is_gone).collect();
        let line = |name: &&str| {
            // The ledger's latest word may be that it was refused since.
            let left = match self.stores.left(name).is_any() {
                true => "its conversion is kept",
                false => "it was never converted",
            };
            format!("{name} is no longer in the directory; {left}")
        };
        job::tell_first(gone.iter().map(line), |others| format!("and so are {others} more"));
    }
}

/// What is to be done with each, in their order. `names` are those of all repositories that places have numbers of.
fn tasks(
    names: &[String],
    repositories: &[Found],
    ordered: Vec<Place>,
    snapshots: Vec<Option<Snapshot>>,
    others: &[usize],
) -> Vec<Result<Task, String>> {
    let mut sources: HashMap<usize, Arc<Source>> = HashMap::new();
    for ((at, found), snapshot) in repositories.iter().enumerate().zip(snapshots) {
        let (Some(place), Some(snapshot)) = (ordered.get(at), snapshot) else { continue };
        let is_outside = |other: &usize| !place.circle.contains(other);
        let outside = place.needs.iter().filter(|(other, _)| is_outside(other)).chain(&place.known);
        let outside = outside.map(|(&other, commits)| (names[other].clone(), commits.clone()));
        let inside = place.needs.iter().filter(|(other, _)| !is_outside(other));
        let source = Source {
            path: found.path.clone(),
            snapshot,
            outside: outside.collect(),
            inside: inside.flat_map(|(_, commits)| commits).copied().collect(),
            padded: place.padded.clone(),
        };
        sources.insert(at, Arc::new(source));
    }
    let task = |(at, place): (usize, Place)| match (place.refused, sources.get(&at)) {
        (Some(reason), _) => Err(reason),
        (None, Some(source)) => Ok(Task {
            source: Arc::clone(source),
            circle: place.circle.iter().filter_map(|at| sources.get(at)).map(Arc::clone).collect(),
            given: place.given,
            others: others.get(at).copied().unwrap_or_default(),
        }),
        (None, None) => Err("not readable".to_owned()),
    };
    ordered.into_iter().take(repositories.len()).enumerate().map(task).collect()
}

/// Further working trees of a repository, and what else leads to its directory, are further names of it.
fn alias(repositories: &mut Vec<Found>, sights: &mut Vec<Sight>, aliases: &mut BTreeMap<String, String>) {
    let mut main: HashMap<PathBuf, usize> = HashMap::new();
    for (at, sight) in sights.iter().enumerate() {
        if let Some(common) = &sight.common {
            let first = main.entry(common.clone()).or_insert(at);
            if sight.is_main && !sights[*first].is_main {
                *first = at;
            }
        }
    }
    let names: Vec<String> = repositories.iter().map(|found| found.name.clone()).collect();
    let all = mem::take(repositories).into_iter().zip(mem::take(sights)).enumerate();
    let firsts = all.filter(|(at, (found, sight))| {
        let first = sight.common.as_ref().and_then(|common| main.get(common)).filter(|first| *first != at);
        if let Some(&first) = first {
            aliases.insert(found.name.clone(), names[first].clone());
        }
        first.is_none()
    });
    (*repositories, *sights) = firsts.map(|(_, both)| both).unzip();
}
