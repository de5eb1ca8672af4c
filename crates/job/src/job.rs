//! A plan in a folder.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::ledger::Ledger;
use crate::{Entry, Item, JobError, Output, Plan, State, Status};

/// A job that can be worked on. In its folder are `job.json`, the plan; `ledger.jsonl`; `locks`; and what its items leave
/// there.
#[derive(Debug)]
pub struct Job {
    folder: PathBuf,
    plan: Plan,
    ledger: Ledger,
}

/// What an item made.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// Files and folders that are whole and in their places.
    pub outputs: Vec<PathBuf>,
    /// What is to be known of it later.
    pub facts: Value,
}

/// What became of an item that was to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// It was done now.
    Now,
    /// It had been done before, perhaps while this waited for whoever did it.
    Before,
    /// It failed.
    Failed(String),
}

impl Job {
    /// A job in a folder, which is made where it is missing. One that is there already goes on.
    ///
    /// # Errors
    ///
    /// Two items have one name; the folder holds another job, or files that are no job's; the file system refuses.
    pub fn open(folder: &Path, plan: Plan) -> Result<Job, JobError> {
        let mut ids = HashSet::new();
        if let Some(twice) = plan.items.iter().find(|item| !ids.insert(item.id.to_string())) {
            return Err(JobError::Twice(twice.name.clone()));
        }
        let locks = folder.join("locks");
        fs::create_dir_all(&locks).map_err(|source| failed("make", &locks, source))?;
        // Commands of the job may be run elsewhere.
        let folder = fs::canonicalize(folder).map_err(|source| failed("read", folder, source))?;
        let job = Job { ledger: Ledger::at(folder.join("ledger.jsonl")), plan, folder };
        match Job::planned(&job.folder)? {
            Some(there) if there == job.plan => {}
            Some(there) => {
                return Err(JobError::Other { folder: job.folder, there: there.what.to_string() });
            }
            None => job.write_plan()?,
        }
        Ok(job)
    }

    /// The plan of the job in a folder, if there is one.
    ///
    /// # Errors
    ///
    /// The plan cannot be read.
    pub fn planned(folder: &Path) -> Result<Option<Plan>, JobError> {
        let path = plan_file(folder);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| JobError::Damaged {
                path,
                line: error.line(),
                what: format!("no plan of a job: {error}"),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed("read", &path, source)),
        }
    }

    fn write_plan(&self) -> Result<(), JobError> {
        let path = plan_file(&self.folder);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            serde_json::to_writer_pretty(&mut file, &self.plan)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|source| failed("write", &path, source))
    }

    /// The folder, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where the ledger is.
    pub fn ledger(&self) -> &Path {
        self.ledger.path()
    }

    /// What the ledger says.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has a line that is no entry.
    pub fn state(&self) -> Result<State, JobError> {
        self.ledger.read()
    }

    /// The item of this name for machines.
    ///
    /// # Errors
    ///
    /// [`JobError::NoItem`].
    pub fn item(&self, id: &str) -> Result<&Item, JobError> {
        let found = self.plan.items.iter().find(|item| item.id.to_string() == id);
        found.ok_or_else(|| JobError::NoItem { folder: self.folder.clone(), id: id.to_owned() })
    }

    /// Does an item that is not done yet, and enters what became of it. Waits while somebody else has it.
    ///
    /// # Errors
    ///
    /// The ledger or the lock cannot be written or read. That the work fails is no error, but entered.
    pub fn run_item<E: std::fmt::Display>(
        &self,
        item: &Item,
        work: impl FnOnce(&Item) -> Result<Made, E>,
    ) -> Result<Ran, JobError> {
        let path = self.folder.join("locks").join(item.id.to_string());
        let lock = File::create(&path).map_err(|source| failed("write", &path, source))?;
        lock.lock().map_err(|source| failed("lock", &path, source))?;
        if self.state()?.is_done(&item.id) {
            return Ok(Ran::Before);
        }
        let begun = Instant::now();
        let made = work(item).map_err(|error| error.to_string()).and_then(|made| {
            let sizes = made.outputs.into_iter().map(|path| match fs::metadata(&path) {
                Ok(found) => Ok(Output { path, bytes: if found.is_file() { found.len() } else { 0 } }),
                Err(error) => Err(format!("{} is not there: {error}", path.display())),
            });
            Ok((sizes.collect::<Result<Vec<_>, _>>()?, made.facts))
        });
        let seconds = begun.elapsed().as_secs_f64();
        let (ran, entry) = match made {
            Ok((outputs, facts)) => {
                let entry = entry(item, Status::Done, None, seconds);
                let bytes = outputs.iter().map(|output| output.bytes).sum();
                (Ran::Now, Entry { bytes, outputs, facts, ..entry })
            }
            Err(reason) => {
                let entry = entry(item, Status::Failed, Some(reason.clone()), seconds);
                (Ran::Failed(reason), entry)
            }
        };
        self.ledger.append(&entry)?;
        Ok(ran)
    }

    /// Enters that an item failed whose worker could not say so itself.
    pub(crate) fn enter_failure(&self, item: &Item, reason: String, seconds: f64) -> Result<(), JobError> {
        self.ledger.append(&Entry { peak: 0, ..entry(item, Status::Failed, Some(reason), seconds) })
    }

    /// Holds the job for one runner, until it is dropped or the process ends, however that may be.
    pub(crate) fn hold(&self) -> Result<File, JobError> {
        let path = self.folder.join("locks").join("runner");
        let lock = File::create(&path).map_err(|source| failed("write", &path, source))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(JobError::Running(self.folder.clone())),
            Err(TryLockError::Error(source)) => Err(failed("lock", &path, source)),
        }
    }

    /// Whether the last wave is done, for which alone the others are there: what they left may be gone since.
    pub(crate) fn is_whole(&self) -> Result<bool, JobError> {
        self.plan.waves().last().map_or(Ok(true), |last| self.open_items(last).map(|open| open.is_empty()))
    }

    /// Those of these items that are not done.
    pub(crate) fn open_items<'i>(&self, items: &'i [Item]) -> Result<Vec<&'i Item>, JobError> {
        let state = self.state()?;
        Ok(items.iter().filter(|item| !state.is_done(&item.id)).collect())
    }
}

fn plan_file(folder: &Path) -> PathBuf {
    folder.join("job.json")
}

fn entry(item: &Item, status: Status, reason: Option<String>, seconds: f64) -> Entry {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    // Several nodes of a cluster may be one host.
    let node = std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host.trim().to_owned());
    Entry {
        item: item.id.clone(),
        name: item.name.clone(),
        status,
        reason,
        seconds,
        bytes: 0,
        outputs: Vec::new(),
        peak: peak(),
        facts: Value::Null,
        worker: format!("{node}:{}", std::process::id()),
        at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    }
}

/// `VmHWM` of proc_pid_status(5), in octets.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

pub(crate) fn failed(what: &'static str, path: &Path, source: io::Error) -> JobError {
    JobError::Io { what, path: path.to_path_buf(), source }
}
