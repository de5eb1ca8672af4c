//! One package: what is to be done with it, and how it is done, here or on a node.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use fieldtest_frame::job::{self, Id, Item, Left, Made, Orders, Refused};
use fieldtest_frame::text::names;
use fieldtest_ima::store::Store;
use fieldtest_ima::tar::{TarError, TarOptions};
use fieldtest_ima::tree::{self, Job, SignReport, SignedFile, TreeError};
use fieldtest_report::Format;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::shown;
use super::super::sign::{self, Maker, Missing};
use super::found::Kind;
use super::seen;
use crate::args::ImaPackages;
use crate::output::{self, Existing, Output};

/// What is to be done: a file in the job's folder, so that whoever does an item reads its own key and nothing of the others.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// Where the package is, and where what is signed of it is to be, as [`names`] has paths.
    pub(super) path: String,
    pub(super) destination: String,
    pub(super) kind: Kind,
    /// What is to be signed, and by which key; or why it is not.
    pub(super) task: Result<Task, String>,
    /// Items that left something at the same place before.
    pub(super) earlier: Vec<Id>,
    /// The package of another name that left something there.
    #[serde(default)]
    pub(super) other: Option<String>,
}

/// What is to be signed, and by which key.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    /// What the package looked like when the job was planned.
    pub(super) stamp: String,
    /// The key's files, as [`names`] has paths.
    pub(super) key: String,
    pub(super) certificate: Option<String>,
    pub(super) key_id: String,
}

/// Where a job keeps what.
pub(super) struct Stores {
    pub(super) seen: PathBuf,
    pub(super) orders: Orders,
    reports: PathBuf,
    left: PathBuf,
}

impl Stores {
    pub(super) fn of(job: &Path) -> Stores {
        let [seen, reports, left] = ["seen", "reports", "left"].map(|name| job.join(name));
        Stores { seen, orders: Orders::of(job), reports, left }
    }

    pub(super) fn make(&self) -> Result<()> {
        for folder in [&self.seen, &self.reports, &self.left] {
            job::files::make_folder(folder)
                .with_context(|| format!("cannot make the directory {}", shown::path(folder)))?;
        }
        self.orders.make()
    }

    /// What runs left in the place of the package of a name.
    fn left(&self, name: &str) -> Left {
        Left::of(&self.left, name)
    }

    /// What became of the files of an item. It counts as done only as long as this is there.
    fn report(&self, id: &Id) -> PathBuf {
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

/// A key that was read, and what it makes.
struct Signing {
    id: String,
    /// Into an archive.
    archive: [Job; 1],
    /// For a list.
    tree: [Job; 1],
}

/// What items are done with.
pub(super) struct Work<'w> {
    args: &'w ImaPackages,
    stores: Stores,
    /// Of each item.
    threads: NonZeroUsize,
    /// By the names of their files.
    keys: Mutex<HashMap<String, Arc<Signing>>>,
}

impl<'w> Work<'w> {
    pub(super) fn new(args: &'w ImaPackages, stores: Stores) -> Work<'w> {
        Work { args, stores, threads: args.walk.threads.of_each(args.run.workers), keys: Mutex::default() }
    }

    pub(super) fn item(&self, item: &Item) -> Result<Made> {
        let order: Order = self.stores.orders.read(&item.id)?;
        let task = order.task.map_err(Refused)?;
        let (path, destination) = (names::path(&order.path), names::path(&order.destination));
        let signing = self.signing(&task)?;
        // Whoever is asked to stop ends what it has begun; whoever is killed leaves nothing that counts.
        let options = tree::Options {
            threads: Some(self.threads),
            cross_file_systems: self.args.walk.cross_file_systems,
            ..tree::Options::default()
        };
        let check = || match seen::stamp(order.kind, &path, &options).map_err(|problem| anyhow!(problem))? {
            Some(stamp) if stamp == task.stamp => Ok(()),
            _ => bail!("it was written to since the job was planned; run the command again"),
        };
        check()?;
        let left = self.stores.left(&item.name).or_of(order.other.as_deref());
        left.check(&destination, LOST, state)?;
        let fresh = job::fresh(&self.args.destination, &destination, job::folder(&self.args.run)?, &item.id)?;
        let (report, missing) = self.write(order.kind, &path, &signing, &options, &fresh)?;
        let cannot = || format!("cannot write {}", shown::path(&destination));
        let settle = || -> Result<()> {
            check()?;
            let found = left.check(&destination, LOST, state)?;
            job::keep_access(&fresh, &destination)?;
            left.expect(found, state(&fresh)?)?;
            // First: an item counts as done only as long as its report is there, and what follows takes its place.
            let all = order.earlier.iter().chain([&item.id]);
            for earlier in all.map(|id| self.stores.report(id)).filter(|path| path.exists()) {
                fs::remove_file(&earlier)
                    .with_context(|| format!("cannot remove {}", shown::path(&earlier)))?;
            }
            fs::rename(&fresh, &destination).with_context(cannot)?;
            let folder = destination.parent().unwrap_or(&destination);
            File::open(folder).and_then(|folder| folder.sync_all()).with_context(cannot)
        };
        settle().inspect_err(|_| drop(fs::remove_file(&fresh)))?;
        let table = sign::complete(&shown::path(&path), &report, &missing);
        let told = self.stores.report(&item.id);
        output::file(&told, table.render(Format::Csv).as_bytes())?;
        Ok(Made { facts: facts(&signing.id, &report), outputs: vec![destination, told] })
    }

    /// Signs a package into a file, and brings that to the disk; what became of all, and of the files that are not signed.
    fn write(
        &self,
        kind: Kind,
        path: &Path,
        signing: &Signing,
        options: &tree::Options<'_>,
        fresh: &Path,
    ) -> Result<(SignReport, Vec<Missing>)> {
        let mut out = BufWriter::with_capacity(1 << 18, Output::create(fresh, Existing::Refuse)?);
        let mut missing: Vec<Missing> = Vec::new();
        let observe = |file: &SignedFile<'_>| missing.extend(sign::missing_of(file));
        let report = match kind {
            Kind::Archive => {
                let options = TarOptions { run: *options, spool: None };
                sign::archive(path, &signing.archive, &options, &mut out, observe)
            }
            Kind::Tree => {
                let name = self.args.walk.attribute.as_str();
                sign::manifest(path, name, &signing.tree, options, &mut out, observe)
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

    /// The key of a package, read once.
    fn signing(&self, task: &Task) -> Result<Arc<Signing>> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signing) = keys.get(&task.key) {
            return Ok(Arc::clone(signing));
        }
        let certificate = task.certificate.as_deref().map(names::path);
        let maker = Maker::new(&names::path(&task.key), certificate.as_deref(), &self.args.how)?;
        let id = maker.signer()?.id().to_string();
        if id != task.key_id {
            bail!(
                "its key has the id {id}, and {} when the job was planned; run the command again",
                task.key_id
            );
        }
        let archive = [maker.job(Store::Attribute(self.args.walk.attribute.clone()))?];
        let signing = Arc::new(Signing { id, archive, tree: [maker.job(Store::Returned)?] });
        keys.insert(task.key.clone(), Arc::clone(&signing));
        Ok(signing)
    }
}

/// What lies in the package as such.
fn refused(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<TarError>() {
        Some(reason @ (TarError::Compressed(_) | TarError::Malformed { .. })) => {
            Refused(reason.to_string()).into()
        }
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
