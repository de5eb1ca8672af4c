//! `fieldtest ima packages`: all archives and trees of a directory, signed as a job.
//!
//! First every package is looked at, in [`state`]: what it holds, as a digest. What was seen stays in the job's directory, and only what was
//! written to since is read again. Then each becomes an item whose identifier is a digest of all that its signatures depend on: what
//! it holds, the key, how it signs. So a second run finds done what has not changed. An item is signed by the code of `ima sign`.

mod folder;
mod item;
mod keys;
mod state;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use fieldtest_frame::job::{self, Claim, Entry, Orders, Plan, State, Status, digest};
use fieldtest_frame::measuring;
use fieldtest_frame::text::names;
use fieldtest_ima::tree::Options;
use fieldtest_report::{Kind as Column, Table};
use serde_json::json;

use self::folder::{Finds, Found, Kind};
use self::item::{Stores, Task, Work};
use self::keys::Keys;
use self::state::Seen;
use super::{fits_name, shown, sign};
use crate::args::ImaPackages;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &ImaPackages, format: Format) -> Result<Outcome> {
    fits_name(&args.walk.attribute)?;
    sign::check_attribute(&args.walk.attribute)?;
    measuring::known_implementation(args.how.implementation.as_deref())?;
    // The ledger may be read from elsewhere.
    let folder = &std::path::absolute(&args.run.job)?;
    let root = fs::canonicalize(&args.folder)
        .with_context(|| format!("cannot read {}", shown::path(&args.folder)))?;
    if root.is_file() {
        bail!("cannot use {}: it is a file; give a directory", shown::path(&args.folder));
    }
    let destination = std::path::absolute(&args.destination)?;
    for place in [&args.destination, &args.run.job] {
        output::Directory::check(place)?;
    }
    let public = beside(&destination);
    output::check_all_beside(&[
        ("the directory", &args.folder),
        ("the destination", &destination),
        ("the job's directory", folder),
        ("the directory of the public keys", &public),
    ])?;
    let keys = Keys::read(args)?;
    keys.check_place(&public)?;
    let mut finds = folder::find(&root, &args.trees)?;
    if finds.packages.is_empty() {
        let compressed = match &finds.compressed[..] {
            [] => String::new(),
            [first, ..] => format!(
                ", but {} that is compressed and skipped, such as {first}: decompress archives first",
                output::count(finds.compressed.len(), "file")
            ),
        };
        bail!(
            "{} has no archive{compressed}; give the directories of unpacked packages with --trees",
            shown::path(&args.folder)
        );
    }
    // Also of what is done: the link's target is not what was signed.
    for found in &mut finds.packages {
        found.problem = found.problem.take().or_else(|| job::linked(&destination, &found.destination));
    }
    // Other keys and other ways of signing make other items, and no other job.
    let what = json!({
        "command": "ima packages",
        "folder": names::of(&root),
        "destination": names::of(&destination),
    });
    let claim = Claim::of(folder, &what)?;
    let stores = Stores::of(folder);
    stores.make()?;
    let Some(sights) = look(args, &finds.packages, &stores.seen)? else { return Ok(job::stopped()) };
    let tasks: Vec<_> = finds
        .packages
        .iter()
        .zip(sights)
        .map(|(found, sight)| sight.and_then(|seen| task(args, &keys, found.kind, seen)))
        .collect();
    let items = finds.packages.iter().zip(&tasks).map(|(found, task)| {
        let state = task.as_ref().map_or_else(|problem| problem, |(_, state)| state);
        (0, found.name.as_str(), digest(&[format!("{:?}", found.kind).as_bytes(), state.as_bytes()]))
    });
    let job = claim.begin(Plan::new(what, items))?;
    let tasks = tasks.into_iter().map(|task| task.map(|(task, _)| task));
    tell_others(&finds);
    let (orders, before) = Orders::of(&job, &destination, finds.packages.into_iter().zip(tasks));
    keys.publish(&public)?;
    tell_gone(job.plan(), &job.state());
    let mut earlier: HashMap<String, Vec<String>> = HashMap::new();
    for entry in job.state().entries() {
        earlier.entry(entry.name.clone()).or_default().push(entry.item.clone());
    }
    let work = Work { args, job: &job, stores: &stores, orders, earlier };
    job::run_each(
        &args.destination,
        &args.run,
        &job,
        |item| work.item(item),
        || tell(job.plan(), before, &job.state(), format),
    )
}

/// The directory of the public keys.
fn beside(destination: &Path) -> PathBuf {
    let mut name = destination.as_os_str().to_owned();
    name.push(".keys");
    name.into()
}

/// Looks at each package, several at a time. None where the user asked for the end.
fn look(
    args: &ImaPackages,
    packages: &[Found],
    store: &Path,
) -> Result<Option<Vec<std::result::Result<Seen, String>>>> {
    let sights = job::look_at(packages, "packages", args.walk.threads, |found, threads| {
        let options = Options {
            threads: Some(threads),
            cross_file_systems: args.walk.cross_file_systems,
            interrupted: Some(interrupt::flag()),
            output: None,
        };
        state::look(found, store, &options)
    });
    Ok(sights?.into_iter().collect())
}

/// What is to be done with a package, and all that its signatures depend on.
fn task<'k>(
    args: &ImaPackages,
    keys: &'k Keys,
    kind: Kind,
    seen: Seen,
) -> std::result::Result<(Task<'k>, String), String> {
    let key = keys.of(&seen.content).ok_or("there is no key")?;
    let how = &args.how;
    let options = json!([how.hash, how.verity, how.implementation, how.hedged, args.walk.attribute]);
    let state = digest(&[
        seen.content.as_bytes(),
        key.id.as_bytes(),
        key.told.as_bytes(),
        options.to_string().as_bytes(),
    ]);
    Ok((Task { kind, stamp: seen.stamp, key }, state))
}

