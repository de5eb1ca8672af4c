//! A plan in a folder.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{self, Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::error::failed;
use crate::files::{self, Depth};
use crate::ledger::Ledger;
use crate::summary::Summary;
use crate::{Entry, Id, Item, JobError, Output, Plan, State, Status};

/// The end of the names of [`Job::repeated`].
const REPEATED: &str = "repeated";

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
    /// It was refused.
    Refused(String),
}

/// Why an item made nothing. Whatever can be shown is a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// For a reason that may be gone the next time.
    Failed(String),
    /// For a reason that lies in what it is about.
    Refused(String),
}

impl<E: std::fmt::Display> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::Failed(error.to_string())
    }
}

impl Job {
    /// A job in a folder, which is made where it is missing. One that is there already goes on.
    ///
    /// # Errors
    ///
    /// Two items have one name; the folder holds another job, or files that are no job's; the file system refuses.
    pub fn open(folder: &Path, plan: Plan) -> Result<Job, JobError> {
        let job = Job::at(folder, plan)?;
        if job.is_planned()? {
            return Ok(job);
        }
        // Two that begin at once have one plan between them.
        let _held = job.wait_for(PLANNING)?;
        if !job.is_planned()? {
            job.write_plan()?;
        }
        Ok(job)
    }

    /// As [`open`](Self::open), where the job may have other items than the last time: these take the place of those, and what the
    /// ledger says of the ones that are still there holds.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), but that only another `what` is another job; [`JobError::Running`].
    pub fn renew(folder: &Path, plan: Plan) -> Result<Job, JobError> {
        let job = Job::at(folder, plan)?;
        let _held = job.hold()?;
        let what = &job.plan.what;
        if there(&job.folder, what, |there| there.what == *what)?.as_ref() != Some(&job.plan) {
            job.write_plan()?;
        }
        job.clear_locks()?;
        Ok(job)
    }

