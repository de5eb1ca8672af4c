//! One package: what is to be done with it, and how it is done.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufWriter};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use fieldtest_frame::job::{self, Item, Left, Made, Order, Orders, Refused};
use fieldtest_ima::tar::{TarError, TarOptions};
use fieldtest_ima::tree::{self, SignReport, SignedFile, TreeError};
use fieldtest_report::Format;
use serde_json::json;

use super::super::shown;
use super::super::sign::{self, Missing};
use super::folder::Kind;
use super::keys::Key;
use super::state;
use crate::args::ImaPackages;
use crate::output::{self, Existing, Output};

/// What is to be signed, and by which key.
pub(super) struct Task<'w> {
    pub(super) kind: Kind,
    /// What the package looked like when the job was planned.
    pub(super) stamp: String,
    pub(super) key: &'w Key,
}

/// Where a job keeps what.
pub(super) struct Stores {
    pub(super) seen: PathBuf,
    reports: PathBuf,
    left: PathBuf,
}

impl Stores {
    pub(super) fn of(job: &Path) -> Stores {
        let [seen, reports, left] = ["seen", "reports", "left"].map(|name| job.join(name));
        Stores { seen, reports, left }
    }

    pub(super) fn make(&self) -> Result<()> {
        job::make_folders([&self.seen, &self.reports, &self.left])
    }

    /// What became of the files of an item.
    fn report(&self, id: &str) -> PathBuf {
        self.reports.join(format!("{id}.csv"))
    }
}

/// What would be lost where another file took the place.
const LOST: &str = "what others wrote";

/// A file as such: one that is written anew or copied is another.
fn state(path: &Path) -> Result<String> {
    let found = fs::metadata(path).with_context(|| format!("cannot read {}", shown::path(path)))?;
    Ok(format!("{} {} {}.{:09}", found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}

/// What items are done with.
pub(super) struct Work<'w> {
    pub(super) args: &'w ImaPackages,
    pub(super) job: &'w job::Job,
    pub(super) stores: &'w Stores,
    pub(super) orders: Orders<Task<'w>>,
    /// The states in which packages were before, by their names.
    pub(super) earlier: HashMap<String, Vec<String>>,
}

impl Work<'_> {
    pub(super) fn item(&self, item: &Item) -> Result<Made> {
        let Order { path, destination, task, other } = self.orders.get(item)?;
        let task = task.as_ref().map_err(|reason| Refused(reason.clone()))?;
        // Whoever is asked to stop ends what it has begun; whoever is killed leaves nothing that counts.
        let options = tree::Options {
            threads: Some(self.args.walk.threads.of_each(self.args.run.workers)),
            cross_file_systems: self.args.walk.cross_file_systems,
            ..tree::Options::default()
        };
        let check = || match state::stamp(task.kind, path, &options).map_err(|problem| anyhow!(problem))? {
            Some(stamp) if stamp == task.stamp => Ok(()),
            _ => bail!("it was changed after the job was planned; run the command again"),
        };
        check()?;
        let left = Left::of(&self.stores.left, &item.name).or_of(other.as_deref());
        left.check(destination, LOST, state)?;
        let fresh = job::fresh(&self.args.destination, destination, self.job, item)?;
        let (report, missing) = self.write(task, path, &options, &fresh)?;
        check()?;
        let found = left.check(destination, LOST, state)?;
        job::keep_access(&fresh, destination)?;
        let left = left.expect(found, state(&fresh)?)?;
        // First: an item counts as done only as long as its report is there, and what follows takes its place.
        let earlier = self.earlier.get(&item.name).into_iter().flatten().filter(|id| **id != item.id);
        for earlier in earlier.map(|id| self.stores.report(id)).filter(|path| path.exists()) {
            fs::remove_file(&earlier).with_context(|| format!("cannot remove {}", shown::path(&earlier)))?;
        }
        left.take_place(&fresh, destination, LOST, state)?;
        let table = sign::complete(&shown::path(path), &report, &missing);
        let told = self.stores.report(&item.id);
        output::own_file(&told, table.render(Format::Csv).as_bytes())?;
        Ok(Made { facts: facts(&task.key.id, &report), outputs: vec![destination.clone(), told] })
    }

    /// Signs a package into a file, and brings that to the disk; what became of all, and of the files that are not signed.
    fn write(
        &self,
        task: &Task<'_>,
        path: &Path,
        options: &tree::Options<'_>,
        fresh: &Path,
    ) -> Result<(SignReport, Vec<Missing>)> {
        let mut out = BufWriter::with_capacity(1 << 18, Output::create(fresh, Existing::Refuse)?);
        let mut missing: Vec<Missing> = Vec::new();
        let observe = |file: &SignedFile<'_>| missing.extend(sign::missing_of(file));
        let report = match task.kind {
            Kind::Archive => {
                let options = TarOptions { run: *options, spool: None };
                sign::archive(path, &task.key.archive, &options, &mut out, observe)
            }
            Kind::Tree => {
                let name = self.args.walk.attribute.as_str();
                sign::manifest(path, name, &task.key.tree, options, &mut out, observe)
            }
        };
        let cannot = || format!("cannot write {}", shown::path(fresh));
        let report = report.map_err(|error| match error.downcast::<io::Error>() {
            Ok(error) => anyhow!(error).context(cannot()),
            Err(error) => refused(error),
        })?;
        let out = out.into_inner().map_err(|error| error.into_error()).with_context(cannot)?;
        out.commit_durably()?;
        Ok((report, missing))
    }
}

/// What lies in the package as such.
fn refused(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<TarError>() {
        Some(
            reason @ (TarError::Compressed(_)
            | TarError::Foreign(_)
            | TarError::Addressed { .. }
            | TarError::Malformed { .. }),
        ) => Refused(reason.to_string()).into(),
        _ => match error.downcast_ref::<TreeError>() {
            Some(reason @ TreeError::Open(_)) => Refused(reason.to_string()).into(),
            _ => error,
        },
    }
}

/// What the ledger says of a package.
fn facts(key: &str, report: &SignReport) -> serde_json::Value {
    let sum = |part: fn(&tree::JobTotals) -> u64| report.jobs.iter().map(part).sum::<u64>();
    let (signed, already) = (sum(|totals| totals.signed), sum(|totals| totals.already_valid));
    json!({
        "key": key,
        "signed": signed,
        "signed_already": already,
        "not_signed": report.files.saturating_sub(signed + already),
    })
}