/// Says what is in the directory and no package.
fn tell_others(finds: &Finds) {
    /// Packages of another kind that are named.
    const NAMED: usize = 3;
    let told = [(finds.links, "symbolic link"), (finds.others, "file")];
    let told: Vec<String> = told
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| output::count(*number, what))
        .collect();
    if !told.is_empty() {
        output::message(&format!("skipped, since neither an archive nor in a tree: {}", told.join(", ")));
    }
    let of_these = |found: &[String], (one, many): (&str, &str), what: &str| {
        if found.is_empty() {
            return;
        }
        let named: Vec<&str> = found.iter().map(String::as_str).take(NAMED).collect();
        let more = found.len() - named.len();
        output::message(&format!(
            "of these {} {what}: {}{}",
            if found.len() == 1 { format!("1 {one}") } else { format!("{} {many}", found.len()) },
            named.join(", "),
            if more > 0 { format!(" and {more} more") } else { String::new() },
        ));
    };
    of_these(
        &finds.foreign,
        ("is a package", "are packages"),
        "of a kind that needs its own tools for signing (deb, rpm)",
    );
    of_these(
        &finds.compressed,
        ("is", "are"),
        "compressed, not named as an archive, and skipped; decompress archives first",
    );
}

/// Says what was signed of packages that are gone, as long as it is there.
fn tell_gone(plan: &Plan, state: &State) {
    let names: HashSet<&str> = plan.items.iter().map(|item| item.name.as_str()).collect();
    let mut told: HashSet<&str> = HashSet::new();
    let left = |entry: &&Entry| entry.outputs.first().is_some_and(|output| output.path.exists());
    let gone = state.entries().filter(|entry| {
        entry.status == Status::Done
            && !names.contains(entry.name.as_str())
            && left(entry)
            && told.insert(&entry.name)
    });
    let gone: Vec<&Entry> = gone.collect();
    let line = |entry: &&Entry| {
        let left = entry.outputs.first().map(|output| shown::path(&output.path)).unwrap_or_default();
        format!("{} is gone; what was signed of it stays: {left}", entry.name)
    };
    job::tell_first(gone.iter().map(line), |others| format!("and {others} more that are gone"));
}

/// Says what became of all: people are told what is not as it should be, programs everything.
fn tell(plan: &Plan, before: usize, state: &State, format: Format) -> Result<Outcome> {
    let entries: Vec<&Entry> = plan.items.iter().filter_map(|item| state.of(&item.id)).collect();
    if entries.len() < plan.items.len() {
        bail!("the ledger does not have the result of every package; run the command again");
    }
    let number = |entry: &Entry, name: &str| entry.facts[name].as_u64().unwrap_or(0);
    if format != Format::Human {
        output::table(&table(&entries), format)?;
    }
    let of = |status: Status| -> Vec<&Entry> {
        entries.iter().copied().filter(|entry| entry.status == status).collect()
    };
    let (refused, failed) = (of(Status::Refused), of(Status::Failed));
    job::tell_refused(&refused);
    let failed = job::tell_failed(&failed);
    let lacking: Vec<&Entry> =
        entries.iter().copied().filter(|entry| number(entry, "not_signed") > 0).collect();
    let line = |entry: &&Entry| {
        let files = shown::count(number(entry, "not_signed"), "file");
        let report = entry.outputs.get(1).map(|output| shown::path(&output.path)).unwrap_or_default();
        format!("{}: {files} not signed; {report} says which, and why", entry.name)
    };
    job::tell_first(lacking.iter().map(line), |others| {
        format!("and {others} more with files that are not signed")
    });
    let done = entries.iter().filter(|entry| entry.status == Status::Done).count();
    let sum = |name: &str| entries.iter().map(|entry| number(entry, name)).sum::<u64>();
    output::message(&format!(
        "{}: {} signed, {before} unchanged, {} rejected{failed}; in all signed packages {}, {} not signed",
        output::count(entries.len(), "package"),
        done.saturating_sub(before),
        refused.len(),
        shown::count(sum("signed") + sum("signed_already"), "file"),
        sum("not_signed"),
    ));
    Ok(if refused.is_empty() && lacking.is_empty() { Outcome::Fine } else { Outcome::Failed })
}

fn table(entries: &[&Entry]) -> Table {
    let mut table = Table::new("Packages")
        .column("package", Column::Text)
        .column("status", Column::Text)
        .column("key", Column::Text)
        .column("signed", Column::number(""))
        .column("signed already", Column::number(""))
        .column("not signed", Column::number(""))
        .column("bytes", Column::number(""))
        .column("seconds", Column::number(""))
        .column("why", Column::Text);
    for entry in entries {
        let number = |name: &str| entry.facts[name].as_f64().unwrap_or(0.0).into();
        table.row([
            entry.name.as_str().into(),
            match entry.status {
                Status::Done => "done",
                Status::Failed => "failed",
                Status::Refused => "rejected",
            }
            .into(),
            entry.facts["key"].as_str().unwrap_or_default().into(),
            number("signed"),
            number("signed_already"),
            number("not_signed"),
            (entry.outputs.first().map_or(0, |output| output.bytes) as f64).into(),
            entry.seconds.into(),
            entry.reason.as_deref().unwrap_or_default().into(),
        ]);
    }
    table
}