    /// As [`open`](Self::open), for who wants to know what would be done: nothing is made.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn sketch(folder: &Path, plan: Plan) -> Result<Job, JobError> {
        let folder = path::absolute(folder).map_err(|source| failed("find", folder, source))?;
        files::check(&folder, Depth::Top)?;
        let job = Job::of(folder, plan)?;
        job.is_planned()?;
        Ok(job)
    }

    fn at(folder: &Path, plan: Plan) -> Result<Job, JobError> {
        Job::of(Job::claim(folder)?, plan)
    }

    /// Whether this very plan is in the folder; another one is an error.
    fn is_planned(&self) -> Result<bool, JobError> {
        Ok(there(&self.folder, &self.plan.what, |there| *there == self.plan)?.is_some())
    }

    fn of(folder: PathBuf, plan: Plan) -> Result<Job, JobError> {
        let mut ids = HashSet::new();
        if let Some(twice) = plan.items.iter().find(|item| !ids.insert(item.id.to_string())) {
            return Err(JobError::Twice(twice.name.clone()));
        }
        Ok(Job { ledger: Ledger::at(folder.join("ledger.jsonl")), plan, folder })
    }

    /// Makes a folder that is missing or empty a job's; one that is a job's stays it. Its absolute path, since commands of the job
    /// may be run elsewhere.
    ///
    /// # Errors
    ///
    /// [`JobError::Taken`]: what others left there is in no danger. [`JobError::Foreign`]. The file system refuses.
    pub fn claim(folder: &Path) -> Result<PathBuf, JobError> {
        files::check(folder, Depth::Top)?;
        let locks = folder.join(LOCKS);
        let claim = locks.join(PLANNING);
        if !plan_file(folder).exists() && !claim.exists() {
            let entries = match fs::read_dir(folder) {
                Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
                Err(error) => Err(error),
            };
            let entries = entries.map_err(|source| failed("read", folder, source))?;
            let foreign = entries.iter().map(fs::DirEntry::file_name).find(|name| name != LOCKS);
            if let Some(found) = foreign {
                return Err(JobError::Taken { folder: folder.to_path_buf(), found: found.into() });
            }
            marker(&claim)?;
        }
        fs::canonicalize(folder).map_err(|source| failed("read", folder, source))
    }

    /// Refuses a folder that holds another job, or what no job makes, before anything is read or written there.
    ///
    /// # Errors
    ///
    /// [`JobError::Other`], [`JobError::Foreign`]; the plan there cannot be read.
    pub fn check_what(folder: &Path, what: &Value) -> Result<(), JobError> {
        files::check(folder, Depth::All)?;
        there(folder, what, |there| there.what == *what).map(drop)
    }

    /// The plan of the job in a folder, if there is one.
    ///
    /// # Errors
    ///
    /// The plan cannot be read.
    pub fn planned(folder: &Path) -> Result<Option<Plan>, JobError> {
        let path = plan_file(folder);
        match files::read(&path) {
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
        // Always of the same name, so that nothing is left of one that was killed.
        let fresh = path.with_extension("json.new");
        let write = || -> io::Result<()> {
            files::is_there(&fresh)?;
            let mut file = File::create(&fresh)?;
            serde_json::to_writer_pretty(&mut file, &self.plan)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&fresh, &path)
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
        self.ledger.ask(State::clone)
    }

    /// How many lines the ledger has.
    pub(crate) fn lines(&self) -> Result<usize, JobError> {
        self.ledger.ask(|state| state.lines)
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

    /// Does an item that is not done yet, and enters what became of it; that it was refused, only where the ledger's latest word on
    /// it is not the same refusal. Waits while somebody else has it.
    ///
    /// # Errors
    ///
    /// The ledger or the lock cannot be written or read. That the work fails is no error, but entered.
    pub fn run_item<E: Into<Fault>>(
        &self,
        item: &Item,
        work: impl FnOnce(&Item) -> Result<Made, E>,
    ) -> Result<Ran, JobError> {
        let _held = self.wait_for(&item.id.to_string())?;
        // A cluster may begin a piece long after others ended the job, and took away what it would need.
        if self.ledger.ask(|state| state.is_done(&item.id))? || !self.plan.each && self.is_whole()? {
            return Ok(Ran::Before);
        }
        let begun = Instant::now();
        let made = work(item).map_err(E::into).and_then(|made| {
            // Whoever asks later may stand elsewhere.
            let outputs = made.outputs.into_iter().map(|path| {
                path::absolute(&path)
                    .and_then(Output::at)
                    .map_err(|error| Fault::from(format!("{} is not there: {error}", path.display())))
            });
            Ok((outputs.collect::<Result<Vec<_>, _>>()?, made.facts))
        });
        let seconds = begun.elapsed().as_secs_f64();
        let (ran, entry) = match made {
            Ok((outputs, facts)) => {
                let entry = entry(item, Status::Done, None, seconds);
                let bytes = outputs.iter().map(|output| output.bytes).sum();
                (Ran::Now, Entry { bytes, outputs, facts, ..entry })
            }
            Err(Fault::Failed(reason)) => {
                let entry = entry(item, Status::Failed, Some(reason.clone()), seconds);
                (Ran::Failed(reason), entry)
            }
            Err(Fault::Refused(reason)) => {
                if self.ledger.ask(|state| state.refusal(&item.id) == Some(&reason))? {
                    marker(&self.repeated(&item.id))?;
                    return Ok(Ran::Refused(reason));
                }
                let entry = entry(item, Status::Refused, Some(reason.clone()), seconds);
                (Ran::Refused(reason), entry)
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
        files::check(&self.folder, Depth::All)?;
        let (path, lock) = self.lock_file("runner")?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(JobError::Running(self.folder.clone())),
            Err(TryLockError::Error(source)) => Err(failed("lock", &path, source)),
        }
    }

    /// Removes the locks of items that the plan has no more. Who is still at such an item keeps its lock.
    fn clear_locks(&self) -> Result<(), JobError> {
        let ids: HashSet<String> = self.plan.items.iter().map(|item| item.id.to_string()).collect();
        for path in self.locks()? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if Id::is_form_of(name) && !ids.contains(name) && marker(&path)?.try_lock().is_ok() {
                fs::remove_file(&path).map_err(|source| failed("remove", &path, source))?;
            }
        }
        Ok(())
    }

    /// All that is in the folder of locks.
    fn locks(&self) -> Result<Vec<PathBuf>, JobError> {
        let locks = self.folder.join(LOCKS);
        let paths = || fs::read_dir(&locks)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
        paths().map_err(|source| failed("read", &locks, source))
    }

    fn lock_file(&self, name: &str) -> Result<(PathBuf, File), JobError> {
        let path = self.folder.join(LOCKS).join(name);
        let lock = marker(&path)?;
        Ok((path, lock))
    }

    /// Waits for a lock, which is held until it is dropped or the process ends.
    fn wait_for(&self, name: &str) -> Result<File, JobError> {
        let (path, lock) = self.lock_file(name)?;
        lock.lock().map_err(|source| failed("lock", &path, source))?;
        Ok(lock)
    }

    /// Begins a run: what the ledger says from the line on whose number is returned, is said in it.
    pub(crate) fn begin(&self) -> Result<usize, JobError> {
        for path in self.locks()? {
            let is_item = path.file_stem().and_then(|stem| stem.to_str()).is_some_and(Id::is_form_of);
            if is_item && path.extension().is_some_and(|extension| extension == REPEATED) {
                fs::remove_file(&path).map_err(|source| failed("remove", &path, source))?;
            }
        }
        self.ledger.ask(|state| state.lines)
    }

    /// The file that is there once an item was refused in this run for the reason that the ledger had already.
    fn repeated(&self, item: &Id) -> PathBuf {
        self.folder.join(LOCKS).join(item.to_string()).with_extension(REPEATED)
    }

    /// Whether an item was refused since the ledger had so many lines, which it had when the run began or later.
    fn is_refused(&self, state: &State, item: &Id, lines: usize) -> bool {
        state.refusal(item).is_some() && (state.is_heard_of(item, lines) || self.repeated(item).exists())
    }

    /// Whether whoever did an item said what became of it, since the ledger had so many lines.
    pub(crate) fn is_heard_of(&self, state: &State, item: &Id, lines: usize) -> bool {
        state.is_heard_of(item, lines) || state.is_done(item) || self.is_refused(state, item, lines)
    }

    /// Whether nothing is to be done. Where the last wave is what the others are there for, what they left may be gone since.
    ///
    /// # Errors
    ///
    /// The ledger cannot be read.
    pub fn is_whole(&self) -> Result<bool, JobError> {
        let wanted = match self.plan.waves().last() {
            Some(last) if !self.plan.each => last,
            _ => &self.plan.items,
        };
        self.ledger.ask(|state| wanted.iter().all(|item| state.is_done(&item.id)))
    }

    /// Those of these items that are not done, and were not refused since the ledger had so many lines.
    pub(crate) fn open_items<'i>(&self, items: &'i [Item], lines: usize) -> Result<Vec<&'i Item>, JobError> {
        self.ledger.ask(|state| {
            let is_open = |item: &&Item| !state.is_done(&item.id) && !self.is_refused(state, &item.id, lines);
            items.iter().filter(is_open).collect()
        })
    }

    /// Those of these items that were refused since the ledger had so many lines.
    pub(crate) fn refused<'i>(&self, items: &'i [Item], lines: usize) -> Result<Vec<&'i Item>, JobError> {
        self.ledger.ask(|state| items.iter().filter(|item| self.is_refused(state, &item.id, lines)).collect())
    }

    /// How far it has come since the ledger had so many lines, by what that says alone; `before` were done then.
    pub(crate) fn summary(&self, before: usize, lines: usize) -> Result<Summary, JobError> {
        let items = &self.plan.items;
        let is_done = |entry: &Entry| entry.status == Status::Done;
        self.ledger.ask(|state| {
            let done = items.iter().filter(|item| state.of(&item.id).is_some_and(is_done)).count();
            let refused = items.iter().filter(|item| self.is_refused(state, &item.id, lines)).count();
            Summary { done, items: items.len(), now: done.saturating_sub(before), refused, stopped: false }
        })
    }
}

/// The folder of locks, and the lock under which a plan is written. Where that is, the folder is a job's.
const LOCKS: &str = "locks";
const PLANNING: &str = "plan";

/// Where two values differ, as the names that lead there.
fn differences(one: &Value, other: &Value, at: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let value = |of: &serde_json::Map<String, Value>| of.get(name).cloned().unwrap_or_default();
                differences(&value(one), &value(other), &at, found);
            }
        }
        (one, other) if one == other => {}
        _ => found.push(if at.is_empty() { "what is to be done".to_owned() } else { at.to_owned() }),
    }
}

/// The plan in a folder, if there is one; another job's is an error.
fn there(folder: &Path, what: &Value, is_same: impl Fn(&Plan) -> bool) -> Result<Option<Plan>, JobError> {
    let there = Job::planned(folder)?;
    let Some(other) = there.as_ref().filter(|there| !is_same(there)) else { return Ok(there) };
    let mut differs = Vec::new();
    differences(&other.what, what, "", &mut differs);
    Err(JobError::Other { folder: folder.to_path_buf(), differs })
}

/// A file of which it only matters that it is there, or who has it locked.
fn marker(path: &Path) -> Result<File, JobError> {
    let open = || {
        path.parent().map_or(Ok(()), files::make_folder)?;
        files::is_there(path)?;
        File::options().create(true).truncate(false).write(true).open(path)
    };
    open().map_err(|source| failed("write", path, source))
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
